"""Looking at somebody else's model: the adapter, and what planning takes from
it.

The contract of a planner backend names a model and its tensors' ids, and not
how the model spells the rest. ModelAdapter has one method per question; each
tries the usual spellings, and any may be replaced:

    class Mine(ashlar.ModelAdapter):
        def reads(self, operator):
            return operator.args
        def writes(self, operator):
            return operator.results

    ashlar.AshlarPlanner(target, adapter=Mine()).plan(model)

What cannot be seen is an error, never a tensor less in the plan: an operator
whose tensors are not found, a tensor that is read and never written, a size or
a kind that is not known, a tensor that the model lists and nobody uses.
"""
import collections.abc
import dataclasses
import math
import numbers

from . import _native
from ._errors import ModelError

SCRATCH, PERSISTENT, CONSTANT = "scratch", "persistent", "constant"
KINDS = {"scratch": SCRATCH, "activation": SCRATCH, "input": SCRATCH,
         "output": SCRATCH, "temporary": SCRATCH, "work": SCRATCH,
         "persistent": PERSISTENT, "variable": PERSISTENT, "state": PERSISTENT,
         "constant": CONSTANT, "const": CONSTANT, "weight": CONSTANT,
         "parameter": CONSTANT}
# Memories that only have a name: these cannot be written at run time.
READ_ONLY_NAMES = ("mram", "nvm", "flash", "rom", "xip")
_MISSING = object()


def get(thing, *names, default=_MISSING):
    """The first of the attributes, keys or methods that `thing` has."""
    for name in names:
        value = _MISSING
        if isinstance(thing, collections.abc.Mapping):
            value = thing.get(name, _MISSING)
        elif hasattr(thing, name):
            value = getattr(thing, name)
            value = value() if callable(value) else value
        if value is not _MISSING:
            return value
    if default is _MISSING:
        raise ModelError(f"{describe(thing)} has none of {', '.join(names)}: "
                         "give an adapter (ashlar.ModelAdapter)")
    return default


def items(value):
    """The values of a mapping, or of any collection; nothing for None."""
    if value is None:
        return []
    if isinstance(value, collections.abc.Mapping):
        return list(value.values())
    if isinstance(value, (str, bytes)):
        return [value]
    return list(value)


def word(value):
    """The name of an enumeration's member, or the text itself; small."""
    return str(getattr(value, "name", value)).lower()


def describe(thing):
    named = [getattr(thing, n, None) for n in ("id", "name")]
    label = next((str(n) for n in named if n is not None), "")
    return f"{type(thing).__name__} {label}".strip()


class ModelAdapter:
    """How a model answers what planning must know. Tensors may be given as
    objects or as ids wherever a method returns some."""

    def tensors(self, model):
        return items(get(model, "tensors", "all_tensors"))

    def operators(self, model):
        """In the order of execution."""
        return items(get(model, "operators", "ops", "nodes", "layers"))

    def inputs(self, model):
        return items(get(model, "inputs", "input_ids", "input_tensors",
                         "graph_inputs"))

    def outputs(self, model):
        return items(get(model, "outputs", "output_ids", "output_tensors",
                         "graph_outputs"))

    def target(self, model):
        """Used when the planner was made without one; None: there is none."""
        return get(model, "target", "platform", default=None)

    def reads(self, operator):
        return items(get(operator, "inputs", "input_ids", "input_tensors"))

    def writes(self, operator):
        return items(get(operator, "outputs", "output_ids", "output_tensors"))

    def local(self, operator):
        """What only this operator needs, while it runs."""
        return items(get(operator, "local_tensors", "local_ids",
                         "scratch_tensors", "intermediates", "scratch",
                         default=()))

    def tensor_id(self, tensor):
        return get(tensor, "id", "tensor_id")

    def kind(self, tensor):
        """scratch, persistent or constant, or a word that means one."""
        if get(tensor, "is_constant", default=False) is True:
            return CONSTANT
        for name in ("is_persistent", "is_variable"):
            if get(tensor, name, default=False) is True:
                return PERSISTENT
        return get(tensor, "kind", "role", "tensor_kind", default=SCRATCH)

    def size(self, tensor):
        """In bytes."""
        size = get(tensor, "size_bytes", "nbytes", "num_bytes", "byte_size",
                   default=None)
        if size is not None:
            return size
        shape = get(tensor, "shape", default=None)
        element = get(get(tensor, "dtype", default=None), "itemsize",
                      default=None)
        if shape is not None and element is not None:
            return math.prod(int(n) for n in shape) * int(element)
        return get(tensor, "size")

    def alias(self, tensor):
        """The tensor whose bytes it shares, or None."""
        return get(tensor, "alias_of", "alias", "alias_id", default=None)

    def alignment(self, tensor):
        """Asked for, in bytes, or None."""
        return get(tensor, "alignment", "min_alignment", default=None)


# ---- the target ---------------------------------------------------------------

class Target:
    """Memories with sizes, which of them are written at run time, in which
    order they are tried. From an object or a dictionary with `memories`
    ({memory: bytes}, or memories with a name and a size), or from a device of
    the library by name."""

    def __init__(self, given):
        if given is None:
            raise ModelError("no target: the model carries none, give one to "
                             "the constructor, AshlarPlanner(target)")
        given = _native.device(given) if isinstance(given, str) else given
        found = get(given, "memories")
        if isinstance(found, collections.abc.Mapping):
            self.bytes = {m: self._bytes(v) for m, v in found.items()}
        else:
            self.bytes = {get(m, "name"): self._bytes(m) for m in found}
            found = {get(m, "name"): m for m in found}
        if not self.bytes:
            raise ModelError("the target has no memories")
        closed = {word(m) for m in get(given, "read_only", default=())}
        self.read_only = {m for m in self.bytes
                          if word(m) in closed or
                          not self._is_written(m, found[m])}
        order = get(given, "preferred_memory_order", "order", default=None)
        self.order = [self.memory(m) for m in order or self.bytes]
        alignment = get(given, "min_alignment", "alignment", default=None)
        self.alignment = 16 if alignment is None else alignment
        check_alignment(self.alignment, "the target")

    @staticmethod
    def _bytes(value):
        if isinstance(value, numbers.Integral):
            size = int(value)
        else:
            size = get(value, "size", "bytes", "size_bytes", "max_size")
        if size < 0:
            raise ModelError(f"a memory of {size} bytes")
        return size

    @staticmethod
    def _is_written(memory, value):
        for thing in (memory, value):
            for name in ("writeable", "writable"):
                said = get(thing, name, default=None)
                if isinstance(said, bool):
                    return said
            if word(get(thing, "kind", default="")) in READ_ONLY_NAMES:
                return False
        return word(memory) not in READ_ONLY_NAMES

    def memory(self, name):
        """The target's own object for a memory, whatever the spelling."""
        for memory in self.bytes:
            if memory == name or word(memory) == word(name):
                return memory
        known = ", ".join(word(m) for m in self.bytes)
        raise ModelError(f"the target has no memory {word(name)!r}; it has "
                         f"{known}")


def check_alignment(value, who):
    if not isinstance(value, numbers.Integral) or value < 1 or value & (value - 1):
        raise ModelError(f"{who}: an alignment of {value}; it must be a power "
                         "of two")


# ---- what planning takes from a model -------------------------------------------

@dataclasses.dataclass
class Tensor:
    id: object
    kind: str
    size: int
    alias: object      # id or None
    alignment: "int | None"
    life: "list[int] | None" = None  # half open, in steps
    written: bool = False


class View:
    """A model, looked at once: tensors by id in order of first use, lives."""

    def __init__(self, model, adapter, target=None):
        self.adapter = adapter
        self.target = Target(adapter.target(model) if target is None
                             else target)
        self.known = {}
        for thing in adapter.tensors(model):
            self._add(adapter.tensor_id(thing), thing)
        self.used = []  # ids in order of first use
        steps = adapter.operators(model)
        self._start(adapter.inputs(model))
        for step, operator in enumerate(steps):
            self._step(step, operator)
        self._end(adapter.outputs(model), max(1, len(steps)))
        self._check_used()
        self._merge_aliases()

    def _add(self, tensor_id, thing):
        if tensor_id in self.known:
            raise ModelError(f"two tensors have the id {tensor_id!r}")
        said = word(self.adapter.kind(thing))
        if said not in KINDS:
            raise ModelError(f"tensor {tensor_id!r} is of kind {said!r}; "
                             "scratch, persistent and constant are known")
        size = self.adapter.size(thing)
        if size is None or int(size) != size or size < 0:
            raise ModelError(f"tensor {tensor_id!r} has {size!r} bytes")
        alias = self.adapter.alias(thing)
        alignment = self.adapter.alignment(thing)
        if alignment is not None:
            check_alignment(alignment, f"tensor {tensor_id!r}")
        self.known[tensor_id] = Tensor(
            tensor_id, KINDS[said], int(size),
            None if alias is None else self._id(alias), alignment)

    def _id(self, thing):
        """Of an id or a tensor. A tensor that the list lacks is added."""
        try:
            if thing in self.known:
                return thing
        except TypeError:  # not hashable: no id
            pass
        if isinstance(thing, (str, numbers.Integral)):
            return thing
        tensor_id = self.adapter.tensor_id(thing)
        if tensor_id not in self.known:
            self._add(tensor_id, thing)
        return tensor_id

    def _find(self, thing, who):
        """The tensor, None for an optional one that is not there."""
        if thing is None or (isinstance(thing, numbers.Integral) and thing < 0) or \
                (isinstance(thing, str) and thing == ""):
            return None
        tensor_id = self._id(thing)
        if tensor_id not in self.known:
            raise ModelError(f"{who} names tensor {tensor_id!r}, which the "
                             "model does not have")
        return self.known[tensor_id]

    def _touch(self, tensor, step):
        if tensor.life is None:
            tensor.life = [step, step + 1]
            self.used.append(tensor.id)
        tensor.life[1] = max(tensor.life[1], step + 1)

    def _start(self, inputs):
        for thing in inputs:
            tensor = self._find(thing, "the list of inputs")
            if tensor:
                tensor.written = True
                self._touch(tensor, 0)

    def _step(self, step, operator):
        who = f"operator {step} ({describe(operator)})"
        reads = self.adapter.reads(operator)
        writes = self.adapter.writes(operator)
        if not reads and not writes:
            raise ModelError(f"{who} names no tensors")
        for thing in reads:
            tensor = self._find(thing, who)
            if not tensor:
                continue
            self._check_written(tensor, who)
            self._touch(tensor, step)
        for thing in [*writes, *self.adapter.local(operator)]:
            tensor = self._find(thing, who)
            if tensor:
                tensor.written = True
                self._touch(tensor, step)

    def _check_written(self, tensor, who):
        if tensor.kind == SCRATCH and not tensor.written and \
                tensor.alias is None:
            raise ModelError(
                f"{who} reads tensor {tensor.id!r}, which is no input and which "
                "nobody wrote: if operators spell their results otherwise, "
                "give an adapter (ashlar.ModelAdapter)")

    def _end(self, outputs, last):
        found = [self._find(thing, "the list of outputs") for thing in outputs]
        if not any(found):
            raise ModelError("the model names no outputs")
        for tensor in filter(None, found):
            if tensor.life is None:
                self._check_written(tensor, "the list of outputs")
                self._touch(tensor, 0)
            tensor.life[1] = last

    # Constants and states have their place even if nobody looks at them.
    def _check_used(self):
        lost = []
        for tensor in list(self.known.values()):
            if tensor.life is not None:
                continue
            if self._is_root(tensor.id):
                self.used.append(tensor.id)  # lives as long as its aliases
            elif tensor.kind == SCRATCH:
                lost.append(repr(tensor.id))
            else:
                self._touch(tensor, 0)
        if lost:
            raise ModelError(
                f"no operator names {', '.join(lost[:5])}"
                f"{' ...' if len(lost) > 5 else ''}, which the model lists: "
                "they would get no place; an adapter may leave them out of "
                "tensors()")

    def _is_root(self, tensor_id):
        return any(t.alias == tensor_id for t in self.known.values())

    def root(self, tensor_id):
        """The end of the chain of aliases."""
        seen = [tensor_id]
        while self.known[seen[-1]].alias is not None:
            nearest = self.known[seen[-1]].alias
            if nearest not in self.known:
                raise ModelError(f"tensor {seen[-1]!r} shares the bytes of "
                                 f"{nearest!r}, which the model does not have")
            if nearest in seen:
                chain = [*seen[seen.index(nearest):], nearest]
                raise ModelError("tensors share each other's bytes in a "
                                 f"circle: {' -> '.join(map(str, chain))}")
            seen.append(nearest)
        return seen[-1]

    # All that share bytes live as long as any of them.
    def _merge_aliases(self):
        for tensor in list(self.known.values()):
            root = self.known[self.root(tensor.id)]
            if tensor.size > root.size:
                raise ModelError(
                    f"tensor {tensor.id!r} has {tensor.size} bytes and shares "
                    f"those of {root.id!r}, which has {root.size}")
            if tensor.life is None:
                continue
            life = root.life or tensor.life
            root.life = [min(life[0], tensor.life[0]),
                         max(life[1], tensor.life[1])]
        for tensor in self.known.values():
            tensor.life = list(self.known[self.root(tensor.id)].life)
