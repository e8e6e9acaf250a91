"""Random ONNX models of one operator each, for random-models. A family is a
name and a function that fills a Case; all its choices come from the case's
generator, so a seed and a number are a model.
"""
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "make"))

import onnx_definitions as definition  # noqa: E402
import onnx_writer  # noqa: E402
import random_detect  # noqa: E402
import random_fused  # noqa: E402
import random_ml  # noqa: E402
import random_nets  # noqa: E402
import random_rest  # noqa: E402

CASES = 3  # inputs of a model: two of random values, one of small integers
FLOAT = ("float32",) * 4 + ("float16", "float64")
SIGNED = ("float32", "float32", "int32", "int64")
NUMBERS = SIGNED + ("int8", "uint8", "float16")
MOVED = ("float32", "int8", "uint8", "int32", "int64", "bool", "float16")


class Case:
    def __init__(self, rng):
        self.rng, self.opset = rng, 18
        self.g = onnx_writer.Graph("case")
        self.inputs = {}
        self.judge = None   # the definition: inputs by name -> outputs
        self.slack = 0      # integers may be that far from the definition
        self.room = 1       # floats have that many times the usual tolerance
        self.near = 0       # integers may be that far from the oracle
        self.ml_opset = 1   # of ai.onnx.ml
        self.functions = ()  # of the model
        self.filled = {}    # outputs that -1 fills up to this shape
        self.traits = ""    # what is particular about the model

    def one(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def often(self, p=0.5):
        return bool(self.rng.random() < p)

    def int(self, low, high):
        """Both ends included."""
        return int(self.rng.integers(low, high + 1))

    def shape(self, rank, low=1, high=5):
        return tuple(self.int(low, high) for _ in range(rank))

    def values(self, shape, dtype, kind="random"):
        dtype, rng = np.dtype(dtype), self.rng
        if dtype == np.bool_:
            return rng.integers(0, 2, shape).astype(dtype)
        if dtype.kind == "f":
            if kind == "small":
                return rng.integers(-3, 4, shape).astype(dtype)
            return (rng.standard_normal(shape) * 2).astype(dtype)
        info = np.iinfo(dtype)
        span = 4 if kind == "small" else 120
        return rng.integers(max(info.min, -span), min(info.max, span) + 1,
                            shape).astype(dtype)

    def input(self, shape, dtype="float32", change=None):
        """An input; `change` is applied to its values."""
        name = f"x{len(self.inputs)}"
        self.g.input(name, dtype, shape)
        stack = [self.values(shape, dtype, kind)
                 for kind in ("random", "random", "small")]
        values = np.stack(stack)
        if change:
            values = change(values).astype(dtype)
        self.inputs[name] = values
        return name

    def constant(self, values, dtype=None):
        return self.g.constant(np.asarray(values, dtype))

    def operand(self, shape, dtype="float32", change=None, constant=0.3):
        if not self.inputs or not self.often(constant):
            return self.input(shape, dtype, change)
        values = self.values(shape, dtype)
        return self.constant(change(values) if change else values, dtype)

    def node(self, op, inputs, types, domain="", **attributes):
        """A type of None: this output is not wanted."""
        outs = [f"y{k}" if t else "" for k, t in enumerate(types)]
        self.g.node(op, inputs, outs, domain, **attributes)
        for name, dtype in zip(outs, types):
            if name:
                self.g.output(name, dtype, None)
        self.traits = traits(op, attributes, types)

    def broadcast(self, rank=None):
        """Two shapes that can be broadcast."""
        whole = self.shape(self.int(0, 4) if rank is None else rank)
        def part():
            s = [n if self.often(0.75) else 1 for n in whole]
            return tuple(s[self.int(0, len(s)) if self.often(0.3) else 0:])
        return part(), part()


def traits(op, a, types):
    """The attributes that oracles are known to disagree about."""
    found = []
    if a.get("auto_pad", "NOTSET").startswith("SAME"):
        found.append("SAME")
    if max(a.get("dilations", [1])) > 1:
        found.append("dilation")
    found += [k for k in ("output_shape", "output_padding", "ceil_mode",
                          "count_include_pad", "exclude_outside") if a.get(k)]
    if op == "Resize":
        found += [a["mode"], a["coordinate_transformation_mode"], types[0]]
    return " ".join([op] + found)


# ---- element by element ----------------------------------------------------

def positive(v):
    return np.abs(v) + np.asarray(0.1, v.dtype)


def unit(v):
    return np.tanh(v.astype(np.float64)) * 0.99


def above_one(v):
    return np.abs(v) + 1


def not_zero(v):
    return np.where(v == 0, np.ones_like(v), v)


def unary(op, dtypes=FLOAT, change=None, opset=18, out=None, **attributes):
    def build(c):
        dtype = c.one(*dtypes)
        c.opset = opset
        shape = c.shape(c.int(0, 4))
        chosen = {k: float(c.rng.uniform(*v)) for k, v in attributes.items()
                  if c.often(0.7)}
        c.node(op, [c.input(shape, dtype, change)], [out or dtype], **chosen)
    return op, build


def gelu(c):
    c.opset = 20
    c.node("Gelu", [c.input(c.shape(3))], ["float32"],
           approximate=c.one("none", "tanh"))


def is_odd(op):
    """IsNaN and IsInf of values that are."""
    def build(c):
        c.opset = 20
        pool = np.array([0, 1, -1, np.inf, -np.inf, np.nan])
        def change(v):
            return c.rng.choice(pool, v.shape)
        more = {}
        if op == "IsInf":
            more = c.one({}, {"detect_negative": 0}, {"detect_positive": 0})
        c.node(op, [c.input(c.shape(2), c.one("float32", "float64"), change)],
               ["bool"], **more)
    return op, build


def binary(op, dtypes=NUMBERS, change=None, out=None, left=None):
    def build(c):
        dtype = c.one(*dtypes)
        a, b = c.broadcast()
        x = c.input(a, dtype, left)
        c.node(op, [x, c.operand(b, dtype, change)], [out or dtype])
    return op, build


def power(c):
    dtype = c.one("float32", "float32", "int32")
    a, b = c.broadcast()
    if dtype == "int32":
        x = c.input(a, dtype, lambda v: v % 7)
        c.node("Pow", [x, c.operand(b, dtype, lambda v: np.abs(v) % 5)],
               [dtype])
    else:
        x = c.input(a, dtype, positive)
        c.node("Pow", [x, c.operand(b, dtype, lambda v: v * 0.5)], [dtype])


def modulo(c):
    fmod = c.int(0, 1)
    dtype = "float32" if fmod and c.often() else c.one("int32", "int64", "int8",
                                                       "uint8")
    a, b = c.broadcast()
    x = c.input(a, dtype)
    c.node("Mod", [x, c.operand(b, dtype, not_zero)], [dtype], fmod=fmod)


def bit_shift(c):
    dtype = c.one("uint8", "uint32", "uint64")
    a, b = c.broadcast()
    x = c.input(a, dtype)
    c.node("BitShift", [x, c.operand(b, dtype, lambda v: v % 8)], [dtype],
           direction=c.one("LEFT", "RIGHT"))


def several(op, dtypes=("float32", "float64", "int32", "float16")):
    def build(c):
        dtype = c.one(*dtypes)
        a, b = c.broadcast()
        names = [c.input(a, dtype)]
        for k in range(c.int(0, 2)):
            names.append(c.operand(b if k else a, dtype))
        c.node(op, names, [dtype])
    return op, build


def where(c):
    dtype = c.one(*MOVED[:6])
    a, b = c.broadcast(c.int(1, 3))
    condition = c.input(a, "bool")
    c.node("Where", [condition, c.input(b, dtype), c.operand(b, dtype)],
           [dtype])


def clip(c):
    dtype = c.one("float32", "float32", "int32", "int8", "uint8", "int64")
    bounds = [c.constant(v, dtype) if c.often(0.8) else ""
              for v in (c.int(0, 3) if dtype[0] == "u" else c.int(-5, 0),
                        c.int(3, 60))]
    c.node("Clip", [c.input(c.shape(2), dtype)] + bounds, [dtype])


def prelu(c):
    shape = c.shape(4)
    slope = tuple(n if c.often() else 1 for n in shape[c.int(0, 3):])
    x = c.input(shape)
    c.node("PRelu", [x, c.operand(slope)], ["float32"])


def cast(c):
    pairs = [("float32", "int32"), ("float32", "float16"), ("int8", "float32"),
             ("uint8", "int32"), ("int64", "int32"), ("int32", "uint8"),
             ("bool", "float32"), ("float32", "bool"), ("float64", "float32"),
             ("int32", "int8"), ("float16", "float64"), ("uint8", "int8")]
    a, b = c.one(*pairs)
    c.node("Cast", [c.input(c.shape(3), a)], [b], to=onnx_writer.TYPES[b])


# ---- windows ---------------------------------------------------------------

def window(c, axes, kernel, same=True):
    a = {"strides": [c.int(1, 3) for _ in range(axes)]}
    if c.often(0.4):
        a["dilations"] = [c.int(1, 3) for _ in range(axes)]
    reach = [(k - 1) * d + 1 for k, d in
             zip(kernel, a.get("dilations", [1] * axes))]
    auto = c.one("NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    if auto == "NOTSET" and c.often(0.7):
        a["pads"] = [c.int(0, k - 1) for k in kernel + kernel]
    elif auto != "NOTSET" and same:
        a["auto_pad"] = auto
    size = [c.int(r, r + 6) for r in reach]
    return a, size


def conv(c):
    axes = c.one(1, 2, 2, 2, 3)
    kernel = [c.int(1, 3) for _ in range(axes)]
    a, size = window(c, axes, kernel)
    groups = c.one(1, 1, 2, 3)
    ins, outs = groups * c.int(1, 3), groups * c.int(1, 3)
    dtype = "float32"
    a["group"] = groups
    if c.often():
        a["kernel_shape"] = kernel
    names = [c.input((c.int(1, 2), ins, *size), dtype),
             c.constant(c.values((outs, ins // groups, *kernel), dtype))]
    if c.often():
        names.append(c.constant(c.values((outs,), dtype)))
    c.node("Conv", names, [dtype], **a)


def conv_transpose(c):
    axes = c.one(1, 2, 2, 3)
    kernel = [c.int(1, 4) for _ in range(axes)]
    groups = c.one(1, 1, 2)
    ins, outs = groups * c.int(1, 2), c.int(1, 3)
    size = [c.int(1, 5) for _ in range(axes)]
    a = {"strides": [c.int(1, 3) for _ in range(axes)], "group": groups}
    if c.often(0.3):
        a["dilations"] = [c.int(1, 2) for _ in range(axes)]
    if c.often(0.3):
        a["output_padding"] = [c.int(0, max(s - 1, 0)) for s in a["strides"]]
    whole = [s * (n - 1) + (k - 1) * d + 1 for s, n, k, d in zip(
        a["strides"], size, kernel, a.get("dilations", [1] * axes))]
    how = c.int(0, 4)
    if how == 0:
        a["auto_pad"] = c.one("SAME_UPPER", "SAME_LOWER")
    elif how <= 2:
        a["output_shape"] = [max(1, w - c.int(0, 3)) for w in whole]
        if c.often(0.5):
            a["auto_pad"] = c.one("SAME_UPPER", "SAME_LOWER")
    elif how == 3:
        a["pads"] = [c.int(0, min(k - 1, (w - 1) // 2))
                     for k, w in zip(kernel + kernel, whole + whole)]
    w = c.values((ins, outs, *kernel), "float32")
    x = c.input((c.int(1, 2), ins, *size))
    names, bias = [x, c.constant(w)], None
    if c.often():
        bias = c.values((outs * groups,), "float32")
        names.append(c.constant(bias))
    c.node("ConvTranspose", names, ["float32"], **a)
    c.judge = lambda v: [definition.conv_transpose(a, v[x], w, bias)]


def pool(op, judge, dtypes=("float32",), **more):
    def build(c):
        axes = c.one(1, 2, 2, 2, 3)
        kernel = [c.int(1, 4) for _ in range(axes)]
        a, size = window(c, axes, kernel)
        a["kernel_shape"] = kernel
        c.opset = 19 if op == "AveragePool" else 18
        for key, highest in more.items():
            if c.often():
                a[key] = c.int(1 if key == "p" else 0, highest)
        dtype = c.one(*dtypes)
        x = c.input((c.int(1, 2), c.int(1, 3), *size), dtype)
        c.node(op, [x], [dtype], **a)
        c.judge = lambda v: [judge(a, v[x])]
    return op, build


def pool_places(c):
    kernel = [c.int(1, 3), c.int(1, 3)]
    a, size = window(c, 2, kernel)
    a.update(kernel_shape=kernel, storage_order=c.int(0, 1))
    x = c.input((c.int(1, 2), c.int(1, 3), *size), "float32",
                lambda v: v + np.linspace(0, 1e-2, v[0].size).reshape(
                    v.shape[1:]))
    c.node("MaxPool", [x], ["float32", "int64"], **a)
    c.judge = lambda v: [definition.max_pool(a, v[x]),
                         definition.max_places(a, v[x])]


def global_pool(op):
    def build(c):
        c.node(op, [c.input(c.shape(c.int(3, 5), 1, 4))], ["float32"])
    return op, build


# ---- sums ------------------------------------------------------------------

def axes_of(c, rank):
    chosen = [k for k in range(rank) if c.often()]
    return [k - rank if c.often(0.3) else k for k in chosen]


def reduce(op, dtypes=("float32", "float32", "float64", "int32", "int64"),
           change=None):
    def build(c):
        dtype = c.one(*dtypes)
        shape = c.shape(c.int(1, 4))
        axes, keep = axes_of(c, len(shape)), c.int(0, 1)
        a = {"keepdims": keep}
        names = [c.input(shape, dtype, change)]
        if axes or c.often():
            names.append(c.constant(axes, np.int64))
            a["noop_with_empty_axes"] = c.int(0, 1)
        c.node(op, names, [dtype], **a)
        where = tuple(axes) or (() if a.get("noop_with_empty_axes") else None)
        if op == "ReduceProd":
            x = names[0]
            c.judge = lambda v: [definition.product(v[x], where, bool(keep))]
    return op, build


def arg(op):
    def build(c):
        rank = c.int(1, 4)
        dtype = c.one("float32", "int32", "int8", "uint8")
        c.node(op, [c.input(c.shape(rank), dtype)], ["int64"],
               axis=c.int(-rank, rank - 1), keepdims=c.int(0, 1),
               select_last_index=c.int(0, 1))
    return op, build


def cumsum(c):
    rank = c.int(1, 3)
    dtype = c.one("float32", "int32", "int64", "float64")
    axis = c.constant(np.array(c.int(-rank, rank - 1), np.int64))
    c.node("CumSum", [c.input(c.shape(rank), dtype), axis], [dtype],
           exclusive=c.int(0, 1), reverse=c.int(0, 1))


def top_k(c):
    rank = c.int(1, 3)
    shape, dtype = c.shape(rank, 2, 6), c.one("float32", "int32", "int64")
    axis = c.int(-rank, rank - 1)
    k = c.constant([c.int(1, shape[axis])], np.int64)
    c.node("TopK", [c.input(shape, dtype), k], [dtype, "int64"], axis=axis,
           largest=c.int(0, 1), sorted=1)


# ---- moves -----------------------------------------------------------------

def reshape(c):
    shape = c.shape(c.int(1, 4), 1, 4)
    order = list(shape)
    c.rng.shuffle(order)
    to = [int(n) for n in order]
    if c.often() and to:
        to[c.int(0, len(to) - 1)] = -1
    elif c.often():
        to = [0] + [int(np.prod(shape[1:]))]
    dtype = c.one(*MOVED)
    c.node("Reshape", [c.input(shape, dtype), c.constant(to, np.int64)],
           [dtype])


def flatten(c):
    rank, dtype = c.int(1, 4), c.one(*MOVED)
    c.node("Flatten", [c.input(c.shape(rank), dtype)], [dtype],
           axis=c.int(-rank, rank))


def squeeze(c):
    shape = tuple(1 if c.often() else c.int(2, 4) for _ in range(c.int(1, 5)))
    ones = [k for k, n in enumerate(shape) if n == 1 and c.often(0.7)]
    names = [c.input(shape)]
    if ones:
        names.append(c.constant([k - len(shape) if c.often() else k
                                 for k in ones], np.int64))
    c.node("Squeeze", names, ["float32"])


def unsqueeze(c):
    shape, more = c.shape(c.int(0, 3)), c.int(1, 2)
    rank = len(shape) + more
    axes = sorted(int(k) for k in c.rng.choice(rank, more, replace=False))
    axes = [k - rank if c.often(0.3) else k for k in axes]
    c.node("Unsqueeze", [c.input(shape), c.constant(axes, np.int64)],
           ["float32"])


def transpose(c):
    rank, dtype = c.int(1, 5), c.one(*MOVED)
    a = {"perm": [int(k) for k in c.rng.permutation(rank)]}
    c.node("Transpose", [c.input(c.shape(rank, 1, 4), dtype)], [dtype],
           **(a if c.often(0.8) else {}))


def expand(c):
    dtype, (a, b) = c.one(*MOVED), c.broadcast(c.int(1, 4))
    c.node("Expand", [c.input(a, dtype), c.constant(b, np.int64)], [dtype])


def slice_(c):
    rank, dtype = c.int(1, 4), c.one(*MOVED)
    shape = c.shape(rank, 2, 6)
    axes = [k for k in range(rank) if c.often(0.7)] or [0]
    starts, ends, steps = [], [], []
    for k in axes:
        n, step = shape[k], c.one(1, 1, 2, 3, -1, -2)
        first, last = c.int(0, n - 1), c.int(0, n - 1)
        first, last = ((max(first, last), min(first, last) - 1) if step < 0
                       else (min(first, last), max(first, last) + 1))
        if step < 0 and last < 0:
            last = -n - 1
        elif c.often(0.3) and step > 0:
            last = c.one(last - n, 10 ** 6) if last < n else 2 ** 31 - 1
        starts.append(first - n if c.often(0.3) else first)
        ends.append(last)
        steps.append(step)
    lists = [starts, ends, [k - rank if c.often(0.3) else k for k in axes],
             steps]
    c.node("Slice", [c.input(shape, dtype)]
           + [c.constant(v, np.int64) for v in lists], [dtype])


def split(c):
    rank, dtype = c.int(1, 3), c.one(*MOVED)
    axis, parts = c.int(-rank, rank - 1), [c.int(1, 3) for _ in range(3)]
    shape = list(c.shape(rank))
    shape[axis] = sum(parts)
    x, a = c.input(shape, dtype), {"axis": axis}
    names = [x, c.constant(parts, np.int64)]
    if c.often(0.4):
        names, a["num_outputs"] = [x], 2
    c.node("Split", names, [dtype] * (len(parts) if len(names) > 1 else 2),
           **a)


def concat(c):
    rank, dtype = c.int(1, 4), c.one(*MOVED)
    axis, shape = c.int(-rank, rank - 1), c.shape(rank, 1, 4)
    names = []
    for _ in range(c.int(1, 4)):
        part = list(shape)
        part[axis] = c.int(1, 4)
        names.append(c.operand(tuple(part), dtype))
    c.node("Concat", names, [dtype], axis=axis)


def tile(c):
    rank, dtype = c.int(1, 4), c.one(*MOVED)
    times = [c.int(1, 3) for _ in range(rank)]
    c.node("Tile", [c.input(c.shape(rank, 1, 4), dtype),
                    c.constant(times, np.int64)], [dtype])


def pad(c):
    rank, dtype = c.int(1, 4), c.one("float32", "int8", "int32", "uint8")
    mode = c.one("constant", "constant", "reflect", "edge", "wrap")
    shape = c.shape(rank, 3, 5)
    low = -1 if mode == "constant" else 0
    pads = [c.int(low, 2) for _ in range(2 * rank)]
    names = [c.input(shape, dtype), c.constant(pads, np.int64)]
    c.opset = 19
    if mode == "constant" and c.often():
        names.append(c.constant(np.array(c.int(0, 9), dtype)))
    c.node("Pad", names, [dtype], mode=mode)


def gather(c):
    rank, dtype = c.int(1, 4), c.one(*MOVED)
    axis, shape = c.int(-rank, rank - 1), c.shape(rank)
    index = c.rng.integers(-shape[axis], shape[axis], c.shape(c.int(0, 2)))
    c.node("Gather", [c.input(shape, dtype), c.constant(
        index, c.one(np.int64, np.int32))], [dtype], axis=axis)


def gather_elements(c):
    rank, dtype = c.int(1, 3), c.one(*MOVED)
    axis, shape = c.int(-rank, rank - 1), c.shape(rank, 2, 5)
    to = tuple(c.int(1, n) for n in shape)
    index = c.rng.integers(-shape[axis], shape[axis], to)
    c.node("GatherElements", [c.input(shape, dtype),
                              c.constant(index, np.int64)], [dtype], axis=axis)


def gather_nd(c):
    rank, dtype = c.int(2, 4), c.one(*MOVED)
    batch = c.int(0, 1)
    shape = c.shape(rank, 2, 4)
    depth = c.int(1, rank - batch)
    lead = shape[:batch] + c.shape(c.int(1, 2), 1, 3)
    index = np.stack([c.rng.integers(-n, n, lead) for n in
                      shape[batch:batch + depth]], -1)
    c.node("GatherND", [c.input(shape, dtype), c.constant(index, np.int64)],
           [dtype], batch_dims=batch)


def scatter_elements(c):
    rank = c.int(1, 3)
    dtype = c.one("float32", "int32", "int64")
    axis, shape = c.int(-rank, rank - 1), c.shape(rank, 2, 5)
    how = c.one("none", "add", "mul", "max", "min")
    to = list(c.int(1, n) for n in shape)
    if how == "none":  # each place once, along the axis
        order = np.argsort(c.rng.random(shape), axis)
        index = order[tuple(slice(n) for n in to)]
    else:
        index = c.rng.integers(0, shape[axis], to)
    x = c.input(shape, dtype)
    updates = c.input(index.shape, dtype)
    c.node("ScatterElements", [x, c.constant(index, np.int64), updates],
           [dtype], axis=axis, reduction=how)


def scatter_nd(c):
    rank = c.int(1, 3)
    dtype, shape = c.one("float32", "int32", "int64"), c.shape(rank, 2, 4)
    depth, how = c.int(1, rank), c.one("none", "add", "mul", "max", "min")
    places = int(np.prod(shape[:depth]))
    count = c.int(1, places)
    chosen = (c.rng.choice(places, count, replace=False) if how == "none"
              else c.rng.integers(0, places, count))
    index = np.stack(np.unravel_index(chosen, shape[:depth]), -1)
    x = c.input(shape, dtype)
    updates = c.input((count,) + shape[depth:], dtype)
    c.node("ScatterND", [x, c.constant(index, np.int64), updates], [dtype],
           reduction=how)


def compress(c):
    shape = c.shape(c.int(1, 3), 2, 5)
    a = {"axis": c.int(-len(shape), len(shape) - 1)} if c.often(0.7) else {}
    n = shape[a["axis"]] if a else int(np.prod(shape))
    keep = c.rng.integers(0, 2, n).astype(bool)
    keep[c.int(0, n - 1)] = True
    c.node("Compress", [c.input(shape), c.constant(keep)], ["float32"], **a)


def reverse_sequence(c):
    shape = c.shape(3, 2, 5)
    batch = c.int(0, 1)
    lengths = [c.int(1, shape[1 - batch]) for _ in range(shape[batch])]
    c.node("ReverseSequence", [c.input(shape), c.constant(lengths, np.int64)],
           ["float32"], batch_axis=batch, time_axis=1 - batch)


def depth_to_space(c):
    b = c.int(1, 3)
    shape = (c.int(1, 2), b * b * c.int(1, 2), c.int(1, 4), c.int(1, 4))
    c.node("DepthToSpace", [c.input(shape)], ["float32"], blocksize=b,
           mode=c.one("DCR", "CRD"))


def space_to_depth(c):
    b = c.int(1, 3)
    shape = (c.int(1, 2), c.int(1, 3), b * c.int(1, 3), b * c.int(1, 3))
    c.node("SpaceToDepth", [c.input(shape)], ["float32"], blocksize=b)


def one_hot(c):
    depth, shape = c.int(2, 6), c.shape(c.int(1, 3), 1, 4)
    x = c.input(shape, "int64", lambda v: v % depth - (depth if c.often(0.2)
                                                        else 0))
    c.node("OneHot", [x, c.constant(np.array(depth, np.int64)),
                      c.constant(np.array([0, 5], np.float32))], ["float32"],
           axis=c.int(-len(shape) - 1, len(shape)))


def trilu(c):
    k = c.constant(np.array(c.int(-3, 3), np.int64))
    dtype = c.one("float32", "int64", "float64")
    c.node("Trilu", [c.input(c.shape(c.int(2, 3)), dtype), k], [dtype],
           upper=c.int(0, 1))


# ---- products, normalisations, layers --------------------------------------

def matmul(c):
    dtype = c.one("float32", "float32", "int32", "float64", "int64")
    m, k, n = c.shape(3)
    kind = c.int(0, 4)
    if kind == 0:
        a, b = (k,), (k, n)
    elif kind == 1:
        a, b = (m, k), (k,)
    else:
        lead = c.broadcast(c.int(0, 2))
        a, b = lead[0] + (m, k), lead[1] + (k, n)
    x = c.input(a, dtype)
    c.node("MatMul", [x, c.operand(b, dtype, constant=0.5)], [dtype])


def matmul_integer(c):
    m, k, n = c.shape(3)
    a, b = c.one("int8", "uint8"), c.one("int8", "uint8")
    x = c.input((m, k), a)
    names = [x, c.constant(c.values((k, n), b))]
    if c.often():
        names.append(c.constant(np.array(c.int(0, 9), a)))
        names.append(c.constant(np.array(c.int(0, 9), b)))
    c.node("MatMulInteger", names, ["int32"])


def conv_integer(c):
    a, size = window(c, 2, [2, 3])
    x = c.input((1, 2, *size), "uint8")
    names = [x, c.constant(c.values((3, 2, 2, 3), c.one("int8", "uint8")))]
    if c.often():
        names.append(c.constant(np.array(c.int(0, 9), np.uint8)))
    c.node("ConvInteger", names, ["int32"], **a)


def gemm(c):
    m, k, n = c.shape(3)
    a = {"transA": c.int(0, 1), "transB": c.int(0, 1)}
    if c.often(0.4):
        a.update(alpha=float(c.rng.uniform(-2, 2)),
                 beta=float(c.rng.uniform(-2, 2)))
    x = c.input((k, m) if a["transA"] else (m, k))
    names = [x, c.operand((n, k) if a["transB"] else (k, n), constant=0.6)]
    if c.often(0.7):
        names.append(c.operand(c.one((n,), (m, 1), (1, n), (m, n), ()),
                               constant=0.6))
    c.node("Gemm", names, ["float32"], **a)


def einsum(c):
    i, j, k, b = c.shape(4, 1, 4)
    text, shapes = c.one(
        ("ij,jk->ik", [(i, j), (j, k)]), ("bij,bjk->bik", [(b, i, j),
                                                            (b, j, k)]),
        ("ij->ji", [(i, j)]), ("ij->i", [(i, j)]), ("ii->i", [(i, i)]),
        ("...ij,...jk->...ik", [(b, i, j), (b, j, k)]),
        ("bhid,bhjd->bhij", [(b, 2, i, k), (b, 2, j, k)]),
        ("i,j->ij", [(i,), (j,)]), ("ij,ij->", [(i, j), (i, j)]))
    c.node("Einsum", [c.input(s) for s in shapes], ["float32"], equation=text)


def batch_norm(c):
    shape = c.shape(c.int(2, 5), 1, 4)
    n = shape[1]
    parts = [c.constant(c.values((n,), "float32")) for _ in range(3)]
    variance = c.constant(positive(c.values((n,), "float32")))
    c.opset = 15
    c.node("BatchNormalization", [c.input(shape)] + parts + [variance],
           ["float32"], epsilon=float(c.one(1e-5, 1e-3)))


def layer_norm(c):
    rank = c.int(1, 4)
    shape, axis = c.shape(rank, 2, 5), c.int(-rank, rank - 1)
    rest = shape[axis:]
    names = [c.input(shape), c.constant(c.values(rest, "float32"))]
    if c.often():
        names.append(c.constant(c.values(rest, "float32")))
    c.opset = 17
    c.node("LayerNormalization", names, ["float32"], axis=axis,
           epsilon=float(c.one(1e-5, 1e-2)))


def instance_norm(c):
    shape = c.shape(c.int(3, 5), 2, 4)
    n = shape[1]
    c.node("InstanceNormalization", [c.input(shape)] + [
        c.constant(c.values((n,), "float32")) for _ in range(2)], ["float32"],
        epsilon=float(c.one(1e-5, 1e-2)))


def group_norm(c):
    groups, each = c.int(1, 3), c.int(1, 3)
    shape = (c.int(1, 2), groups * each, c.int(1, 4), c.int(1, 4))
    near = c.one(None, lambda v: 3 + v * 1e-3)
    c.room = 20 if near else 1  # 3 in float32 is coarse for deviations of 1e-3
    x = c.input(shape, "float32", near)
    s, b = (c.values((groups * each,), "float32") for _ in range(2))
    c.opset = 21
    a = {"num_groups": groups, "epsilon": float(np.float32(1e-5))}
    c.node("GroupNormalization", [x, c.constant(s), c.constant(b)],
           ["float32"], **a)
    c.judge = lambda v: [definition.group_normalization(a, v[x], s, b)]


def lp_norm(c):
    rank = c.int(1, 3)
    empty = c.one(None, lambda v: v * (c.rng.random(v.shape) < 0.3))
    c.node("LpNormalization", [c.input(c.shape(rank), "float32", empty)],
           ["float32"], axis=c.int(-rank, rank - 1), p=c.int(1, 2))


def mean_variance(c):
    c.node("MeanVarianceNormalization", [c.input(c.shape(4, 2, 4))],
           ["float32"], axes=c.one([0, 2, 3], [0, 1, 2, 3], [2, 3]))


def lrn(c):
    c.node("LRN", [c.input(c.shape(4, 2, 5))], ["float32"],
           size=c.one(1, 3, 5), alpha=0.5, beta=0.7, bias=1.5)


def softmax(op):
    def build(c):
        rank = c.int(1, 4)
        c.opset = c.one(11, 13)
        shape = c.shape(rank)
        axis = c.int(0 if c.opset == 11 else -rank, rank - 1)
        c.node(op, [c.input(shape)], ["float32"], axis=axis)
    return op, build


def resize(c):
    mode = c.one("nearest", "linear", "linear", "cubic")
    rank = 4 if mode == "cubic" else c.int(3, 4)
    dtype = (c.one("float32", "uint8", "int8") if mode != "cubic"
             else "float32")
    place = c.one("half_pixel", "half_pixel", "asymmetric", "align_corners",
                  "pytorch_half_pixel", "tf_crop_and_resize")
    shape = (1, c.int(1, 2)) + c.shape(rank - 2, 2, 5)
    a = {"mode": mode, "coordinate_transformation_mode": place}
    if mode == "nearest":
        a["nearest_mode"] = c.one("round_prefer_floor", "round_prefer_ceil",
                                  "floor", "ceil")
    if mode == "cubic" and c.often():
        a["cubic_coeff_a"] = -0.5
    if mode == "cubic" and c.often(0.3):
        a["exclude_outside"] = 1
    roi = None
    if place == "tf_crop_and_resize":
        roi = np.array([0] * rank + [1] * rank, np.float32)
        roi[rank - 1], roi[-1] = 0.2, 0.9
        a["extrapolation_value"] = 7.0
    scales = sizes = None
    if c.often():
        sizes = list(shape[:2]) + [c.int(1, 8) for _ in shape[2:]]
    else:
        scales = np.array([1, 1] + [c.one(0.5, 0.7, 1.3, 1.5, 2, 3)
                                    for _ in shape[2:]], np.float32)
        scales = np.where(np.floor(scales * shape) < 1, 1, scales).astype(
            np.float32)
    x = c.input(shape, dtype)
    names = [x, "" if roi is None else c.constant(roi),
             "" if scales is None else c.constant(scales)]
    if sizes is not None:
        names.append(c.constant(sizes, np.int64))
    c.node("Resize", names, [dtype], **a)
    c.judge = lambda v: [definition.resize(a, v[x], scales, sizes, roi)]
    c.slack = 1 if mode != "nearest" else 0


def recurrent(op, gates):
    def build(c):
        time, batch, ins, units = c.int(1, 4), c.int(1, 2), c.int(1, 3), \
            c.int(1, 3)
        way = c.one("forward", "reverse", "bidirectional")
        ways = 2 if way == "bidirectional" else 1
        names = [c.input((time, batch, ins))]
        for shape in ((ways, gates * units, ins), (ways, gates * units, units)):
            names.append(c.constant(c.values(shape, "float32") * 0.3))
        names.append(c.constant(c.values((ways, 2 * gates * units), "float32"))
                     if c.often() else "")
        a = {"hidden_size": units, "direction": way}
        if op == "GRU":
            a["linear_before_reset"] = c.int(0, 1)
        c.opset = 14
        c.node(op, names, ["float32", "float32"], **a)
    return op, build


def nll(c):
    n, k = c.int(1, 3), c.int(2, 4)
    rest = c.shape(c.int(0, 2), 1, 3)
    x = c.input((n, k) + rest)
    target = c.input((n,) + rest, "int64", lambda v: v % k)
    names = [x, target]
    if c.often():
        names.append(c.constant(positive(c.values((k,), "float32"))))
    c.node(c.one("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"),
           names, ["float32"], reduction=c.one("none", "mean", "sum"))


def quantize(c):
    dtype = c.one("int8", "uint8")
    shape = c.shape(3, 2, 4)
    a, n = {}, ()
    if c.often():
        a["axis"] = c.int(0, 2)
        n = (shape[a["axis"]],)
    scale = (2.0 ** c.rng.uniform(-5, -3, n)).astype(np.float32)
    zero = c.values(n, dtype)
    c.node("QuantizeLinear", [c.input(shape), c.constant(scale),
                              c.constant(zero)], [dtype], **a)


def dequantize(c):
    dtype = c.one("int8", "uint8", "int32")
    shape = c.shape(3, 2, 4)
    a, n = {}, ()
    if c.often():
        a["axis"] = c.int(0, 2)
        n = (shape[a["axis"]],)
    scale = (2.0 ** c.rng.uniform(-5, -3, n)).astype(np.float32)
    names = [c.input(shape, dtype), c.constant(scale)]
    if dtype != "int32":
        names.append(c.constant(c.values(n, dtype)))
    c.node("DequantizeLinear", names, ["float32"], **a)


def dynamic_quantize(c):
    c.node("DynamicQuantizeLinear", [c.input(c.shape(3))],
           ["uint8", "float32", "uint8"])
    c.slack = 1


WIDE = ("float32", "float32", "float64", "int32", "int64")
FAMILIES = {
    "functions": [
        unary("Abs", NUMBERS), unary("Neg", SIGNED), unary("Sign", NUMBERS),
        unary("Floor"), unary("Ceil"), unary("Round"),
        unary("Sqrt", change=positive), unary("Reciprocal", change=positive),
        unary("Exp"), unary("Log", change=positive), unary("Sin", ("float32",)),
        unary("Cos", ("float32",)), unary("Tan", ("float32",), unit),
        unary("Asin", ("float32",), unit), unary("Acos", ("float32",), unit),
        unary("Atan", ("float32",)), unary("Sinh", ("float32",)),
        unary("Cosh", ("float32",)), unary("Tanh"),
        unary("Asinh", ("float32",)), unary("Acosh", ("float32",), above_one),
        unary("Atanh", ("float32",), unit), unary("Erf", ("float32",)),
        unary("Softplus", ("float32",)), unary("Softsign", ("float32",)),
        unary("Mish", ("float32",)), unary("HardSwish", ("float32",)),
        unary("Sigmoid", ("float32", "float64")),
        unary("Relu", ("float32", "float64", "int32", "int8")),
        unary("LeakyRelu", ("float32",), alpha=(0, 2)),
        unary("Elu", ("float32",), alpha=(0.1, 2)),
        unary("Celu", ("float32",), alpha=(0.5, 2)),
        unary("Selu", ("float32",), alpha=(0.5, 2), gamma=(0.5, 2)),
        unary("ThresholdedRelu", ("float32",), alpha=(0, 2)),
        unary("Shrink", ("float32",), lambd=(0, 2), bias=(-1, 1)),
        unary("HardSigmoid", ("float32",), alpha=(0, 1), beta=(0, 1)),
        ("Gelu", gelu), is_odd("IsNaN"), is_odd("IsInf"), ("Clip", clip),
        unary("Not", ("bool",)), unary("Identity", MOVED), ("Cast", cast),
        ("PRelu", prelu)],
    "pairs": [
        binary("Add"), binary("Sub"), binary("Mul"),
        binary("Div", SIGNED + ("float16",), not_zero),
        ("Pow", power), ("Mod", modulo), ("BitShift", bit_shift),
        binary("And", ("bool",)), binary("Or", ("bool",)),
        binary("Xor", ("bool",)), binary("Equal", NUMBERS, out="bool"),
        binary("Less", NUMBERS, out="bool"),
        binary("LessOrEqual", NUMBERS, out="bool"),
        binary("Greater", NUMBERS, out="bool"),
        binary("GreaterOrEqual", NUMBERS, out="bool"),
        binary("BitwiseAnd", ("int32", "uint8")),
        binary("BitwiseOr", ("int32", "int8")),
        binary("BitwiseXor", ("int64", "uint8")),
        several("Max"), several("Min"),
        several("Sum", ("float32", "float64")),
        several("Mean", ("float32",)), ("Where", where)],
    "convolutions": [("Conv", conv), ("Conv", conv), ("Conv", conv),
                     ("ConvInteger", conv_integer),
                     ("ConvTranspose", conv_transpose),
                     ("ConvTranspose", conv_transpose),
                     ("ConvTranspose", conv_transpose)],
    "pools": [
        pool("MaxPool", definition.max_pool, ("float32", "float32", "int8",
                                              "uint8"), ceil_mode=1),
        pool("AveragePool", definition.average_pool, ceil_mode=1,
             count_include_pad=1),
        pool("LpPool", definition.lp_pool, ceil_mode=1, p=3),
        ("MaxPool", pool_places), global_pool("GlobalAveragePool"),
        global_pool("GlobalMaxPool"), global_pool("GlobalLpPool")],
    "reductions": [
        reduce("ReduceSum"), reduce("ReduceMean"), reduce("ReduceProd"),
        reduce("ReduceMax", WIDE + ("int8", "uint8")),
        reduce("ReduceMin", WIDE + ("int8", "uint8")), reduce("ReduceL1"),
        reduce("ReduceL2", FLOAT[:4]), reduce("ReduceSumSquare"),
        reduce("ReduceLogSum", FLOAT[:4], positive),
        reduce("ReduceLogSumExp", FLOAT[:4]), arg("ArgMax"), arg("ArgMin"),
        ("CumSum", cumsum), ("TopK", top_k)],
    "moves": [
        ("Reshape", reshape), ("Flatten", flatten), ("Squeeze", squeeze),
        ("Unsqueeze", unsqueeze), ("Transpose", transpose),
        ("Expand", expand), ("Slice", slice_), ("Split", split),
        ("Concat", concat), ("Tile", tile), ("Pad", pad), ("Gather", gather),
        ("GatherElements", gather_elements), ("GatherND", gather_nd),
        ("ScatterElements", scatter_elements), ("ScatterND", scatter_nd),
        ("Compress", compress), ("ReverseSequence", reverse_sequence),
        ("DepthToSpace", depth_to_space), ("SpaceToDepth", space_to_depth),
        ("OneHot", one_hot), ("Trilu", trilu)],
    "products": [("MatMul", matmul), ("MatMulInteger", matmul_integer),
                 ("Gemm", gemm), ("Einsum", einsum)],
    "normalisations": [
        ("BatchNormalization", batch_norm), ("LayerNormalization", layer_norm),
        ("InstanceNormalization", instance_norm),
        ("GroupNormalization", group_norm), ("LpNormalization", lp_norm),
        ("MeanVarianceNormalization", mean_variance), ("LRN", lrn),
        softmax("Softmax"), softmax("LogSoftmax"), softmax("Hardmax")],
    "resizes": [("Resize", resize)] * 4,
    "recurrent layers": [recurrent("LSTM", 4), recurrent("GRU", 3),
                         recurrent("RNN", 1)],
    "losses": [("Loss", nll)],
    "quantisation": [("QuantizeLinear", quantize),
                     ("DequantizeLinear", dequantize),
                     ("DynamicQuantizeLinear", dynamic_quantize)],
    "choices": random_detect.DETECT,
    "fused operators": random_fused.FUSED,
    "learnt models": random_ml.LEARNT,
    **random_rest.REST,
    "networks": random_nets.NETS,
}
ALL = [(family, op, build) for family, members in FAMILIES.items()
       for op, build in members]


def model(number, seed):
    """(family, operator, case) of model `number`: the operators in turn."""
    family, op, build = ALL[number % len(ALL)]
    case = Case(np.random.default_rng([seed, number]))
    build(case)
    return family, op, case


def runtime(path, case):
    """ONNX Runtime's outputs, stacked, or the reason why there are none."""
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = (
        ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    try:
        session = ort.InferenceSession(str(path), options,
                                       providers=["CPUExecutionProvider"])
        rows = [session.run(None, {k: np.asarray(v[i]) for k, v in
                                   case.inputs.items()})
                for i in range(CASES)]
    except Exception as e:  # any refusal of the oracle is an answer
        return " ".join(str(e).split())[:200]
    return [np.stack([fill(r[k], case.filled.get(k)) for r in rows])
            for k in range(len(rows[0]))]


def fill(array, shape):
    """The array with -1 behind it."""
    if shape is None:
        return array
    out = np.full(shape, -1, array.dtype)
    out[tuple(slice(n) for n in array.shape)] = array
    return out


def judged(path, case):
    """What the definition says: ours, or that of the package onnx if it is
    here; None if nobody says."""
    rows = [{k: np.asarray(v[i]) for k, v in case.inputs.items()}
            for i in range(CASES)]
    if case.judge:
        said = [case.judge(row) for row in rows]
    else:
        try:
            from onnx.reference import ReferenceEvaluator
            said = [ReferenceEvaluator(str(path)).run(None, row)
                    for row in rows]
        except Exception:  # no such package, or it cannot run the model
            return None
    return [np.stack([r[k] for r in said]) for k in range(len(said[0]))]
