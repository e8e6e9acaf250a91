"""A planner backend for compilers written in Python.

AshlarPlanner satisfies, by its shape alone, the contract

    plan(model, memory_constraints=None, tensor_constraints=None) -> MemoryPlan

of heliaAOT's PlannerBackend: it inherits from nothing there. What it returns
has arena_usages, persistent_arenas, constant_arenas and tensor_allocs, with a
binding for every tensor. How the model is looked at is models.py.

A memory may be a string or an enumeration's member; it comes back as it was.
"""
import dataclasses
import difflib
import enum
import typing
import warnings

from . import _native
from ._errors import NOFIT, ModelError, NoFit
from .models import (CONSTANT, KINDS, PERSISTENT, SCRATCH, ModelAdapter,
                     View, check_alignment, get, items, word)


class ArenaRole(str, enum.Enum):
    """Equal to its text: ArenaRole.SCRATCH == "scratch"."""
    SCRATCH = "scratch"
    PERSISTENT = "persistent"
    CONSTANT = "constant"

    def __str__(self):
        return self.value


@dataclasses.dataclass(frozen=True)
class TensorBinding:
    role: ArenaRole
    memory: typing.Any
    offset: int
    source_memory: typing.Any

    @property
    def is_staged(self):
        return self.memory != self.source_memory


@dataclasses.dataclass(frozen=True)
class TensorAllocation:
    memory: typing.Any
    offset: int
    size: int
    binding: TensorBinding


@dataclasses.dataclass(frozen=True)
class TensorLifetime:
    """From the step that uses it first to the one that uses it last."""
    first: int
    last: int


@dataclasses.dataclass
class ArenaUsage:
    role: ArenaRole
    memory: typing.Any
    source_memory: typing.Any
    total_size: int
    used: int
    alignment: int
    lower_bound: int
    verdict: str

    @property
    def is_staged(self):
        return self.memory != self.source_memory


@dataclasses.dataclass
class MemoryPlan:
    arena_usages: dict = dataclasses.field(default_factory=dict)
    persistent_arenas: dict = dataclasses.field(default_factory=dict)
    constant_arenas: dict = dataclasses.field(default_factory=dict)
    tensor_allocs: dict = dataclasses.field(default_factory=dict)
    tensor_lifetimes: dict = dataclasses.field(default_factory=dict)

    def arenas(self, role):
        """By memory, of one role."""
        return {SCRATCH: self.arena_usages, PERSISTENT: self.persistent_arenas,
                CONSTANT: self.constant_arenas}[str(role)]

    def allocation(self, tensor):
        """Of a tensor, or of its id; KeyError if the plan has none."""
        return self.tensor_allocs[getattr(tensor, "id", tensor)]

    def lifetime(self, tensor):
        return self.tensor_lifetimes[getattr(tensor, "id", tensor)]

    @property
    def total_size(self):
        """Bytes of writable memory: scratch, persistent and staged constants."""
        arenas = [*self.arena_usages.values(),
                  *self.persistent_arenas.values(),
                  *(a for a in self.constant_arenas.values() if a.is_staged)]
        return sum(a.used for a in arenas)


# ---- constraints --------------------------------------------------------------

def _check_keys(given, known, what):
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ModelError(f"{what} has no key {key!r}{hint}")


def _budgets(target, constraints):
    """Bytes by memory. None: what the target has; the last one counts."""
    budgets = dict(target.bytes)
    if isinstance(constraints, dict):
        constraints = [c if isinstance(c, dict) or hasattr(c, "max_size")
                       else {"memory": m, "max_size": c}
                       for m, c in constraints.items()]
    for c in constraints or ():
        if isinstance(c, dict):
            _check_keys(c, ("memory", "name", "max_size", "size"),
                        "a memory constraint")
        memory = target.memory(get(c, "memory", "name"))
        size = get(c, "max_size", "size")
        most = target.bytes[memory]
        if size is not None and not 0 <= size <= most:
            raise ModelError(f"a budget of {size} bytes for {word(memory)}, "
                             f"which has {most}")
        budgets[memory] = most if size is None else int(size)
    return budgets


FIELDS = ("memory", "constant_destination_memory", "alignment",
          "arena_alignment")


def _fields(rule):
    """What a rule sets; None in it means that it does not."""
    given = get(rule, "attributes")
    if not isinstance(given, dict):
        if dataclasses.is_dataclass(given):
            given = {f.name: getattr(given, f.name)
                     for f in dataclasses.fields(given)}
        else:
            given = dict(vars(given))
    given = {k: v for k, v in given.items() if v is not None}
    _check_keys(given, FIELDS, "a tensor's rule")
    for key in ("alignment", "arena_alignment"):
        if key in given:
            check_alignment(given[key], f"a rule's {key}")
    return given


@dataclasses.dataclass
class _Rule:
    kind: "str | None"
    ids: "list[str] | None"
    fields: dict
    used: bool = False

    def matches(self, tensor):
        return ((self.kind is None or self.kind == tensor.kind) and
                (self.ids is None or str(tensor.id) in self.ids))


def _rules(given):
    """Least specific first, in their order; one with an id beats a kind."""
    rules = []
    for rule in given or ():
        if isinstance(rule, dict):
            _check_keys(rule, ("type", "id", "attributes"), "a rule")
        kind, ids = get(rule, "type", default=None), get(rule, "id",
                                                         default=None)
        rules.append(_Rule(
            None if kind in (None, "*") else KINDS.get(word(kind), word(kind)),
            None if ids is None else [str(i) for i in (
                [ids] if isinstance(ids, int) else items(ids))],
            _fields(rule)))
    return sorted(rules, key=lambda r: (r.ids is not None, r.kind is not None))


def _attributes(tensor, rules):
    """Fields of all rules that match, more specific and later ones on top."""
    found = {}
    for rule in rules:
        if rule.matches(tensor):
            rule.used = True
            found.update(rule.fields)
    return found


def _align(value, to):
    return (value + to - 1) // to * to


# ---- planning -------------------------------------------------------------------

class _Work:
    """One plan under way."""

    def __init__(self, view, constraints, rules, ticks, seed):
        self.view, self.target = view, view.target
        self.ticks, self.seed = ticks, seed
        self.plan = MemoryPlan()
        self.left = _budgets(view.target, constraints)
        known = _rules(rules)
        self.asked = {i: _attributes(t, known) for i, t in view.known.items()}
        for rule in known:
            if not rule.used:
                warnings.warn(f"no tensor matches the rule for "
                              f"{rule.ids or rule.kind or '*'}", stacklevel=4)
        self.tensors = [view.known[i] for i in view.used]
        self.roots = [t for t in self.tensors if t.alias is None]
        self._lift_demands()

    # Storage is placed whole: what one member must have, its root must.
    def _lift_demands(self):
        self.alignment = {}
        for t in self.tensors:
            root, asked = self.view.root(t.id), self.asked[t.id]
            want = max(self.target.alignment, t.alignment or 1,
                       asked.get("alignment", 1))
            self.alignment[root] = max(want, self.alignment.get(root, 1))
            if t.id == root or "memory" not in asked:
                continue
            mine = self.target.memory(asked["memory"])
            first = self.asked[root].setdefault("memory", mine)
            if self.target.memory(first) != mine:
                raise ModelError(
                    f"rules want {t.id!r} in {word(mine)} and {root!r}, whose "
                    f"bytes it shares, in {word(first)}")

    def run(self):
        for role in (PERSISTENT, CONSTANT):
            for t in self.roots:
                if t.kind == role:
                    self._append(t)
        self._scratch()
        self._aliases()
        self._align_arenas()
        _check(self.view, self.plan)
        return self.plan

    def _written(self, memory, tensor):
        """A memory that holds what is written at run time."""
        if memory in self.target.read_only:
            raise ModelError(f"a rule wants {tensor.id!r} in {word(memory)}, "
                             "which is read only while the model runs")
        return memory

    def _home(self, tensor):
        """(memory, source memory) of what lives always."""
        asked = self.asked[tensor.id]
        source = (self.target.memory(asked["memory"]) if "memory" in asked
                  else self._first_with_room(tensor))
        if tensor.kind == PERSISTENT:
            return self._written(source, tensor), source
        memory = self.target.memory(
            asked.get("constant_destination_memory", source))
        return (memory if memory == source
                else self._written(memory, tensor)), source

    def _first_with_room(self, tensor):
        for memory in self.target.order:
            if self.left[memory] >= tensor.size and (
                    tensor.kind == CONSTANT or
                    memory not in self.target.read_only):
                return memory
        raise NoFit(NOFIT, [
            f"{tensor.id!r}: no memory has {tensor.size} bytes left"])

    # What lives always: one after the other, in order of first use.
    def _append(self, tensor):
        memory, source = self._home(tensor)
        arenas = self.plan.arenas(tensor.kind)
        arena = arenas.setdefault(memory, ArenaUsage(
            ArenaRole(tensor.kind), memory, source, 0, 0,
            self.target.alignment, 0, "optimal"))
        if arena.source_memory != source:
            raise ModelError(
                f"constants in {word(memory)} come from two memories, "
                f"{word(arena.source_memory)} and {word(source)}")
        offset = _align(arena.used, self.alignment[tensor.id])
        grown = offset + tensor.size - arena.used
        self._bind(tensor, arena.role, memory, offset, source)
        arena.used = arena.total_size = arena.lower_bound = offset + tensor.size
        for place in dict.fromkeys((memory, source)):  # stored and copied
            self.left[place] -= grown
            if self.left[place] < 0:
                raise NoFit(NOFIT, [
                    f"{word(place)}: {tensor.kind} tensors need "
                    f"{-self.left[place]} bytes more than there are"])

    # What comes and goes: the solver, memory by memory in preferred order.
    def _scratch(self):
        fixed, free = {}, []
        for t in self.roots:
            if t.kind != SCRATCH:
                continue
            if "memory" in self.asked[t.id]:
                memory = self.target.memory(self.asked[t.id]["memory"])
                fixed.setdefault(self._written(memory, t), []).append(t)
            else:
                free.append(t)
        for memory in self.target.order:
            mine = fixed.pop(memory, [])
            if memory not in self.target.read_only and (mine or free):
                free = self._fill(memory, mine, free)
        for memory, mine in fixed.items():
            self._fill(memory, mine, [])
        if free:
            raise NoFit(NOFIT, [
                f"{len(free)} tensors fit no memory, the largest has "
                f"{max(t.size for t in free)} bytes"])

    # Everything that fits; what does not is returned, largest first.
    def _fill(self, memory, mine, free):
        over = sorted(free, key=lambda t: -t.size)
        left, place = [], {t.id: k for k, t in enumerate(self.roots)}
        while True:
            chosen = sorted(mine + over, key=lambda t: place[t.id])
            if not chosen:
                return left
            rows = [(*t.life, t.size, self.alignment[t.id], None)
                    for t in chosen]
            offsets, height, bound, verdict, _ = _native.place(
                rows, max(self.left[memory], 1), True, self.ticks, self.seed)
            if offsets is not None and height <= self.left[memory]:
                break
            if not over:
                raise NoFit(NOFIT, [
                    f"{word(memory)}: needs {bound} bytes, has "
                    f"{self.left[memory]}"])
            left.append(over.pop(0))
        self.plan.arena_usages[memory] = ArenaUsage(
            ArenaRole.SCRATCH, memory, memory, self.left[memory], height,
            self.target.alignment, bound, verdict)
        for t, offset in zip(chosen, offsets):
            self._bind(t, ArenaRole.SCRATCH, memory, offset, memory)
        return left

    def _bind(self, tensor, role, memory, offset, source):
        self.plan.tensor_allocs[tensor.id] = TensorAllocation(
            memory, offset, tensor.size,
            TensorBinding(role, memory, offset, source))
        self.plan.tensor_lifetimes[tensor.id] = TensorLifetime(
            tensor.life[0], tensor.life[1] - 1)

    def _aliases(self):
        for t in self.tensors:
            if t.alias is not None:
                b = self.plan.tensor_allocs[self.view.root(t.id)].binding
                self._bind(t, b.role, b.memory, b.offset, b.source_memory)

    # An arena begins where its most demanding tensor may.
    def _align_arenas(self):
        for t in self.tensors:
            b = self.plan.tensor_allocs[t.id].binding
            arena = self.plan.arenas(b.role)[b.memory]
            arena.alignment = max(
                arena.alignment, self.alignment[self.view.root(t.id)],
                self.asked[t.id].get("arena_alignment", 1))


def _check(view, plan):
    """Independent of the above: is every tensor in its arena, aligned, and
    alone as long as it lives?"""
    groups = {}
    for i, t in view.known.items():
        a = plan.tensor_allocs.get(i)
        if a is None:
            raise ModelError(f"tensor {i!r} has no place")
        arena = plan.arenas(a.binding.role)[a.memory]
        if a.offset + t.size > arena.used:
            raise AssertionError(f"{i!r} ends beyond its arena")
        if t.alignment and (a.offset % t.alignment or
                            arena.alignment % t.alignment):
            raise AssertionError(f"{i!r} is not aligned to {t.alignment}")
        if t.alias is None:
            groups.setdefault((str(a.binding.role), a.memory), []).append(t)
    for (role, _), tensors in groups.items():
        for k, x in enumerate(tensors):
            at = plan.tensor_allocs[x.id].offset
            for y in tensors[:k]:
                alive = role != SCRATCH or (x.life[0] < y.life[1] and
                                            y.life[0] < x.life[1])
                other = plan.tensor_allocs[y.id].offset
                if alive and at < other + y.size and other < at + x.size:
                    raise AssertionError(f"{x.id!r} overlaps {y.id!r}")


class AshlarPlanner:
    """Plans with Ashlar's packing solver; each arena's bound is proved.

    `target` is what has memories (models.Target), or the name of a device;
    without one the model must carry it. `adapter` answers questions about a
    model that spells things otherwise (models.ModelAdapter)."""

    NAME = "ashlar"

    def __init__(self, target=None, *, platform=None, adapter=None, ticks=0,
                 seed=0):
        if adapter is not None and not isinstance(adapter, ModelAdapter):
            raise TypeError("an adapter is a ModelAdapter")
        self.target = platform if target is None else target
        self.adapter = adapter or ModelAdapter()
        self.ticks, self.seed = ticks, seed

    def plan(self, model, memory_constraints=None, tensor_constraints=None):
        view = View(model, self.adapter, self.target)
        return _Work(view, memory_constraints, tensor_constraints, self.ticks,
                     self.seed).run()
