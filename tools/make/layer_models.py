#!/usr/bin/env python3
"""Make many small random test models, each with inputs and expected outputs.

Every model is NAME.tflite + NAME.in.npz + NAME.out.npz; the expected outputs
come from LiteRT's reference kernels.  Configurations that LiteRT refuses are
listed with its reason in refused.txt and not written.

Each model carries feature tags (operator, type, padding, activation, ...).
--select N keeps a small set that still covers every tag at least once.
"""

import argparse
import os
import re
import sys

import numpy as np

import litert_run
import tflite_writer
from numerics_ref import c_round, quantize_multiplier, rescale

ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")
CASES = 6  # inputs per model: random, extreme and zero in turn


class Case:
    """A model under construction together with what it exercises."""

    def __init__(self, rng, op, dtype):
        self.rng = rng
        self.op = op
        self.dtype = dtype
        self.model = tflite_writer.Model(f"{op} {dtype}")
        self.inputs = None  # set when the model needs particular inputs
        self.define = None  # what a custom operator makes of them, in numpy
        self.tags = set()
        self.tag(op, dtype)

    def tag(self, *words):
        self.tags.add("/".join([self.op, self.dtype]
                               + [str(w) for w in words]))

    def tag_any_type(self, *words):
        """A feature that needs covering once, whatever the type: geometry
        that the kernels of all types share."""
        self.tags.add("/".join([self.op] + [str(w) for w in words]))

    def quant(self, scale=None):
        """Random scale and zero point, zero points at the ends included."""
        rng = self.rng
        if scale is None:
            scale = 2.0 ** rng.uniform(-8, 2)
        zero_point = int(rng.choice([-128, 0, 127, rng.integers(-128, 128),
                                     rng.integers(-40, 41)]))
        return np.float32(scale), zero_point

    def tensor(self, name, shape, quant=None, data=None, dtype=None):
        dtype = dtype or self.dtype
        if dtype in ("int8", "uint8"):
            scale, zero_point = quant if quant else self.quant()
            if dtype == "uint8":
                zero_point += 128
            return self.model.add_tensor(name, shape, dtype, data, scale,
                                         zero_point)
        return self.model.add_tensor(name, shape, dtype, data)

    def values(self, shape):
        """Random constant data of the case's type."""
        if self.dtype == "int8":
            return self.rng.integers(-128, 128, shape)
        return self.rng.standard_normal(shape).astype(np.float32)

    def ints(self, name, values):
        """A constant int32 vector (axes, paddings, shapes)."""
        array = np.array(values, np.int32)
        return self.model.add_tensor(name, array.shape, "int32", array)

    def activation(self):
        chosen = str(self.rng.choice(ACTIVATIONS))
        self.tag("act", chosen)
        return chosen

    def shape(self, rank, low=1, high=5):
        return tuple(int(n) for n in self.rng.integers(low, high + 1, rank))

    def finish(self, inputs, outputs):
        self.model.set_io(inputs, outputs)
        return self


def out_size(size, kernel, stride, dilation, padding):
    """Output size of a sliding window; <= 0 when the window does not fit."""
    reach = (kernel - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    return (size - reach) // stride + 1


def window(c, dilated):
    """Random geometry of a sliding window that fits its input."""
    rng = c.rng
    padding = str(rng.choice(["SAME", "VALID"]))
    kh, kw = (int(n) for n in rng.integers(1, 5, 2))
    sh, sw = (int(n) for n in rng.integers(1, 4, 2))
    dh = dw = 1
    if dilated and rng.random() < 0.35:
        dh, dw = (int(n) for n in rng.integers(1, 4, 2))
        sh = sw = 1
        c.tag("dilation")
    h = int(rng.integers(1, 8))
    w = int(rng.integers(1, 8))
    if padding == "VALID":
        h = max(h, (kh - 1) * dh + 1)
        w = max(w, (kw - 1) * dw + 1)
    elif kh > h or kw > w:
        c.tag("kernel_larger_than_input")
    c.tag("padding", padding)
    c.tag("stride", max(sh, sw))
    if sh != sw:
        c.tag("unequal_strides")
    oh = out_size(h, kh, sh, dh, padding)
    ow = out_size(w, kw, sw, dw, padding)
    return padding, (h, w), (oh, ow), (kh, kw), (sh, sw), (dh, dw)


def weight_scales(c, channels):
    """One scale, or one per channel."""
    if c.rng.random() < 0.65 and channels > 1:
        c.tag("weights", "per_channel")
        return (2.0 ** c.rng.uniform(-9, -3, channels)).astype(np.float32)
    c.tag("weights", "per_tensor")
    return np.array([2.0 ** c.rng.uniform(-9, -3)], np.float32)


def accumulator_output(c, input_scale, scales, depth):
    """An output scale for a sum of `depth` products.

    Mostly one that uses the int8 range well; sometimes one so small or so
    large that everything saturates or collapses, which tests the shifts.
    """
    typical = float(input_scale) * float(np.median(scales)) * 5000
    typical *= np.sqrt(depth) / 64
    draw = c.rng.random()
    if draw < 0.12:
        c.tag("scale", "tiny_output")
        return c.quant(typical * 2.0 ** -c.rng.uniform(8, 16))
    if draw < 0.24:
        c.tag("scale", "huge_output")
        return c.quant(typical * 2.0 ** c.rng.uniform(6, 30))
    return c.quant(typical * 2.0 ** c.rng.uniform(-1.5, 1.5))


def bias_tensor(c, channels, input_scale, scales, depth):
    """Bias of the accumulator's scale, or -1 for none."""
    if c.rng.random() < 0.2:
        c.tag("no_bias")
        return -1
    c.tag("bias")
    if c.dtype != "int8":
        return c.tensor("bias", (channels,), data=c.values((channels,)))
    reach = 4000 * int(np.sqrt(depth) + 1)
    data = c.rng.integers(-reach, reach + 1, channels)
    return c.model.add_tensor("bias", (channels,), "int32", data,
                              np.float32(input_scale) * scales,
                              [0] * len(scales))


def conv_2d(c):
    padding, (h, w), (oh, ow), (kh, kw), (sh, sw), (dh, dw) = window(c, True)
    batch = int(c.rng.choice([1, 1, 2]))
    cin, cout = (int(n) for n in c.rng.integers(1, 6, 2))
    groups = 1
    if c.rng.random() < 0.12:
        groups = 2
        c.tag("groups")
    depth = kh * kw * cin
    x_quant = c.quant()
    x = c.tensor("x", (batch, h, w, cin * groups), x_quant)
    cout *= groups
    y_shape = (batch, oh, ow, cout)
    weights = c.values((cout, kh, kw, cin))
    if c.dtype == "int8":
        scales = weight_scales(c, cout)
        f = c.model.add_tensor("w", weights.shape, "int8",
                               np.maximum(weights, -127), scales,
                               [0] * len(scales), axis=0)
        y_quant = accumulator_output(c, x_quant[0], scales, depth)
    else:
        scales, y_quant = None, None
        f = c.tensor("w", weights.shape, data=weights)
    b = bias_tensor(c, cout, x_quant[0], scales, depth)
    y = c.tensor("y", y_shape, y_quant)
    inputs = [x, f, b] if b >= 0 else [x, f]
    if b < 0 and c.rng.random() < 0.5:
        inputs = [x, f, -1]
        c.tag("absent_bias_index")
    c.model.add_op("CONV_2D", inputs, [y], padding=padding, stride_h=sh,
                   stride_w=sw, dilation_h=dh, dilation_w=dw,
                   activation=c.activation())
    if (kh, kw) == (1, 1):
        c.tag("pointwise")
    if batch > 1:
        c.tag("batch")
    return c.finish([x], [y])


def depthwise_conv_2d(c):
    padding, (h, w), (oh, ow), (kh, kw), (sh, sw), (dh, dw) = window(c, True)
    cin = int(c.rng.integers(1, 6))
    multiplier = int(c.rng.choice([1, 1, 2, 3]))
    c.tag("depth_multiplier", multiplier)
    cout = cin * multiplier
    depth = kh * kw
    x_quant = c.quant()
    x = c.tensor("x", (1, h, w, cin), x_quant)
    weights = c.values((1, kh, kw, cout))
    if c.dtype == "int8":
        scales = weight_scales(c, cout)
        f = c.model.add_tensor("w", weights.shape, "int8",
                               np.maximum(weights, -127), scales,
                               [0] * len(scales), axis=3)
        y_quant = accumulator_output(c, x_quant[0], scales, depth)
    else:
        scales, y_quant = None, None
        f = c.tensor("w", weights.shape, data=weights)
    b = bias_tensor(c, cout, x_quant[0], scales, depth)
    y = c.tensor("y", (1, oh, ow, cout), y_quant)
    inputs = [x, f, b] if b >= 0 else [x, f]
    c.model.add_op("DEPTHWISE_CONV_2D", inputs, [y], padding=padding,
                   stride_h=sh, stride_w=sw, dilation_h=dh, dilation_w=dw,
                   depth_multiplier=multiplier, activation=c.activation())
    return c.finish([x], [y])


def fully_connected(c):
    rank = int(c.rng.integers(1, 5))
    keep = bool(rank > 1 and c.rng.random() < 0.4)
    depth = int(c.rng.integers(1, 24))
    units = int(c.rng.integers(1, 10))
    x_shape = c.shape(rank - 1, 1, 3) + (depth,)
    rows = int(np.prod(x_shape[:-1], dtype=int))
    c.tag("rank", rank)
    if keep:
        c.tag("keep_num_dims")
    x_quant = c.quant()
    x = c.tensor("x", x_shape, x_quant)
    weights = c.values((units, depth))
    if c.dtype == "int8":
        scales = weight_scales(c, units)
        zero_points = [0] * len(scales)
        if len(scales) == 1 and c.rng.random() < 0.2:
            zero_points = [int(c.rng.integers(-20, 21))]
            c.tag("weights_zero_point")
        f = c.model.add_tensor("w", weights.shape, "int8",
                               np.maximum(weights, -127), scales, zero_points)
        y_quant = accumulator_output(c, x_quant[0], scales, depth)
    else:
        scales, y_quant = None, None
        f = c.tensor("w", weights.shape, data=weights)
    b = bias_tensor(c, units, x_quant[0], scales, depth)
    y_shape = x_shape[:-1] + (units,) if keep else (rows, units)
    y = c.tensor("y", y_shape, y_quant)
    inputs = [x, f, b] if b >= 0 or c.rng.random() < 0.5 else [x, f]
    c.model.add_op("FULLY_CONNECTED", inputs, [y], keep_num_dims=keep,
                   activation=c.activation(), version=5 if keep else None)
    return c.finish([x], [y])


def broadcast_shapes(c):
    """Two shapes that combine, and what they combine to."""
    rank = int(c.rng.integers(1, 6))
    full = c.shape(rank, 1, 4)
    draw = c.rng.random()
    if draw < 0.4:
        c.tag_any_type("same_shape", f"rank{rank}")
        return full, full, full
    if draw < 0.6:
        c.tag("scalar")
        small = () if c.rng.random() < 0.5 else (1,)
    elif draw < 0.75:
        c.tag("last_dimension")
        small = full[-1:]
    else:
        c.tag("broadcast")
        c.tag_any_type("broadcast", f"rank{rank}")
        small = tuple(n if c.rng.random() < 0.5 else 1 for n in full)
        small = small[int(c.rng.integers(0, rank)):]
        full = list(full)
        if c.rng.random() < 0.3 and len(small) > 1:
            full[-1] = 1  # both sides are stretched
            c.tag("broadcast_both")
        full = tuple(full)
    result = np.broadcast_shapes(full, small)
    if c.rng.random() < 0.3:
        full, small = small, full
        c.tag("first_is_smaller")
    return full, small, result


def binary(c, op, y_scale):
    a_shape, b_shape, y_shape = broadcast_shapes(c)
    a_quant, b_quant = c.quant(), c.quant()
    if c.rng.random() < 0.15:
        b_quant = (np.float32(a_quant[0] * 2.0 ** -c.rng.uniform(8, 14)),
                   b_quant[1])
        c.tag("scale", "unequal_inputs")
    a = c.tensor("a", a_shape, a_quant)
    constant = c.rng.random() < 0.4
    data = c.values(b_shape) if constant else None
    b = c.tensor("b", b_shape, b_quant, data)
    if constant:
        c.tag("constant_operand")
    scale = y_scale(a_quant[0], b_quant[0])
    draw = c.rng.random()
    if draw < 0.1:
        c.tag("scale", "tiny_output")
        scale *= 2.0 ** -c.rng.uniform(5, 10)
    elif draw < 0.2:
        c.tag("scale", "huge_output")
        scale *= 2.0 ** c.rng.uniform(6, 20)
    y = c.tensor("y", y_shape, c.quant(scale))
    c.model.add_op(op, [a, b], [y], activation=c.activation())
    order = [a] if constant else [a, b]
    return c.finish(order, [y])


def add(c):
    return binary(c, "ADD", lambda a, b: 2.0 ** c.rng.uniform(-1, 1)
                  * float(max(a, b)))


def mul(c):
    return binary(c, "MUL", lambda a, b: 2.0 ** c.rng.uniform(-1, 1)
                  * float(a) * float(b) * 60)


def pool(c, op):
    padding, (h, w), (oh, ow), (kh, kw), (sh, sw), _ = window(c, False)
    channels = int(c.rng.integers(1, 6))
    quant = c.quant()
    x = c.tensor("x", (1, h, w, channels), quant)
    y = c.tensor("y", (1, oh, ow, channels), quant)
    c.model.add_op(op, [x], [y], padding=padding, stride_h=sh, stride_w=sw,
                   filter_h=kh, filter_w=kw, activation=c.activation())
    return c.finish([x], [y])


def average_pool_2d(c):
    return pool(c, "AVERAGE_POOL_2D")


def max_pool_2d(c):
    return pool(c, "MAX_POOL_2D")


def mean(c):
    rank = int(c.rng.integers(1, 5))
    shape = c.shape(rank, 1, 6)
    count = int(c.rng.integers(1, rank + 1))
    axes = sorted(int(a) for a in c.rng.choice(rank, count, replace=False))
    if rank == 4 and c.rng.random() < 0.4:
        axes = [1, 2]
    keep = bool(c.rng.random() < 0.5)
    c.tag("rank", rank)
    c.tag("keep_dims", keep)
    c.tag_any_type("axes", "".join(map(str, axes)) if rank == 4 else "other")
    kept = tuple(1 if i in axes else n for i, n in enumerate(shape))
    y_shape = kept if keep else tuple(n for i, n in enumerate(shape)
                                      if i not in axes)
    stored = axes
    if c.rng.random() < 0.3:
        stored = [a - rank for a in axes]
        c.tag("negative_axes")
    x_quant = c.quant()
    scale = float(x_quant[0])
    if c.rng.random() < 0.7:
        scale *= 2.0 ** c.rng.uniform(-3, 2)
        c.tag("rescale")
    else:
        c.tag("equal_scales")
    x = c.tensor("x", shape, x_quant)
    a = c.ints("axes", stored)
    y = c.tensor("y", y_shape, c.quant(scale))
    c.model.add_op("MEAN", [x, a], [y], keep_dims=keep)
    return c.finish([x], [y])


def softmax(c):
    rank = int(c.rng.integers(1, 5))
    shape = c.shape(rank - 1, 1, 3) + (int(c.rng.integers(1, 20)),)
    beta = float(np.float32(c.rng.choice([1.0, 1.0, 0.3, 2.5])))
    c.tag("rank", rank)
    c.tag("beta", "one" if beta == 1 else "other")
    scale = 2.0 ** c.rng.uniform(-8, 1)
    if c.rng.random() < 0.15:
        scale = 2.0 ** c.rng.uniform(3, 8)
        c.tag("scale", "huge_input")
    x = c.tensor("x", shape, c.quant(scale))
    y = c.tensor("y", shape, (np.float32(1 / 256), -128))
    c.model.add_op("SOFTMAX", [x], [y], beta=beta)
    return c.finish([x], [y])


def reshape(c):
    shape = c.shape(int(c.rng.integers(1, 5)), 1, 4)
    total = int(np.prod(shape))
    cut = int(c.rng.choice([d for d in range(1, total + 1)
                            if total % d == 0]))
    target = (cut, total // cut)
    if c.rng.random() < 0.3:
        target = (total,)
    stored = list(target)
    how = str(c.rng.choice(["tensor", "option", "minus_one"]))
    c.tag("shape_from", how)
    if how == "minus_one":
        stored[int(c.rng.integers(0, len(stored)))] = -1
    quant = c.quant()
    x = c.tensor("x", shape, quant)
    inputs = [x]
    if how != "option":
        inputs.append(c.ints("shape", stored))
    y = c.tensor("y", target, quant)
    c.model.add_op("RESHAPE", inputs, [y], new_shape=stored)
    return c.finish([x], [y])


def pad(c, op="PAD"):
    rank = int(c.rng.integers(1, 6))
    shape = c.shape(rank, 1, 3)
    pads = c.rng.integers(0, 3, (rank, 2))
    if rank == 4 and c.rng.random() < 0.5:
        pads[0] = pads[3] = 0
        c.tag("image_style")
    c.tag_any_type("rank", rank)
    if not pads.any():
        c.tag("no_padding")
    y_shape = tuple(int(n + p.sum()) for n, p in zip(shape, pads))
    quant = c.quant()
    x = c.tensor("x", shape, quant)
    p = c.ints("paddings", pads)
    y = c.tensor("y", y_shape, quant)
    inputs = [x, p]
    if op == "PADV2":
        inputs.append(c.tensor("value", (1,) if c.rng.random() < 0.5 else (),
                               quant, c.values(())))
    c.model.add_op(op, inputs, [y])
    return c.finish([x], [y])


def padv2(c):
    return pad(c, "PADV2")


def concatenation(c):
    rank = int(c.rng.integers(1, 6))
    axis = int(c.rng.integers(0, rank))
    count = int(c.rng.integers(1, 5))
    shape = list(c.shape(rank, 1, 3))
    quant = c.quant()
    differing = c.dtype == "int8" and c.rng.random() < 0.1
    if differing:
        c.tag("differing_scales")
    inputs = []
    total = 0
    for i in range(count):
        shape[axis] = int(c.rng.integers(1, 4))
        total += shape[axis]
        inputs.append(c.tensor(f"x{i}", shape,
                               c.quant() if differing else quant))
    shape[axis] = total
    y = c.tensor("y", shape, quant)
    stored = axis
    if c.rng.random() < 0.3:
        stored = axis - rank
        c.tag("negative_axis")
    c.tag_any_type("axis", f"{axis}of{rank}")
    c.tag("inputs", count)
    c.model.add_op("CONCATENATION", inputs, [y], axis=stored)
    return c.finish(inputs, [y])


def quantize(c):
    """float32 to int8 (or uint8), with values exactly halfway included."""
    to = str(c.rng.choice(["int8", "int8", "uint8"]))
    c.tag("to", to)
    shape = c.shape(int(c.rng.integers(1, 6)), 1, 5)
    x = c.tensor("x", shape, dtype="float32")
    scale = 2.0 ** c.rng.uniform(-6, 2)
    if c.rng.random() < 0.4:
        scale = float(c.rng.choice([0.25, 1.0, 2.0]))
        c.tag("halfway")
    y = c.tensor("y", shape, c.quant(scale), dtype=to)
    c.model.add_op("QUANTIZE", [x], [y])
    return c.finish([x], [y])


def requantize(c):
    """QUANTIZE between 8-bit types with different scales."""
    pairs = [("int8", "int8"), ("int8", "uint8"), ("uint8", "int8"),
             ("uint8", "uint8")]
    source, to = pairs[int(c.rng.integers(0, len(pairs)))]
    c.tag(source, to)
    shape = c.shape(int(c.rng.integers(1, 6)), 2, 5)
    x_quant = c.quant()
    y_quant = c.quant(float(x_quant[0]) * 2.0 ** c.rng.uniform(-4, 4))
    draw = c.rng.random()
    if draw < 0.3:
        y_quant = x_quant  # uint8 adds 128: the pure sign-bit flip
        c.tag("same_scale")
    elif draw < 0.45:
        y_quant = c.quant(float(x_quant[0]) * 2.0 ** -c.rng.uniform(8, 20))
        c.tag("scale", "tiny_output")
    elif draw < 0.55:
        y_quant = c.quant(float(x_quant[0]) * 2.0 ** c.rng.uniform(8, 34))
        c.tag("scale", "huge_output")
    elif draw < 0.7:
        y_quant = c.quant(float(x_quant[0]) * 2.0)
        c.tag("halfway")
    x = c.tensor("x", shape, x_quant, dtype=source)
    y = c.tensor("y", shape, y_quant, dtype=to)
    c.model.add_op("QUANTIZE", [x], [y])
    return c.finish([x], [y])


def dequantize(c):
    source = str(c.rng.choice(["int8", "int8", "uint8"]))
    c.tag("from", source)
    shape = c.shape(int(c.rng.integers(1, 6)), 1, 5)
    x = c.tensor("x", shape, dtype=source)
    y = c.tensor("y", shape, dtype="float32")
    c.model.add_op("DEQUANTIZE", [x], [y])
    return c.finish([x], [y])


def unary(c, op, scales):
    """Elementwise operator; `scales` gives the two scales to try around."""
    shape = c.shape(int(c.rng.integers(1, 6)), 1, 5)
    x_scale, y_quant = scales()
    x = c.tensor("x", shape, c.quant(x_scale))
    y = c.tensor("y", shape, y_quant)
    c.model.add_op(op, [x], [y])
    return c.finish([x], [y])


def relu_like(op):
    def build(c):
        def scales():
            x_scale = 2.0 ** c.rng.uniform(-8, 0)
            if c.rng.random() < 0.5:
                c.tag("equal_scales")
                return x_scale, c.quant(x_scale)
            c.tag("rescale")
            return x_scale, c.quant(x_scale * 2.0 ** c.rng.uniform(-3, 2))
        return unary(c, op, scales)
    return build


def logistic(c):
    def scales():
        return 2.0 ** c.rng.uniform(-8, 0), (np.float32(1 / 256), -128)
    return unary(c, "LOGISTIC", scales)


def tanh(c):
    def scales():
        if c.rng.random() < 0.3:
            c.tag("other_output_scale")
            return 2.0 ** c.rng.uniform(-8, 0), c.quant(
                2.0 ** c.rng.uniform(-9, -5))
        return 2.0 ** c.rng.uniform(-8, 0), (np.float32(1 / 128), 0)
    return unary(c, "TANH", scales)


def tie_search(c, candidates):
    """Scales and a value for which two near formulas give different bytes.

    Whether scales are combined in float32 or double, and whether a rescale
    is fixed point or double, shows only in results next to a half.  So the
    output scale is chosen to put the value there, until both results differ.
    """
    f32 = np.float32
    while True:
        s1, s2 = (f32(2.0 ** c.rng.uniform(-6, 0)) for _ in range(2))
        if c.rng.random() < 0.3:
            s1, s2 = f32(0.5), f32(0.25)
        x1, x2 = (int(n) for n in c.rng.integers(1, 128, 2))
        half = int(c.rng.integers(0, 120)) + 0.5
        right, wrong, scale = candidates(s1, s2, x1, x2, half)
        if right != wrong and -128 <= right <= 127:
            return s1, s2, scale, x1, x2


def ties(c):
    """Results next to a half, where a slightly wrong formula is seen."""
    f32 = np.float32
    kind = str(c.rng.choice(["MUL", "RELU", "QUANTIZE", "MEAN", "CONV_2D",
                             "FULLY_CONNECTED"]))
    c.tag(kind)
    m = c.model

    def in_double(r):
        return quantize_multiplier(float(r))

    def product(s1, s2, x1, x2, half):
        sy = f32(float(s1) * float(s2) * x1 * x2 / half)
        single = in_double((s1 * s2) / sy)
        double = in_double(float(s1) * float(s2) / float(sy))
        return (int(rescale(x1 * x2, *single)),
                int(rescale(x1 * x2, *double)), sy)

    def ratio(s1, s2, x1, x2, half):
        sy = f32(float(s1) * x1 / half)
        single = int(rescale(x1, *in_double(s1 / sy)))
        double = int(rescale(x1, *in_double(float(s1) / float(sy))))
        return (single, double, sy) if kind == "RELU" else (double, single,
                                                            sy)

    def conv(s1, s2, x1, x2, half):
        sy = f32(float(s1) * float(s2) * x1 * x2 / half)
        double = in_double(float(s1) * float(s2) / float(sy))
        single = in_double(float(s1 * s2) / float(sy))
        return (int(rescale(x1 * x2, *double)),
                int(rescale(x1 * x2, *single)), sy)

    def dense(s1, s2, x1, x2, half):
        sy = f32(float(s1) * float(s2) * x1 * x2 / half)
        r = float(s1) * float(s2) / float(sy)
        return (int(c_round(-x1 * x2 * r)),
                int(rescale(-x1 * x2, *in_double(r))), sy)

    search = {"MUL": product, "CONV_2D": conv,
              "FULLY_CONNECTED": dense}.get(kind, ratio)
    s1, s2, sy, x1, x2 = tie_search(c, search)
    shape = (1, 1, 1, 1)
    x = m.add_tensor("x", shape, "int8", scale=s1, zero_point=0)
    inputs, options = [x], {}
    y_shape = shape
    if kind == "MUL":
        inputs.append(m.add_tensor("c", shape, "int8", np.array([x2]),
                                   s2, 0))
    elif kind == "MEAN":
        inputs.append(c.ints("axes", [0]))
        options = {"keep_dims": True}
    elif kind in ("CONV_2D", "FULLY_CONNECTED"):
        w_shape = shape if kind == "CONV_2D" else (1, 1)
        inputs.append(m.add_tensor("w", w_shape, "int8", np.array([x2]), s2,
                                   0))
        inputs.append(m.add_tensor("b", (1,), "int32", np.array([0]),
                                   s1 * s2, 0))
        if kind == "CONV_2D":
            options = {"padding": "VALID", "stride_h": 1, "stride_w": 1}
        else:
            y_shape = (1, 1)
    y = m.add_tensor("y", y_shape, "int8", scale=sy, zero_point=0)
    m.add_op(kind, inputs, [y], **options)
    steps = np.array([-x1, x1, x1 - 1, 1 - x1, 0], np.int8)
    c.inputs = {"input_0": steps.reshape((-1,) + shape)}
    return c.finish([x], [y])


def small_net(c):
    """Several operators with a residual ADD and a CONCATENATION."""
    rng = c.rng
    q_x, q_a, q_b, q_s = c.quant(), c.quant(), c.quant(), c.quant()
    h = w = int(rng.integers(4, 7))
    channels = int(rng.integers(2, 5))

    def conv(name, source, q_in, q_out, cin):
        weights = c.values((channels, 3, 3, cin))
        if c.dtype == "int8":
            scales = (float(q_out[0]) / float(q_in[0]) / 80
                      * 2.0 ** rng.uniform(-2, 0, channels))
            scales = scales.astype(np.float32)
            f = c.model.add_tensor(name + "_w", weights.shape, "int8",
                                   np.maximum(weights, -127), scales,
                                   [0] * channels)
            b = c.model.add_tensor(name + "_b", (channels,), "int32",
                                   rng.integers(-900, 900, channels),
                                   scales * q_in[0], [0] * channels)
        else:
            f = c.tensor(name + "_w", weights.shape, data=weights / 4)
            b = c.tensor(name + "_b", (channels,),
                         data=c.values((channels,)))
        y = c.tensor(name, (1, h, w, channels), q_out)
        c.model.add_op("CONV_2D", [source, f, b], [y], padding="SAME",
                       stride_h=1, stride_w=1, activation="RELU")
        return y

    x = c.tensor("x", (1, h, w, 2), q_x)
    a = conv("a", x, q_x, q_a, 2)
    b = conv("b", a, q_a, q_b, channels)
    s = c.tensor("sum", (1, h, w, channels), q_s)
    c.model.add_op("ADD", [a, b], [s])
    p = c.tensor("pool", (1, h // 2, w // 2, channels), q_s)
    c.model.add_op("MAX_POOL_2D", [s], [p], padding="VALID", stride_h=2,
                   stride_w=2, filter_h=2, filter_w=2)
    v = c.tensor("avg", (1, h // 2, w // 2, channels), q_s)
    c.model.add_op("AVERAGE_POOL_2D", [s], [v], padding="VALID", stride_h=2,
                   stride_w=2, filter_h=2, filter_w=2)
    t = c.tensor("both", (1, h // 2, w // 2, 2 * channels), q_s)
    c.model.add_op("CONCATENATION", [p, v], [t], axis=3)
    m = c.tensor("mean", (1, 2 * channels), q_s)
    c.model.add_op("MEAN", [t, c.ints("axes", [1, 2])], [m])
    outputs = [m]
    if rng.random() < 0.5:
        soft = c.tensor("soft", (1, 2 * channels), (np.float32(1 / 256),
                                                    -128))
        c.model.add_op("SOFTMAX", [m], [soft], beta=1.0)
        outputs = [soft]
        c.tag("softmax_tail")
    if rng.random() < 0.5:
        outputs.append(p)
        c.tag("inner_output")
    return c.finish([x], outputs)


BOTH = ("int8", "float32")
FAMILIES = [
    ("CONV_2D", conv_2d, BOTH),
    ("DEPTHWISE_CONV_2D", depthwise_conv_2d, BOTH),
    ("FULLY_CONNECTED", fully_connected, BOTH),
    ("ADD", add, BOTH),
    ("MUL", mul, BOTH),
    ("AVERAGE_POOL_2D", average_pool_2d, BOTH),
    ("MAX_POOL_2D", max_pool_2d, BOTH),
    ("MEAN", mean, BOTH),
    ("SOFTMAX", softmax, BOTH),
    ("RESHAPE", reshape, BOTH),
    ("PAD", pad, BOTH),
    ("PADV2", padv2, BOTH),
    ("CONCATENATION", concatenation, BOTH),
    ("QUANTIZE", quantize, ("float32",)),
    ("REQUANTIZE", requantize, ("int8",)),
    ("DEQUANTIZE", dequantize, ("int8",)),
    ("RELU", relu_like("RELU"), BOTH),
    ("RELU6", relu_like("RELU6"), BOTH),
    ("RELU_N1_TO_1", relu_like("RELU_N1_TO_1"), BOTH),
    ("LOGISTIC", logistic, BOTH),
    ("TANH", tanh, BOTH),
    ("TIES", ties, ("int8",)),
    ("NET", small_net, BOTH),
]


def generate(count, seed):
    """Yield (name, case) for `count` models, the families in turn."""
    kinds = [(op, build, dtype) for op, build, dtypes in FAMILIES
             for dtype in dtypes]
    for number in range(count):
        op, build, dtype = kinds[number % len(kinds)]
        rng = np.random.default_rng([seed, number])
        case = build(Case(rng, op, dtype))
        yield f"{op.lower()}_{dtype}_{number // len(kinds):03d}", case


def graph_output_shapes(model):
    return [tuple(model.main.tensors[i].shape) for i in model.main.outputs]


def evaluate(case, seed):
    """Run a case in LiteRT; returns (inputs, outputs, reason refused)."""
    data = case.model.to_bytes()
    answer, error = litert_run.isolated(litert_run.run_model, data, "mixed",
                                        CASES, seed, case.inputs)
    if error:
        return None, None, error
    inputs, outputs = answer
    for i, shape in enumerate(graph_output_shapes(case.model)):
        got = outputs[f"output_{i}"].shape[1:]
        if got != shape:
            raise AssertionError(f"{case.model.description}: output {i} is "
                                 f"{got}, the model says {shape}")
    return inputs, outputs, None


def select(items, limit):
    """Greedy cover: take the model adding most new tags, small ones first.

    When every tag is covered, further models are added family by family so
    that each has about the same number.
    """
    left = sorted(items, key=lambda item: (len(item[1].model.to_bytes()),
                                           item[0]))
    covered, chosen = set(), []
    while left and len(chosen) < limit:
        best = max(left, key=lambda item: len(item[1].tags - covered))
        if not best[1].tags - covered:
            break
        chosen.append(best)
        covered |= best[1].tags
        left.remove(best)
    while left and len(chosen) < limit:
        have = {}
        for _, case, _, _ in chosen:
            key = (case.op, case.dtype)
            have[key] = have.get(key, 0) + 1
        best = min(left, key=lambda item: have.get((item[1].op,
                                                    item[1].dtype), 0))
        chosen.append(best)
        left.remove(best)
    missing = set().union(*(i[1].tags for i in items)) - covered
    return sorted(chosen, key=lambda item: item[0]), missing


def write(directory, name, case, inputs, outputs):
    base = os.path.join(directory, name)
    case.model.save(base + ".tflite")
    litert_run.save_npz(base + ".in.npz", inputs)
    litert_run.save_npz(base + ".out.npz", outputs)


def write_refused(path, refused):
    """One line per kind of refusal: how often, an example, the reason.

    Numbers in brackets are dropped: LiteRT prints scales as integers there,
    which gives a different meaningless number every time.
    """
    kinds = {}
    for name, case, reason in refused:
        reason = re.sub(r" \([^()]* != [^()]*\)", "", reason)
        kinds.setdefault((case.op, case.dtype, reason), []).append(name)
    with open(path, "w", encoding="utf-8") as f:
        for (op, dtype, reason), names in sorted(kinds.items()):
            f.write(f"{op} {dtype}: {len(names)} (as {names[0]}): {reason}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("outdir")
    parser.add_argument("--count", type=int, default=400,
                        help="models to try, all families in turn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--select", type=int, metavar="N",
                        help="keep only N models that cover every feature")
    args = parser.parse_args()
    os.makedirs(args.outdir, exist_ok=True)
    _, error = litert_run.isolated(litert_run.verify_reference_kernels)
    if error:
        sys.exit(error)
    made, refused = [], []
    for number, (name, case) in enumerate(generate(args.count, args.seed)):
        inputs, outputs, reason = evaluate(case, [args.seed, number])
        if reason:
            refused.append((name, case, reason))
        else:
            made.append((name, case, inputs, outputs))
    missing = set()
    tried = len(made) + len(refused)
    if args.select:
        made, missing = select(made, args.select)
    for item in made:
        write(args.outdir, *item)
    write_refused(os.path.join(args.outdir, "refused.txt"), refused)
    print(f"{tried} tried, {len(refused)} refused by LiteRT "
          f"{litert_run.litert_version()}, {len(made)} written")
    if missing:
        print("not covered:", " ".join(sorted(missing)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
