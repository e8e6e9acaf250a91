#!/usr/bin/env python3
"""Random test models for the operators beyond layer_models.py.

The same options and files as layer_models.py; the families are others.
Types: int8, uint8 and float32 where an operator computes; int32, int64 and
bool where models use them for sizes, indices and masks.

--only=NAME,NAME makes these families alone; --each keeps one small model for
each operator and type.
"""

import sys

import numpy as np

import litert_run
import layer_models
from layer_models import broadcast_shapes

BOTH = ("int8", "float32")
QUANT = ("int8", "uint8", "float32")


def data(c, shape, dtype=None):
    """Random constants of any type."""
    dtype = dtype or c.dtype
    if dtype == "float32":
        return c.rng.standard_normal(shape).astype(np.float32)
    if dtype == "bool":
        return c.rng.integers(0, 2, shape).astype(bool)
    low, high = {"int8": (-128, 128), "uint8": (0, 256)}.get(dtype,
                                                             (-50, 51))
    return c.rng.integers(low, high, shape).astype(dtype)


def nonzero_inputs(c, shapes, zero_points, cases=6):
    """Inputs in which the last tensor never means zero."""
    inputs = {}
    for k, shape in enumerate(shapes):
        values = np.stack([data(c, shape) for _ in range(cases)])
        if k == len(shapes) - 1:  # LiteRT also refuses a stored 0
            zero = zero_points[k] if c.dtype in ("int8", "uint8") else 0
            other = values.dtype.type(3 if zero != 3 else 4)
            values = np.where((values == 0) | (values == zero), other, values)
        inputs[f"input_{k}"] = values
    c.inputs = inputs


# ---- pairs -----------------------------------------------------------------

def pair(op, y_scale, out=None, same=False, act=False, safe=False):
    """Builder of a binary operator; `y_scale` gives the output's scale."""
    def build(c):
        a_shape, b_shape, y_shape = broadcast_shapes(c)
        a_quant = c.quant()
        b_quant = a_quant if same else c.quant()
        y_quant = a_quant if same else c.quant(
            y_scale(c, float(a_quant[0]), float(b_quant[0])))
        a = c.tensor("a", a_shape, a_quant)
        b = c.tensor("b", b_shape, b_quant)
        y = c.tensor("y", y_shape, y_quant, dtype=out)
        options = {}
        if act and c.dtype not in ("int32", "int64"):
            options["activation"] = c.activation()
        c.model.add_op(op, [a, b], [y], **options)
        if safe:
            zero = b_quant[1] + (128 if c.dtype == "uint8" else 0)
            nonzero_inputs(c, [a_shape, b_shape], [0, zero])
        return c.finish([a, b], [y])
    return build


def add_like(c, a, b):
    return 2.0 ** c.rng.uniform(-1, 1) * max(a, b)


def square_like(c, a, b):
    return 2.0 ** c.rng.uniform(3, 9) * max(a, b) ** 2


def div_like(c, a, b):
    return 2.0 ** c.rng.uniform(-5, 3) * a / b


def div_quantised(c):
    """Quotients of one half and more: below, LiteRT shifts by more than 31
    bits, which is undefined and gives arbitrary results."""
    a_shape, b_shape, y_shape = broadcast_shapes(c)
    a_quant, b_quant = c.quant(), c.quant()
    a_quant = (a_quant[0], int(c.rng.choice([-128, 127])))
    b_quant = (b_quant[0], int(c.rng.integers(-60, 61)))
    y_quant = c.quant(float(a_quant[0]) / float(b_quant[0])
                      * 2.0 ** c.rng.uniform(-3, 0.9))
    a = c.tensor("a", a_shape, a_quant)
    b = c.tensor("b", b_shape, b_quant)
    y = c.tensor("y", y_shape, y_quant)
    c.model.add_op("DIV", [a, b], [y], activation=c.activation())
    shift = 128 if c.dtype == "uint8" else 0
    far = c.rng.integers(64, 256, (6,) + a_shape)
    near = c.rng.integers(1, 60, (6,) + b_shape)
    near *= c.rng.choice([-1, 1], near.shape)
    left = a_quant[1] + far * (1 if a_quant[1] < 0 else -1) + shift
    right = b_quant[1] + near + shift
    right = np.where(right == 0, 2 * b_quant[1] + shift + 1, right)
    c.inputs = {"input_0": left.astype(c.dtype),
                "input_1": right.astype(c.dtype)}
    return c.finish([a, b], [y])


def div(c):
    if c.dtype in ("int8", "uint8"):
        return div_quantised(c)
    return pair("DIV", div_like, act=True, safe=True)(c)


def prelu(c):
    shape = c.shape(4, 1, 4)
    slopes = tuple(n if c.rng.random() < 0.7 else 1 for n in shape[1:])
    x_quant = c.quant()
    a_quant = (np.float32(2.0 ** c.rng.uniform(-10, -6)), c.quant()[1])
    y_quant = c.quant(float(x_quant[0]) * 2.0 ** c.rng.uniform(-1, 1))
    x = c.tensor("x", shape, x_quant)
    a = c.tensor("a", slopes, a_quant, data(c, slopes))
    y = c.tensor("y", shape, y_quant)
    c.model.add_op("PRELU", [x, a], [y])
    return c.finish([x], [y])


def compare(op):
    def build(c):
        a_shape, b_shape, y_shape = broadcast_shapes(c)
        a_quant, b_quant = (c.quant(2.0 ** c.rng.uniform(-8, -0.1))
                            for _ in range(2))
        if c.rng.random() < 0.5:
            b_quant = a_quant
        a = c.tensor("a", a_shape, a_quant)
        b = c.tensor("b", b_shape, b_quant)
        y = c.tensor("y", y_shape, dtype="bool")
        c.model.add_op(op, [a, b], [y])
        return c.finish([a, b], [y])
    return build


def logical_not(c):
    shape = c.shape(3)
    x, y = c.tensor("x", shape), c.tensor("y", shape)
    c.model.add_op("LOGICAL_NOT", [x], [y])
    return c.finish([x], [y])


# ---- one value at a time ---------------------------------------------------

def unary(op, x_scale, y_quant, inputs=None, **options):
    """Builder; `x_scale(c)`, `y_quant(c, x_quant)`, `inputs(c, shape, zero)`."""
    def build(c):
        shape = c.shape(int(c.rng.integers(1, 5)), 1, 5)
        x_quant = c.quant(x_scale(c))
        x = c.tensor("x", shape, x_quant)
        y = c.tensor("y", shape, y_quant(c, x_quant))
        values = {k: v(c) for k, v in options.items()}
        c.model.add_op(op, [x], [y], **values)
        if inputs:
            c.inputs = {"input_0": inputs(c, (6,) + shape, x_quant[1])}
        return c.finish([x], [y])
    return build


def power(low, high):
    return lambda c: 2.0 ** c.rng.uniform(low, high)


def near(low, high):
    """Output quantised around the input's scale."""
    return lambda c, x: c.quant(float(x[0]) * 2.0 ** c.rng.uniform(low, high))


def fixed(scale, zero):
    return lambda c, x: (np.float32(scale), zero)


def free(low, high):
    return lambda c, x: c.quant(2.0 ** c.rng.uniform(low, high))


def equal_or_near(c, x):
    if c.rng.random() < 0.4:
        return (x[0], c.quant()[1])
    return near(-1, 1)(c, x)


def positive(c, shape, zero):
    """Values that mean zero and more, and some more than that in float."""
    if c.dtype == "float32":
        return (c.rng.random(shape) * 10 + 1e-3).astype(np.float32)
    return c.rng.integers(zero, 128, shape).astype(np.int8)


def small(c, shape, zero):
    """For exp: not so large that LiteRT's conversion overflows."""
    if c.dtype == "float32":
        return (c.rng.standard_normal(shape) * 3).astype(np.float32)
    return data(c, shape)


def slope(c):
    return float(np.float32(c.rng.choice([0.01, 0.1, 0.2, 0.3, 1.5])))


# ---- moves -----------------------------------------------------------------

def moved(c, op, x_shape, y_shapes, extra=(), before=(), x_dtype=None,
          y_dtype=None, **options):
    """One data input, constants behind or before it, any outputs."""
    quant = c.quant()
    x = c.tensor("x", x_shape, quant, dtype=x_dtype)
    ys = [c.tensor(f"y{i}", shape, quant, dtype=y_dtype)
          for i, shape in enumerate(y_shapes)]
    c.model.add_op(op, list(before) + [x] + list(extra), ys, **options)
    return c.finish([x], ys)


def random_shape(c, low=1, high=5):
    return c.shape(int(c.rng.integers(low, high + 1)), 1, 4)


def transpose(c):
    shape = random_shape(c, 1, 5)
    perm = [int(n) for n in c.rng.permutation(len(shape))]
    return moved(c, "TRANSPOSE", shape, [tuple(shape[i] for i in perm)],
                 [c.ints("perm", perm)])


def squeeze(c):
    shape = tuple(n if c.rng.random() < 0.5 else 1 for n in random_shape(c))
    axes = [i for i, n in enumerate(shape) if n == 1
            and c.rng.random() < 0.6]
    out = tuple(n for i, n in enumerate(shape) if i not in axes)
    if not axes:
        out = tuple(n for n in shape if n != 1)
    return moved(c, "SQUEEZE", shape, [out],
                 squeeze_dims=axes if axes else None)


def expand_dims(c):
    shape = random_shape(c, 1, 4)
    axis = int(c.rng.integers(-len(shape) - 1, len(shape) + 1))
    at = axis if axis >= 0 else axis + len(shape) + 1
    return moved(c, "EXPAND_DIMS", shape, [shape[:at] + (1,) + shape[at:]],
                 [c.ints("axis", axis)])


def slice_(c):
    shape = random_shape(c, 1, 5)
    begin = [int(c.rng.integers(0, n)) for n in shape]
    size = [int(c.rng.integers(1, n - b + 1)) for n, b in zip(shape, begin)]
    given = [-1 if b + s == n and c.rng.random() < 0.5 else s
             for n, b, s in zip(shape, begin, size)]
    return moved(c, "SLICE", shape, [tuple(size)],
                 [c.ints("begin", begin), c.ints("size", given)])


def strided_slice(c):
    """Checked against numpy's indexing, which has the same meaning."""
    rng = c.rng
    while True:
        shape = c.shape(int(rng.integers(1, 5)), 1, 6)
        count = int(rng.integers(1, len(shape) + 1))
        begin = [int(rng.integers(-n - 1, n + 1)) for n in shape[:count]]
        end = [int(rng.integers(-n - 1, n + 2)) for n in shape[:count]]
        step = [int(rng.choice([1, 1, 1, 2, 3, -1, -2]))
                for _ in range(count)]
        masks = dict.fromkeys(("begin_mask", "end_mask", "shrink_axis_mask",
                               "new_axis_mask", "ellipsis_mask"), 0)
        index = []
        for i in range(count):
            bit = 1 << i
            draw = rng.random()
            if draw < 0.12 and not masks["ellipsis_mask"]:
                masks["ellipsis_mask"] |= bit
                index.append(Ellipsis)
            elif draw < 0.24:
                masks["new_axis_mask"] |= bit
                index.append(None)
            elif draw < 0.36:
                masks["shrink_axis_mask"] |= bit
                begin[i] = int(rng.integers(0, 2))
                step[i] = 1
                index.append(begin[i])
            else:
                low, high = begin[i], end[i]
                if rng.random() < 0.3:
                    masks["begin_mask"] |= bit
                    low = None
                if rng.random() < 0.3:
                    masks["end_mask"] |= bit
                    high = None
                if step[i] < 0 and (low is not None and low < 0
                                    or high is not None and high < 0):
                    pass
                index.append(slice(low, high, step[i]))
        try:
            out = np.zeros(shape)[tuple(index)].shape
        except IndexError:
            continue
        if 0 not in out and len(out) + len(shape) <= 9:
            break
    for name, mask in masks.items():
        if mask:
            c.tag(name)
    return moved(c, "STRIDED_SLICE", shape, [out],
                 [c.ints("begin", begin), c.ints("end", end),
                  c.ints("step", step)], **masks)


def split(c):
    shape = list(random_shape(c, 1, 4))
    axis = int(c.rng.integers(-len(shape), len(shape)))
    parts = int(c.rng.integers(1, 4))
    part = shape[axis]
    out = list(shape)
    shape[axis] = part * parts
    return moved(c, "SPLIT", tuple(shape), [tuple(out)] * parts,
                 before=[c.ints("axis", axis)], num_splits=parts)


def split_v(c):
    shape = list(random_shape(c, 1, 4))
    axis = int(c.rng.integers(-len(shape), len(shape)))
    sizes = [int(n) for n in c.rng.integers(1, 4,
                                            int(c.rng.integers(1, 4)))]
    shape[axis] = sum(sizes)
    outs = []
    for n in sizes:
        out = list(shape)
        out[axis] = n
        outs.append(tuple(out))
    if c.rng.random() < 0.4:
        sizes[int(c.rng.integers(0, len(sizes)))] = -1
    return moved(c, "SPLIT_V", tuple(shape), outs,
                 [c.ints("sizes", sizes), c.ints("axis", axis)],
                 num_splits=len(sizes))


def pack(c):
    shape = random_shape(c, 0, 4)
    count = int(c.rng.integers(1, 4))
    axis = int(c.rng.integers(-len(shape) - 1, len(shape) + 1))
    at = axis if axis >= 0 else axis + len(shape) + 1
    quant = c.quant()
    xs = [c.tensor(f"x{i}", shape, quant) for i in range(count)]
    y = c.tensor("y", shape[:at] + (count,) + shape[at:], quant)
    c.model.add_op("PACK", xs, [y], values_count=count, axis=axis)
    return c.finish(xs, [y])


def unpack(c):
    shape = random_shape(c, 1, 4)
    axis = int(c.rng.integers(-len(shape), len(shape)))
    at = axis % len(shape)
    return moved(c, "UNPACK", shape,
                 [shape[:at] + shape[at + 1:]] * shape[at],
                 num=shape[at], axis=axis)


def gather(c):
    rng = c.rng
    shape = random_shape(c, 1, 4)
    axis = int(rng.integers(0, len(shape)))
    batch = int(rng.integers(0, axis + 1)) if rng.random() < 0.4 else 0
    index_shape = shape[:batch] + c.shape(int(rng.integers(0, 3)), 1, 3)
    values = rng.integers(0, shape[axis], index_shape).astype(np.int32)
    indices = c.model.add_tensor("i", index_shape, "int32", values)
    out = shape[:axis] + index_shape[batch:] + shape[axis + 1:]
    given = axis - len(shape) if rng.random() < 0.3 else axis
    return moved(c, "GATHER", shape, [out], [indices], axis=given,
                 batch_dims=batch, version=5 if batch else None)


def gather_nd(c):
    rng = c.rng
    shape = random_shape(c, 1, 4)
    depth = int(rng.integers(1, len(shape) + 1))
    outer = c.shape(int(rng.integers(1, 3)), 1, 3)
    values = np.stack([rng.integers(0, shape[d], outer)
                       for d in range(depth)], -1).astype(np.int32)
    indices = c.model.add_tensor("i", values.shape, "int32", values)
    return moved(c, "GATHER_ND", shape, [outer + shape[depth:]], [indices])


def tile(c):
    shape = random_shape(c, 1, 4)
    times = [int(n) for n in c.rng.integers(1, 4, len(shape))]
    return moved(c, "TILE", shape,
                 [tuple(a * b for a, b in zip(shape, times))],
                 [c.ints("times", times)])


def broadcast_to(c):
    full = random_shape(c, 1, 5)
    small = tuple(n if c.rng.random() < 0.6 else 1 for n in full)
    small = small[int(c.rng.integers(0, len(full))):]
    return moved(c, "BROADCAST_TO", small, [full],
                 [c.ints("shape", full)], version=2)


def fill(c):
    shape = random_shape(c, 1, 4)
    quant = c.quant()
    x = c.tensor("x", (), quant)
    y = c.tensor("y", shape, quant)
    c.model.add_op("FILL", [c.ints("dims", shape), x], [y])
    return c.finish([x], [y])


def reverse(c):
    shape = random_shape(c, 1, 4)
    axis = int(c.rng.integers(0, len(shape)))
    return moved(c, "REVERSE_V2", shape, [shape], [c.ints("axis", [axis])])


def select(c):
    shape = random_shape(c, 1, 4)
    draw = c.rng.random()
    when = shape if draw < 0.4 else () if draw < 0.7 else shape[:1]
    quant = c.quant()
    w = c.model.add_tensor("w", when, "bool")
    a, b = c.tensor("a", shape, quant), c.tensor("b", shape, quant)
    y = c.tensor("y", shape, quant)
    c.model.add_op("SELECT", [w, a, b], [y])
    return c.finish([w, a, b], [y])


def select_v2(c):
    full = random_shape(c, 1, 4)

    def part():
        small = tuple(n if c.rng.random() < 0.7 else 1 for n in full)
        return small[int(c.rng.integers(0, 2)):]
    shapes = [part() for _ in range(3)]
    quant = c.quant()
    w = c.model.add_tensor("w", shapes[0], "bool")
    a, b = (c.tensor(n, s, quant) for n, s in zip("ab", shapes[1:]))
    y = c.tensor("y", np.broadcast_shapes(*shapes), quant)
    c.model.add_op("SELECT_V2", [w, a, b], [y])
    return c.finish([w, a, b], [y])


def cast(c):
    to = str(c.rng.choice(["float32", "int32", "int64", "int8", "uint8",
                           "int16", "bool"]))
    c.tag("to", to)
    shape = random_shape(c, 1, 3)
    x = c.model.add_tensor("x", shape, c.dtype)
    y = c.model.add_tensor("y", shape, to)
    c.model.add_op("CAST", [x], [y], in_data_type=c.dtype, out_data_type=to)
    values = (c.rng.random((6,) + shape) * 100).astype(c.dtype)
    c.inputs = {"input_0": values}
    return c.finish([x], [y])


def shape_of(c):
    shape = random_shape(c, 1, 5)
    to = str(c.rng.choice(["int32", "int64"]))
    return moved(c, "SHAPE", shape, [(len(shape),)], y_dtype=to, out_type=to)


def space_to_depth(c):
    n, h, w, d = c.shape(4, 1, 3)
    b = int(c.rng.integers(1, 4))
    return moved(c, "SPACE_TO_DEPTH", (n, h * b, w * b, d),
                 [(n, h, w, d * b * b)], block_size=b)


def depth_to_space(c):
    n, h, w, d = c.shape(4, 1, 3)
    b = int(c.rng.integers(1, 4))
    return moved(c, "DEPTH_TO_SPACE", (n, h, w, d * b * b),
                 [(n, h * b, w * b, d)], block_size=b)


def blocks(c, to_batch):
    """Shapes of space_to_batch: image, grouped, blocks, edges."""
    axes = int(c.rng.integers(1, 3))
    block = [int(n) for n in c.rng.integers(1, 4, axes)]
    inner = [int(n) for n in c.rng.integers(1, 4, axes)]
    full = [a * b for a, b in zip(inner, block)]
    edges = []
    for i, n in enumerate(full):
        before = int(c.rng.integers(0, min(n, 3)))
        after = int(c.rng.integers(0, min(n - before, 3)))
        edges.append([before, after])
    image = [n - sum(e) for n, e in zip(full, edges)]
    batch, depth = (int(n) for n in c.rng.integers(1, 3, 2))
    return ((batch, *image, depth),
            (batch * int(np.prod(block)), *inner, depth), block, edges)


def space_to_batch(c):
    image, grouped, block, edges = blocks(c, True)
    return moved(c, "SPACE_TO_BATCH_ND", image, [grouped],
                 [c.ints("block", block), c.ints("pads", edges)])


def batch_to_space(c):
    image, grouped, block, edges = blocks(c, False)
    return moved(c, "BATCH_TO_SPACE_ND", grouped, [image],
                 [c.ints("block", block), c.ints("crops", edges)])


def mirror_pad(c):
    shape = c.shape(int(c.rng.integers(1, 5)), 2, 4)
    mode = int(c.rng.integers(0, 2))
    most = [n if mode else n - 1 for n in shape]
    pads = [[int(c.rng.integers(0, m + 1)), int(c.rng.integers(0, m + 1))]
            for m in most]
    return moved(c, "MIRROR_PAD", shape,
                 [tuple(n + sum(p) for n, p in zip(shape, pads))],
                 [c.ints("pads", pads)], mode=mode)


# ---- reductions ------------------------------------------------------------

def folded(c, shape):
    """Axes to fold, given as the model gives them, and the result's shape."""
    rank = len(shape)
    axes = [i for i in range(rank) if c.rng.random() < 0.5] or [0]
    keep = bool(c.rng.random() < 0.5)
    out = tuple(1 if i in axes else n for i, n in enumerate(shape)
                if keep or i not in axes)
    given = [a - rank if c.rng.random() < 0.3 else a for a in axes]
    return given, keep, out


def reduce(op, y_quant, inputs=None):
    def build(c):
        shape = random_shape(c, 1, 5)
        axes, keep, out = folded(c, shape)
        quant = c.quant()
        x = c.tensor("x", shape, quant)
        y = c.tensor("y", out, y_quant(c, quant))
        c.model.add_op(op, [x, c.ints("axes", axes)], [y], keep_dims=keep)
        if inputs:
            c.inputs = {"input_0": inputs(c, (6,) + shape)}
        return c.finish([x], [y])
    return build


def sum_inputs(c, shape):
    """LiteRT's reference SUM reads int8 as uint8, so only values and results
    that are the same in both can be compared: 0 to 127."""
    if c.dtype == "int8":
        return c.rng.integers(0, 128, shape).astype(np.int8)
    return np.stack([data(c, shape[1:]) for _ in range(shape[0])])


def sum_(c):
    shape = random_shape(c, 1, 5)
    axes, keep, out = folded(c, shape)
    count = int(np.prod(shape)) / max(1, int(np.prod(out)))
    x_quant = (np.float32(2.0 ** c.rng.uniform(-6, 0)), 0)
    y_quant = (np.float32(float(x_quant[0]) * count
                          * 2.0 ** c.rng.uniform(0, 0.5)), 0)
    x = c.model.add_tensor("x", shape, c.dtype, None, *x_quant)
    y = c.model.add_tensor("y", out, c.dtype, None, *y_quant)
    c.model.add_op("SUM", [x, c.ints("axes", axes)], [y], keep_dims=keep)
    c.inputs = {"input_0": sum_inputs(c, (6,) + shape)}
    return c.finish([x], [y])


def sum_plain(c):
    if c.dtype in ("int8", "uint8"):
        return sum_(c)
    return reduce("SUM", lambda c, q: q)(c)


def small_ints(c, shape):
    if c.dtype == "float32":
        return c.rng.standard_normal(shape).astype(np.float32)
    return c.rng.integers(-3, 4, shape).astype(c.dtype)


def arg(op):
    def build(c):
        shape = random_shape(c, 1, 4)
        axis = int(c.rng.integers(-len(shape), len(shape)))
        at = axis % len(shape)
        to = str(c.rng.choice(["int32", "int64"]))
        x = c.tensor("x", shape)
        y = c.model.add_tensor("y", shape[:at] + shape[at + 1:], to)
        c.model.add_op(op, [x, c.ints("axis", axis)], [y], output_type=to)
        return c.finish([x], [y])
    return build


def cumsum(c):
    shape = random_shape(c, 1, 4)
    axis = int(c.rng.integers(-len(shape), len(shape)))
    return moved(c, "CUMSUM", shape, [shape], [c.ints("axis", axis)],
                 exclusive=bool(c.rng.random() < 0.5),
                 reverse=bool(c.rng.random() < 0.5))


# ---- images and matrices ---------------------------------------------------

def resize(op):
    def build(c):
        n, h, w, d = c.shape(4, 1, 5)
        oh, ow = (int(k) for k in c.rng.integers(1, 12, 2))
        mode = str(c.rng.choice(["plain", "align_corners",
                                 "half_pixel_centers"]))
        c.tag(mode)
        options = {mode: True} if mode != "plain" else {}
        return moved(c, op, (n, h, w, d), [(n, oh, ow, d)],
                     [c.ints("size", [oh, ow])], version=3, **options)
    return build


def transpose_conv(c):
    rng = c.rng
    n, h, w, cin = c.shape(4, 1, 4)
    cout = int(rng.integers(1, 5))
    fh, fw, sh, sw = (int(k) for k in rng.integers(1, 4, 4))
    same = bool(rng.random() < 0.5)
    if same:
        oh, ow = (k * s - int(rng.integers(0, s))
                  for k, s in ((h, sh), (w, sw)))
    else:
        oh, ow = ((k - 1) * s + f + int(rng.integers(0, s))
                  for k, s, f in ((h, sh, fh), (w, sw, fw)))
    x_quant = c.quant()
    weights = data(c, (cout, fh, fw, cin))
    x = c.tensor("x", (n, h, w, cin), x_quant)
    inputs = [c.ints("shape", [n, oh, ow, cout])]
    if c.dtype == "int8":
        scales = (2.0 ** rng.uniform(-8, -4, cout)).astype(np.float32)
        f = c.model.add_tensor("w", weights.shape, "int8",
                               np.maximum(weights, -127), scales, [0] * cout)
        y_quant = layer_models.accumulator_output(c, x_quant[0], scales,
                                                       fh * fw * cin)
    else:
        scales, y_quant = None, None
        f = c.tensor("w", weights.shape, data=weights)
    inputs += [f, x]
    if rng.random() < 0.5:
        c.tag("bias")
        if c.dtype == "int8":
            b = c.model.add_tensor("b", (cout,), "int32",
                                   rng.integers(-900, 900, cout),
                                   scales * x_quant[0], [0] * cout)
        else:
            b = c.tensor("b", (cout,), data=data(c, (cout,)))
        inputs.append(b)
    y = c.tensor("y", (n, oh, ow, cout), y_quant)
    c.model.add_op("TRANSPOSE_CONV", inputs, [y], stride_h=sh, stride_w=sw,
                   padding="SAME" if same else "VALID",
                   version=4 if len(inputs) == 4 else 2,
                   activation=c.activation())
    return c.finish([x], [y])


def batch_matmul(c):
    rng = c.rng
    rows, depth, columns = c.shape(3, 1, 5)
    batch = c.shape(int(rng.integers(0, 3)), 1, 3)

    def part():
        return tuple(n if rng.random() < 0.7 else 1 for n in batch)
    left, right = part(), part()
    adj_x, adj_y = (bool(rng.random() < 0.4) for _ in range(2))
    a_quant, b_quant = c.quant(), c.quant()
    y_quant = c.quant(float(a_quant[0]) * float(b_quant[0])
                      * 2.0 ** rng.uniform(4, 8))
    a = c.tensor("a", left + ((depth, rows) if adj_x else (rows, depth)),
                 a_quant)
    b = c.tensor("b", right + ((columns, depth) if adj_y
                               else (depth, columns)), b_quant)
    y = c.tensor("y", np.broadcast_shapes(left, right) + (rows, columns),
                 y_quant)
    c.model.add_op("BATCH_MATMUL", [a, b], [y], adj_x=adj_x, adj_y=adj_y)
    return c.finish([a, b], [y])


def attention(c):
    """Two products with a softmax between them."""
    rng = c.rng
    batch = c.shape(int(rng.integers(1, 3)), 1, 3)
    rows, keys, depth, columns = c.shape(4, 1, 6)
    quants = [c.quant() for _ in range(3)]
    products = [float(quants[0][0]) * float(quants[1][0]),
                float(quants[2][0]) / 256]
    s_quant, y_quant = (c.quant(x * 2.0 ** rng.uniform(4, 8))
                        for x in products)
    q = c.tensor("q", batch + (rows, depth), quants[0])
    k = c.tensor("k", batch + (keys, depth), quants[1])
    v = c.tensor("v", batch + (keys, columns), quants[2])
    s = c.tensor("s", batch + (rows, keys), s_quant)
    p = c.tensor("p", batch + (rows, keys), (np.float32(1 / 256), -128))
    y = c.tensor("y", batch + (rows, columns), y_quant)
    c.model.add_op("BATCH_MATMUL", [q, k], [s], adj_x=False, adj_y=True)
    c.model.add_op("SOFTMAX", [s], [p], beta=1.0)
    c.model.add_op("BATCH_MATMUL", [p, v], [y], adj_x=False, adj_y=False)
    return c.finish([q, k, v], [y])


ARITHMETIC = ("int8", "uint8", "float32", "int32")
MOVED = ("int8", "float32", "int32")
COMPARED = ("int8", "uint8", "float32", "int32", "int64")
FAMILIES = [
    ("SUB", pair("SUB", add_like, act=True), ARITHMETIC + ("int64",)),
    ("DIV", div, ARITHMETIC),
    ("MINIMUM", pair("MINIMUM", None, same=True), ARITHMETIC),
    ("MAXIMUM", pair("MAXIMUM", None, same=True), ARITHMETIC),
    ("SQUARED_DIFFERENCE", pair("SQUARED_DIFFERENCE", square_like),
     ("int8", "float32", "int32")),
    ("FLOOR_DIV", pair("FLOOR_DIV", None, same=True, safe=True),
     ("float32", "int32")),
    ("FLOOR_MOD", pair("FLOOR_MOD", None, same=True, safe=True),
     ("float32", "int32", "int64")),
    ("PRELU", prelu, QUANT),
    ("EQUAL", compare("EQUAL"), COMPARED + ("bool",)),
    ("NOT_EQUAL", compare("NOT_EQUAL"), COMPARED + ("bool",)),
    ("LESS", compare("LESS"), COMPARED),
    ("LESS_EQUAL", compare("LESS_EQUAL"), COMPARED),
    ("GREATER", compare("GREATER"), COMPARED),
    ("GREATER_EQUAL", compare("GREATER_EQUAL"), COMPARED),
    ("LOGICAL_AND", compare("LOGICAL_AND"), ("bool",)),
    ("LOGICAL_OR", compare("LOGICAL_OR"), ("bool",)),
    ("LOGICAL_NOT", logical_not, ("bool",)),
    ("ABS", unary("ABS", power(-8, 0), equal_or_near),
     ("int8", "float32", "int32")),
    ("NEG", unary("NEG", power(-8, 0), near(-1, 1)),
     ("float32", "int32", "int64")),
    ("SIGN", unary("SIGN", power(-8, 0), near(-1, 1)), ("float32", "int32")),
    ("SQUARE", unary("SQUARE", power(-8, 0), near(-1, 1)), ("float32",)),
    ("SQRT", unary("SQRT", power(-8, 0), free(-8, -3), positive), BOTH),
    ("RSQRT", unary("RSQRT", power(-6, 2), free(-8, -3), positive), BOTH),
    ("EXP", unary("EXP", power(-8, -4.5), free(-6, 2), small), BOTH),
    ("LOG", unary("LOG", power(-8, 2), free(-6, -3), positive), BOTH),
    ("SIN", unary("SIN", power(-8, 0), near(-1, 1)), ("float32",)),
    ("COS", unary("COS", power(-8, 0), near(-1, 1)), ("float32",)),
    ("FLOOR", unary("FLOOR", power(-8, 0), near(-1, 1)), ("float32",)),
    ("CEIL", unary("CEIL", power(-8, 0), near(-1, 1)), ("float32",)),
    ("ROUND", unary("ROUND", power(-8, 0), near(-1, 1)), ("float32",)),
    ("RELU_0_TO_1", unary("RELU_0_TO_1", power(-8, -2), near(-1, 1)), QUANT),
    ("LEAKY_RELU", unary("LEAKY_RELU", power(-8, 0), near(-1, 1),
                         alpha=slope), QUANT),
    ("ELU", unary("ELU", power(-6, 0), near(-2, 1)), BOTH),
    ("GELU", unary("GELU", power(-6, 0), near(-2, 1),
                   approximate=lambda c: bool(c.rng.random() < 0.5)), QUANT),
    ("HARD_SWISH", unary("HARD_SWISH", power(-7, 1), near(-2, 2)), QUANT),
    ("LOG_SOFTMAX", unary("LOG_SOFTMAX", power(-7, 1), fixed(1 / 16, 127)),
     QUANT),
    ("L2_NORMALIZATION", unary("L2_NORMALIZATION", power(-7, 1),
                               fixed(1 / 128, 0)), QUANT),
    ("TRANSPOSE", transpose, MOVED),
    ("SQUEEZE", squeeze, MOVED),
    ("EXPAND_DIMS", expand_dims, MOVED),
    ("SLICE", slice_, MOVED),
    ("STRIDED_SLICE", strided_slice, MOVED),
    ("SPLIT", split, MOVED),
    ("SPLIT_V", split_v, MOVED),
    ("PACK", pack, MOVED),
    ("UNPACK", unpack, MOVED),
    ("GATHER", gather, MOVED),
    ("GATHER_ND", gather_nd, MOVED),
    ("TILE", tile, ("float32", "int32")),
    ("BROADCAST_TO", broadcast_to, MOVED),
    ("FILL", fill, MOVED),
    ("REVERSE_V2", reverse, ("float32", "int32")),
    ("SELECT", select, MOVED),
    ("SELECT_V2", select_v2, MOVED),
    ("CAST", cast, ("float32", "int32", "int64", "int8", "uint8")),
    ("SHAPE", shape_of, MOVED),
    ("SPACE_TO_DEPTH", space_to_depth, MOVED),
    ("DEPTH_TO_SPACE", depth_to_space, MOVED),
    ("SPACE_TO_BATCH_ND", space_to_batch, MOVED),
    ("BATCH_TO_SPACE_ND", batch_to_space, MOVED),
    ("MIRROR_PAD", mirror_pad, MOVED),
    ("SUM", sum_plain, ("int8", "uint8", "float32", "int32")),
    ("MEAN_INT", reduce("MEAN", lambda c, q: q), ("int32", "int64", "uint8")),
    ("REDUCE_MAX", reduce("REDUCE_MAX", lambda c, q: q), ARITHMETIC),
    ("REDUCE_MIN", reduce("REDUCE_MIN", lambda c, q: q), ARITHMETIC),
    ("REDUCE_PROD", reduce("REDUCE_PROD", lambda c, q: q, small_ints),
     ("float32", "int32")),
    ("REDUCE_ANY", reduce("REDUCE_ANY", lambda c, q: q), ("bool",)),
    ("REDUCE_ALL", reduce("REDUCE_ALL", lambda c, q: q), ("bool",)),
    ("ARG_MAX", arg("ARG_MAX"), ARITHMETIC),
    ("ARG_MIN", arg("ARG_MIN"), ARITHMETIC),
    ("CUMSUM", cumsum, ("float32", "int32", "int64")),
    ("RESIZE_BILINEAR", resize("RESIZE_BILINEAR"), QUANT),
    ("RESIZE_NEAREST_NEIGHBOR", resize("RESIZE_NEAREST_NEIGHBOR"), QUANT),
    ("TRANSPOSE_CONV", transpose_conv, BOTH),
    ("BATCH_MATMUL", batch_matmul, BOTH),
    ("ATTENTION", attention, BOTH),
]


# The reference resolver lacks these; the ordinary one has plain kernels.
NOT_IN_REFERENCE = {"CEIL", "ELU", "ROUND"}
REFERENCE_RUN = litert_run.run_model


def run_model(model_bytes, kind, cases, seed, inputs=None):
    """As in litert_run, for operators that the reference resolver lacks."""
    it = litert_run.interpreter(model_bytes, reference=False)
    litert_run.check_no_delegate(it)
    if inputs is None:
        inputs = litert_run.make_inputs(litert_run.input_details(it), kind,
                                        cases, seed)
    return inputs, litert_run.run(it, inputs)


def evaluate(case, seed, ordinary=layer_models.evaluate):
    plain = case.op in NOT_IN_REFERENCE
    litert_run.run_model = run_model if plain else REFERENCE_RUN
    return ordinary(case, seed)


def one_of_each(items, _limit):
    """For each operator and type the smallest model that is not trivial."""
    best = {}
    for item in items:
        _, case, inputs, outputs = item
        moved = sum(a.size for a in outputs.values()) / layer_models.CASES
        rank = (moved < 6, len(case.model.to_bytes())
                + sum(a.nbytes for a in (*inputs.values(), *outputs.values())))
        key = (case.op, case.dtype)
        if key not in best or rank < best[key][0]:
            best[key] = (rank, item)
    return sorted((item for _, item in best.values()),
                  key=lambda item: item[0]), set()


def main(families):
    """layer_models.py with other families and two options more."""
    if "--each" in sys.argv:  # instead of --select N
        sys.argv = [w for w in sys.argv if w != "--each"] + ["--select", "1"]
        layer_models.select = one_of_each
    only = [w[7:] for w in sys.argv[1:] if w.startswith("--only=")]
    sys.argv = [w for w in sys.argv if not w.startswith("--only=")]
    layer_models.FAMILIES[:] = [
        f for f in families if not only or f[0] in only[0].split(",")]
    layer_models.evaluate = evaluate
    return layer_models.main()


if __name__ == "__main__":
    sys.exit(main(FAMILIES))
