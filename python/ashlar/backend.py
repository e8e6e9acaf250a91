"""A planner backend for compilers written in Python.

AshlarPlanner satisfies, by its shape alone, the contract

    plan(model, memory_constraints=None, tensor_constraints=None) -> MemoryPlan

of heliaAOT's PlannerBackend: it inherits from nothing there. What it returns
has arena_usages, persistent_arenas, constant_arenas and tensor_allocs, with a
binding for every tensor.

The model is looked at through a few attributes (both spellings are tried):

    model.tensors        tensors, or a mapping from id to tensor
    model.operators      in the order of execution
    model.inputs         ids or tensors
    model.outputs        ids or tensors
    model.target         what has .memories {memory: bytes},
                         .preferred_memory_order and .min_alignment
    tensor.id, tensor.kind ("scratch", "persistent", "constant")
    tensor.size_bytes (or nbytes, size)
    tensor.alias_of      id of the tensor whose bytes it shares, or None
    operator.inputs, .outputs, .local_tensors (optional)

A memory may be a string or an enumeration's member; it comes back as it was.
"""
import dataclasses
import typing

from . import _native


@dataclasses.dataclass(frozen=True)
class TensorBinding:
    role: str
    memory: typing.Any
    offset: int
    source_memory: typing.Any


@dataclasses.dataclass(frozen=True)
class TensorAllocation:
    memory: typing.Any
    offset: int
    size: int
    binding: TensorBinding


@dataclasses.dataclass
class ArenaUsage:
    role: str
    memory: typing.Any
    source_memory: typing.Any
    total_size: int
    used: int
    alignment: int
    lower_bound: int
    verdict: str


@dataclasses.dataclass
class MemoryPlan:
    arena_usages: dict = dataclasses.field(default_factory=dict)
    persistent_arenas: dict = dataclasses.field(default_factory=dict)
    constant_arenas: dict = dataclasses.field(default_factory=dict)
    tensor_allocs: dict = dataclasses.field(default_factory=dict)

    @property
    def total_size(self):
        """Bytes of writable memory: scratch, persistent and staged constants."""
        arenas = list(self.arena_usages.values())
        arenas += self.persistent_arenas.values()
        arenas += (a for a in self.constant_arenas.values()
                   if a.memory != a.source_memory)
        return sum(a.used for a in arenas)


# ---- looking at somebody else's model ---------------------------------------

def _get(thing, *names, default=None):
    for name in names:
        if isinstance(thing, dict) and name in thing:
            return thing[name]
        if hasattr(thing, name):
            return getattr(thing, name)
    return default


def _word(value):
    """The name of an enumeration's member, or the text itself."""
    return str(getattr(value, "name", value)).lower()


def _id(thing):
    return getattr(thing, "id", thing)


class _View:
    """What planning needs to know of the model."""

    def __init__(self, model):
        tensors = _get(model, "tensors")
        tensors = tensors.values() if isinstance(tensors, dict) else tensors
        self.tensors = {t.id: t for t in tensors}
        self.operators = list(_get(model, "operators", "ops"))
        self.inputs = [_id(t) for t in _get(model, "inputs", default=())]
        self.outputs = [_id(t) for t in _get(model, "outputs", default=())]
        target = _get(model, "target", "platform")
        self.memories = dict(_get(target, "memories"))
        order = _get(target, "preferred_memory_order", default=None)
        self.order = list(order or self.memories)
        self.alignment = _get(target, "min_alignment", default=None) or 16

    def touched(self, op):
        """Inputs, outputs, then what only this operator needs."""
        for names in (("inputs",), ("outputs",), ("local_tensors", "scratch")):
            for thing in _get(op, *names, default=()) or ():
                if thing is not None and _id(thing) in self.tensors:
                    yield _id(thing)

    def kind(self, tensor):
        return _word(_get(tensor, "kind", "role", default="scratch"))

    def size(self, tensor):
        return int(_get(tensor, "size_bytes", "nbytes", "size"))

    def alias(self, tensor):
        alias = _get(tensor, "alias_of", default=None)
        return None if alias is None else _id(alias)

    def memory(self, name):
        """The target's own object for a memory, whatever the spelling."""
        for memory in self.memories:
            if memory == name or _word(memory) == _word(name):
                return memory
        raise ValueError(f"the target has no memory {name!r}")


def _lifetimes(view):
    """Half-open intervals of steps, in order of first use."""
    lives, last = {}, max(1, len(view.operators))
    for i in view.inputs:
        lives[i] = [0, 1]
    for step, op in enumerate(view.operators):
        for i in view.touched(op):
            life = lives.setdefault(i, [step, step + 1])
            life[1] = max(life[1], step + 1)
    for i in view.outputs:
        lives.setdefault(i, [0, last])[1] = last
    changed = True
    while changed:  # aliases share one interval, through any chain
        changed = False
        for i in list(lives):
            root = view.alias(view.tensors[i])
            if root is None:
                continue
            other = lives.setdefault(root, list(lives[i]))
            both = [min(lives[i][0], other[0]), max(lives[i][1], other[1])]
            if lives[i] != both or other != both:
                lives[i], lives[root], changed = list(both), list(both), True
    return lives


# ---- constraints --------------------------------------------------------------

def _budgets(view, constraints):
    budgets = dict(view.memories)
    for c in constraints or ():
        size = _get(c, "max_size", "size")
        if size is not None:
            budgets[view.memory(_get(c, "memory", "name"))] = int(size)
    return budgets


def _attributes(view, tensor, rules):
    """Fields of all rules that match, more specific and later ones on top."""
    matching = []
    for place, rule in enumerate(rules or ()):
        kind, ids = _get(rule, "type", default="*"), _get(rule, "id")
        by_kind = kind not in (None, "*")
        if by_kind and _word(kind) != view.kind(tensor):
            continue
        if ids is not None:
            wanted = [ids] if isinstance(ids, str) else list(ids)
            if str(tensor.id) not in map(str, wanted):
                continue
        matching.append(((ids is not None, by_kind, place), rule))
    found = {}
    for _, rule in sorted(matching, key=lambda m: m[0]):
        fields = _get(rule, "attributes", default={})
        fields = fields if isinstance(fields, dict) else vars(fields)
        found.update({k: v for k, v in fields.items() if v is not None})
    return found


def _align(value, to):
    return (value + to - 1) // to * to


class AshlarPlanner:
    """Plans with Ashlar's packing solver; each arena's bound is proved."""

    NAME = "ashlar"

    def __init__(self, ticks=0):
        self.ticks = ticks

    def plan(self, model, memory_constraints=None, tensor_constraints=None):
        view, plan = _View(model), MemoryPlan()
        budgets = _budgets(view, memory_constraints)
        lives = _lifetimes(view)
        rules = {i: _attributes(view, view.tensors[i], tensor_constraints)
                 for i in lives}
        for role in ("persistent", "constant"):
            self._bump(view, plan, role, lives, rules, budgets)
        self._scratch(view, plan, lives, rules, budgets)
        self._aliases(view, plan, lives)
        return plan

    # What lives always: one behind the other, in order of first use.
    def _bump(self, view, plan, role, lives, rules, budgets):
        arenas = (plan.persistent_arenas if role == "persistent"
                  else plan.constant_arenas)
        for i in lives:
            tensor = view.tensors[i]
            if view.kind(tensor) != role or view.alias(tensor) is not None:
                continue
            source = view.memory(rules[i].get("memory", view.order[0]))
            memory = source
            if role == "constant":
                memory = view.memory(rules[i].get(
                    "constant_destination_memory", source))
            arena = arenas.setdefault(memory, ArenaUsage(
                role, memory, source, 0, 0, view.alignment, 0, "optimal"))
            if arena.source_memory != source:
                raise ValueError(
                    f"constants in {_word(memory)} come from two memories")
            offset = _align(arena.used, view.alignment)
            self._bind(view, plan, i, role, memory, offset, source)
            arena.used = offset + view.size(tensor)
            arena.total_size = arena.lower_bound = arena.used
        for memory, arena in arenas.items():
            budgets[memory] -= arena.used
            if budgets[memory] < 0:
                raise _native.NoFit(30, [
                    f"{_word(memory)}: {role} tensors need {arena.used} bytes, "
                    f"{-budgets[memory]} more than there are"])

    # What comes and goes: the solver, memory by memory in preferred order.
    def _scratch(self, view, plan, lives, rules, budgets):
        waiting = [i for i in lives
                   if view.kind(view.tensors[i]) not in
                   ("persistent", "constant")
                   and view.alias(view.tensors[i]) is None]
        fixed = {}
        for i in waiting:
            if "memory" in rules[i]:
                fixed.setdefault(view.memory(rules[i]["memory"]), []).append(i)
        free = [i for i in waiting if "memory" not in rules[i]]
        memories = view.order + [m for m in fixed if m not in view.order]
        for memory in memories:
            mine = fixed.get(memory, [])
            if mine or free:
                free = self._fill(view, plan, lives, memory, mine, free,
                                  budgets[memory])
        if free:
            raise _native.NoFit(30, [
                f"{len(free)} tensors fit no memory, the largest has "
                f"{max(view.size(view.tensors[i]) for i in free)} bytes"])

    # Everything that fits; what has to go on is returned, largest first.
    def _fill(self, view, plan, lives, memory, mine, free, budget):
        over = sorted(free, key=lambda i: -view.size(view.tensors[i]))
        left = []
        while True:
            chosen = [i for i in lives if i in set(mine) | set(over)]
            if not chosen:
                return left
            rows = [(*lives[i], view.size(view.tensors[i]), view.alignment,
                     None) for i in chosen]
            offsets, height, bound, verdict, _ = _native.place(
                rows, max(budget, 1), True, self.ticks, 0)
            if offsets is not None:
                break
            if not over:
                raise _native.NoFit(30, [
                    f"{_word(memory)}: needs {bound} bytes, has {budget}"])
            left.append(over.pop(0))
        plan.arena_usages[memory] = ArenaUsage(
            "scratch", memory, memory, budget, height, view.alignment, bound,
            verdict)
        for i, offset in zip(chosen, offsets):
            self._bind(view, plan, i, "scratch", memory, offset, memory)
        return left

    def _bind(self, view, plan, i, role, memory, offset, source):
        plan.tensor_allocs[i] = TensorAllocation(
            memory, offset, view.size(view.tensors[i]),
            TensorBinding(role, memory, offset, source))

    def _aliases(self, view, plan, lives):
        for i in lives:
            root = view.alias(view.tensors[i])
            if root is None:
                continue
            while view.alias(view.tensors[root]) is not None:
                root = view.alias(view.tensors[root])
            b = plan.tensor_allocs[root].binding
            self._bind(view, plan, i, b.role, b.memory, b.offset,
                       b.source_memory)
