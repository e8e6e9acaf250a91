#!/usr/bin/env python3
"""Random test models of operators in their rarer types: uint8, int16, int4 and
float16 weights, float activations with int8 weights, and operators with state.

The same options and files as operator_models.py; the families are others.
The type in a model's name says which mixture it is.
"""

import sys

import numpy as np

import litert_run
import layer_models
import operator_models
from layer_models import Case, broadcast_shapes, window
from tflite_writer import BUILTINS, OPTIONS

BUILTINS.update({
    "EMBEDDING_LOOKUP": 7, "RNN": 24, "SVDF": 27,
    "UNIDIRECTIONAL_SEQUENCE_RNN": 35, "UNIDIRECTIONAL_SEQUENCE_LSTM": 44,
    "TOPK_V2": 48, "ADD_N": 106, "RANGE": 96, "RANK": 110, "ZEROS_LIKE": 93,
    "ONE_HOT": 85, "SCATTER_ND": 122, "REVERSE_SEQUENCE": 112, "L2_POOL_2D": 12,
    "LOCAL_RESPONSE_NORMALIZATION": 13, "CONV_3D": 132, "ATAN2": 156,
    "RFFT2D": 131, "COMPLEX_ABS": 135, "DYNAMIC_UPDATE_SLICE": 151,
    "MATRIX_DIAG": 113, "MATRIX_SET_DIAG": 115, "SPARSE_TO_DENSE": 68,
    "FAKE_QUANT": 80, "BITWISE_XOR": 160, "RIGHT_SHIFT": 161,
    "BROADCAST_ARGS": 145, "SEGMENT_SUM": 125, "CONV_3D_TRANSPOSE": 141,
    "IF": 118, "WHILE": 119,
})
OPTIONS.update({
    "SVDF": (6, [(0, "rank", "i32", 0), (1, "activation", "act", 0),
                 (2, "asymmetric_quantize_inputs", "bool", 0)]),
    "RNN": (7, [(0, "activation", "act", 0),
                (1, "asymmetric_quantize_inputs", "bool", 0)]),
    "UNIDIRECTIONAL_SEQUENCE_RNN": (
        31, [(0, "time_major", "bool", 0), (1, "activation", "act", 0),
             (2, "asymmetric_quantize_inputs", "bool", 0)]),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (
        71, [(0, "activation", "act", 0), (1, "cell_clip", "f32", 0.0),
             (2, "proj_clip", "f32", 0.0), (3, "time_major", "bool", 0),
             (4, "asymmetric_quantize_inputs", "bool", 0)]),
    "TOPK_V2": (34, []),
    "ONE_HOT": (61, [(0, "axis", "i32", 0)]),
    "REVERSE_SEQUENCE": (87, [(0, "seq_dim", "i32", 0),
                              (1, "batch_dim", "i32", 0)]),
    "L2_POOL_2D": (5, OPTIONS["MAX_POOL_2D"][1]),
    "LOCAL_RESPONSE_NORMALIZATION": (
        13, [(0, "radius", "i32", 0), (1, "bias", "f32", 0.0),
             (2, "alpha", "f32", 0.0), (3, "beta", "f32", 0.0)]),
    "IF": (92, [(0, "then_subgraph", "i32", 0), (1, "else_subgraph", "i32", 0)]),
    "WHILE": (93, [(0, "cond_subgraph", "i32", 0),
                   (1, "body_subgraph", "i32", 0)]),
})


def float_data(c, shape):
    return c.rng.standard_normal(shape).astype(np.float32)


# ---- layers ----------------------------------------------------------------

def quant_of(c, dtype, scale=None):
    """Scale and zero point that the type allows."""
    scale = np.float32(2.0 ** c.rng.uniform(-8, 2) if scale is None else scale)
    if dtype == "int16":
        return scale, 0
    zero = int(c.rng.integers(0, 256))
    return scale, zero if dtype == "uint8" else zero - 128


def layer(op, weight_shape, axis):
    """Builder of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and
    TRANSPOSE_CONV; `weight_shape(c, geometry)` and the axis of channels."""
    def build(c):
        mix = c.dtype
        options, x_shape, w_shape, y_shape = weight_shape(c)
        channels = w_shape[axis]
        each = int(np.prod(w_shape)) // channels
        options["activation"] = c.activation()
        if mix == "float16":
            half = float_data(c, w_shape).astype(np.float16)
            x = c.model.add_tensor("x", x_shape, "float32")
            h = c.model.add_tensor("h", w_shape, "float16", half)
            w = c.model.add_tensor("w", w_shape, "float32")
            c.model.add_op("DEQUANTIZE", [h], [w], version=3)
            b = c.model.add_tensor("b", (channels,), "float32",
                                   float_data(c, (channels,)))
            y = c.model.add_tensor("y", y_shape, "float32")
            return finish(c, op, [x, w, b], [x], y, options)
        if mix.startswith("hybrid"):
            many = c.rng.random() < 0.5 and channels > 1
            scales = (2.0 ** c.rng.uniform(-9, -3, channels if many else 1))
            x = c.model.add_tensor("x", x_shape, "float32")
            w = c.model.add_tensor("w", w_shape, "int8",
                                   c.rng.integers(-127, 128, w_shape),
                                   scales.astype(np.float32),
                                   [0] * len(scales), axis=axis)
            b = c.model.add_tensor("b", (channels,), "float32",
                                   float_data(c, (channels,)))
            y = c.model.add_tensor("y", y_shape, "float32")
            if op == "FULLY_CONNECTED":
                options["asymmetric_quantize_inputs"] = mix == "hybrid_asym"
            return finish(c, op, [x, w, b], [x], y, options)
        act = {"int4": "int8"}.get(mix, mix.split("_")[0])
        xq = quant_of(c, act)
        many = mix != "uint8" and c.rng.random() < 0.5 and channels > 1
        scales = (2.0 ** c.rng.uniform(-9, -3, channels if many else 1)).astype(
            np.float32)
        yq = quant_of(c, act, float(xq[0]) * float(np.median(scales)) * each ** 0.5
                      * (60 if act == "int16" else 100)
                      * 2.0 ** c.rng.uniform(-2, 2))
        x = c.model.add_tensor("x", x_shape, act, None, *xq)
        if mix == "uint8":
            zero = int(c.rng.integers(0, 256))
            w = c.model.add_tensor("w", w_shape, "uint8",
                                   c.rng.integers(0, 256, w_shape), scales, zero)
        elif mix == "int4":
            values = c.rng.integers(-7, 8, int(np.prod(w_shape)))
            padded = np.append(values, np.zeros(len(values) % 2, int)) & 15
            packed = (padded[0::2] | padded[1::2] << 4).astype(np.uint8)
            w = c.model.add_tensor(
                "w", w_shape, "int4", None, scales, [0] * len(scales), axis=axis,
                buffer=c.model.add_buffer(packed.tobytes()))
        else:
            w = c.model.add_tensor("w", w_shape, "int8",
                                   c.rng.integers(-127, 128, w_shape), scales,
                                   [0] * len(scales), axis=axis)
        inputs = [x, w]
        if c.rng.random() < 0.8:
            wide = "int64" if mix == "int16" else "int32"
            reach = 3000
            b = c.model.add_tensor("b", (channels,), wide,
                                   c.rng.integers(-reach, reach, channels),
                                   (xq[0] * scales).astype(np.float32),
                                   [0] * len(scales))
            inputs.append(b)
        y = c.model.add_tensor("y", y_shape, act, None, *yq)
        return finish(c, op, inputs, [x], y, options)
    return build


VERSION = {"CONV_2D": 4, "DEPTHWISE_CONV_2D": 5, "FULLY_CONNECTED": 7,
           "TRANSPOSE_CONV": 4}


def finish(c, op, inputs, order, y, options):
    if op == "TRANSPOSE_CONV":
        shape = c.ints("shape", c.model.main.tensors[y].shape)
        inputs = [shape, inputs[1], inputs[0]] + inputs[2:]
    c.model.add_op(op, inputs, [y], version=VERSION.get(op, 1), **options)
    return c.finish(order, [y])


def conv_shape(c):
    padding, hw, out, k, s, d = window(c, True)
    cin, cout = (int(n) for n in c.rng.integers(1, 6, 2))
    return (dict(padding=padding, stride_h=s[0], stride_w=s[1],
                 dilation_h=d[0], dilation_w=d[1]),
            (1, *hw, cin), (cout, *k, cin), (1, *out, cout))


def deep_shape(c):
    padding, hw, out, k, s, d = window(c, True)
    cin, each = int(c.rng.integers(1, 6)), int(c.rng.choice([1, 1, 2]))
    return (dict(padding=padding, stride_h=s[0], stride_w=s[0],
                 dilation_h=d[0], dilation_w=d[1], depth_multiplier=each),
            (1, *hw, cin), (1, *k, cin * each),
            (1, layer_models.out_size(hw[0], k[0], s[0], d[0], padding),
             layer_models.out_size(hw[1], k[1], s[0], d[1], padding),
             cin * each))


def dense_shape(c):
    depth, units, rows = (int(n) for n in c.rng.integers(1, 12, 3))
    rows = 1 + rows % 3
    return {}, (rows, depth), (units, depth), (rows, units)


def turned_shape(c):
    padding = str(c.rng.choice(["SAME", "VALID"]))
    h, w, cin, cout = (int(n) for n in c.rng.integers(1, 5, 4))
    kh, kw, sh, sw = (int(n) for n in c.rng.integers(1, 4, 4))
    out = ((h * sh, w * sw) if padding == "SAME" else
           ((h - 1) * sh + max(kh, sh), (w - 1) * sw + max(kw, sw)))
    if padding == "SAME":
        out = ((h - 1) * sh + 1, (w - 1) * sw + 1)
    else:
        out = ((h - 1) * sh + kh, (w - 1) * sw + kw)
    return (dict(padding=padding, stride_h=sh, stride_w=sw), (1, h, w, cin),
            (cout, kh, kw, cin), (1, *out, cout))


# ---- elements --------------------------------------------------------------

def tensor(c, name, shape, quant, data=None):
    return c.model.add_tensor(name, shape, c.dtype, data, *quant)


def pair(op, y_scale, version, pot=False):
    def build(c):
        a_shape, b_shape, y_shape = broadcast_shapes(c)
        aq, bq = quant_of(c, c.dtype), quant_of(c, c.dtype)
        yq = quant_of(c, c.dtype, y_scale(c, float(aq[0]), float(bq[0])))
        options = dict(activation=c.activation())
        if op in ("ADD", "SUB"):
            options["pot_scale_int16"] = False
        if pot:
            options["pot_scale_int16"] = True
            p = int(c.rng.integers(-14, -6))
            aq = (np.float32(2.0 ** p), 0)
            bq = (np.float32(2.0 ** (p - int(c.rng.integers(0, 4)))), 0)
            yq = aq
            b_shape = y_shape = a_shape
        a, b = tensor(c, "a", a_shape, aq), tensor(c, "b", b_shape, bq)
        y = tensor(c, "y", y_shape, yq)
        c.model.add_op(op, [a, b], [y], version=version, **options)
        return c.finish([a, b], [y])
    return build


def pool(op):
    def build(c):
        padding, hw, out, k, s, _ = window(c, False)
        channels = int(c.rng.integers(1, 6))
        quant = quant_of(c, c.dtype)
        x = tensor(c, "x", (1, *hw, channels), quant)
        y = tensor(c, "y", (1, *out, channels), quant)
        c.model.add_op(op, [x], [y], version=3, padding=padding, stride_h=s[0],
                       stride_w=s[1], filter_h=k[0], filter_w=k[1],
                       activation=c.activation())
        return c.finish([x], [y])
    return build


def unary(op, y_quant, version=3, scales=(-14, -9), **options):
    def build(c):
        shape = c.shape(int(c.rng.integers(1, 4)), 1, 6)
        xq = quant_of(c, c.dtype, 2.0 ** c.rng.uniform(*scales)
                      if c.dtype == "int16" else None)
        if c.dtype == "int16" and c.rng.random() < 0.3:
            xq = (np.float32(2.0 ** int(c.rng.integers(-13, -10))), 0)
        x = tensor(c, "x", shape, xq)
        y = tensor(c, "y", shape, y_quant(c, xq))
        c.model.add_op(op, [x], [y], version=version,
                       **{k: v(c) for k, v in options.items()})
        if c.dtype == "int16":
            c.inputs = {"input_0": c.rng.integers(
                -32768, 32768, (6,) + shape).astype(np.int16)}
        return c.finish([x], [y])
    return build


def compare(op):
    def build(c):
        a_shape, b_shape, y_shape = broadcast_shapes(c)
        aq, bq = (quant_of(c, c.dtype, 2.0 ** c.rng.uniform(-12, -4))
                  for _ in range(2))
        a, b = tensor(c, "a", a_shape, aq), tensor(c, "b", b_shape, bq)
        y = c.model.add_tensor("y", y_shape, "bool")
        c.model.add_op(op, [a, b], [y], version=2)
        return c.finish([a, b], [y])
    return build


def divide(c):
    """Quotients of one half and more, see operator_models.py."""
    shape = c.shape(2, 1, 6)
    aq, bq = quant_of(c, c.dtype), quant_of(c, c.dtype)
    yq = quant_of(c, c.dtype, float(aq[0]) / float(bq[0]) * 0.01)
    a, b = tensor(c, "a", shape, aq), tensor(c, "b", shape, bq)
    y = tensor(c, "y", shape, yq)
    c.model.add_op("DIV", [a, b], [y], version=2)
    c.inputs = {"input_0": c.rng.integers(5000, 32768, (6,) + shape).astype(
        np.int16), "input_1": c.rng.integers(1, 5000, (6,) + shape).astype(
            np.int16)}
    return c.finish([a, b], [y])


def positive(op):
    """Roots: LiteRT refuses negative values."""
    def build(c):
        shape = c.shape(2, 1, 6)
        xq = quant_of(c, c.dtype, 2.0 ** c.rng.uniform(-12, -4))
        yq = quant_of(c, c.dtype, 2.0 ** c.rng.uniform(-12, -6))
        x, y = tensor(c, "x", shape, xq), tensor(c, "y", shape, yq)
        c.model.add_op(op, [x], [y], version=2)
        c.inputs = {"input_0": c.rng.integers(1, 32768, (6,) + shape).astype(
            np.int16)}
        return c.finish([x], [y])
    return build


def resize(c):
    h, w, n = (int(k) for k in c.rng.integers(1, 6, 3))
    size = [int(k) for k in c.rng.integers(1, 9, 2)]
    quant = quant_of(c, c.dtype)
    x = tensor(c, "x", (1, h, w, n), quant)
    y = tensor(c, "y", (1, *size, n), quant)
    corners = bool(c.rng.random() < 0.4)
    c.model.add_op("RESIZE_BILINEAR", [x, c.ints("size", size)], [y],
                   version=4, align_corners=corners,
                   half_pixel_centers=not corners and c.rng.random() < 0.5)
    return c.finish([x], [y])


def fine(c, x):
    return quant_of(c, c.dtype, 2.0 ** c.rng.uniform(-13, -8))


def unit(c, x):
    return {"int16": (np.float32(1 / 32768), 0),
            "uint8": (np.float32(1 / 256), 0)}[c.dtype]


def near(c, x):
    return quant_of(c, c.dtype, float(x[0]) * 2.0 ** c.rng.uniform(-1, 1))


def same(c, x):
    return x


def beta(c):
    return float(np.float32(c.rng.choice([1.0, 0.3, 2.5])))


def mean(op):
    def build(c):
        shape = c.shape(4, 1, 6)
        axes = [1, 2] if c.rng.random() < 0.5 else [int(c.rng.integers(0, 4))]
        xq = quant_of(c, c.dtype)
        yq = quant_of(c, c.dtype, float(xq[0]) * 2.0 ** c.rng.uniform(-1, 2))
        x = tensor(c, "x", shape, xq)
        y = tensor(c, "y", tuple(1 if i in axes else n
                                 for i, n in enumerate(shape)), yq)
        c.model.add_op(op, [x, c.ints("axes", axes)], [y], version=2,
                       keep_dims=True)
        return c.finish([x], [y])
    return build


def requantize(c):
    source, target = c.dtype.split("_")
    shape = c.shape(2, 1, 8)
    xq = quant_of(c, source)
    if source == "int32":
        xq = (xq[0], 0)
    yq = quant_of(c, target, float(xq[0]) * 2.0 ** c.rng.uniform(-2, 8))
    if target == "int32":
        yq = (yq[0], 0)
    x = c.model.add_tensor("x", shape, source, None, *xq)
    y = c.model.add_tensor("y", shape, target, None, *yq)
    c.model.add_op("QUANTIZE", [x], [y], version=3)
    return c.finish([x], [y])


def dense_matmul(c):
    """Float data by int8 weights."""
    rows, columns, depth = (int(n) for n in c.rng.integers(1, 6, 3))
    adj_y = bool(c.rng.random() < 0.5)
    shape = (columns, depth) if adj_y else (depth, columns)
    a = c.model.add_tensor("a", (2, rows, depth), "float32")
    b = weights_of(c, "b", shape)
    y = c.model.add_tensor("y", (2, rows, columns), "float32")
    c.model.add_op("BATCH_MATMUL", [a, b], [y], version=4, adj_y=adj_y,
                   **asymmetric(c))
    return c.finish([a], [y])


def batch_matmul(c):
    if c.dtype.startswith("hybrid"):
        return dense_matmul(c)
    left, right = c.dtype.split("_")
    rows, columns, depth = (int(n) for n in c.rng.integers(1, 6, 3))
    adj_y = bool(c.rng.random() < 0.5)
    b_shape = (columns, depth) if adj_y else (depth, columns)
    aq, bq = quant_of(c, left), (np.float32(2.0 ** c.rng.uniform(-8, -3)), 0)
    yq = quant_of(c, left, float(aq[0]) * float(bq[0]) * 300)
    a = c.model.add_tensor("a", (2, rows, depth), left, None, *aq)
    b = c.model.add_tensor("b", (2,) + b_shape, right, None, *bq)
    y = c.model.add_tensor("y", (2, rows, columns), left, None, *yq)
    c.model.add_op("BATCH_MATMUL", [a, b], [y], version=3, adj_y=adj_y)
    return c.finish([a, b], [y])


def add_like(c, a, b):
    return 2.0 ** c.rng.uniform(-1, 1) * max(a, b)


def mul_like(c, a, b):
    return a * b * (20000 if c.dtype == "int16" else 60)


# ---- layers with state -----------------------------------------------------

def variable(c, name, shape, dtype, quant=(None, None)):
    return c.model.add_tensor(name, shape, dtype, None, *quant,
                              is_variable=True)


def weights_of(c, name, shape):
    """Weights of layers with float data: float, or int8."""
    if c.dtype == "float32":
        return c.model.add_tensor(name, shape, "float32", float_data(c, shape))
    return c.model.add_tensor(name, shape, "int8",
                              c.rng.integers(-127, 128, shape),
                              np.float32(2.0 ** c.rng.uniform(-8, -5)), 0)


def asymmetric(c):
    if not c.dtype.startswith("hybrid"):
        return {}
    return dict(asymmetric_quantize_inputs=c.dtype == "hybrid_asym")


def svdf(c):
    batch, depth, units, rank, memory = (int(n) for n in
                                         c.rng.integers(1, 5, 5))
    filters = units * rank
    hybrid = c.dtype.startswith("hybrid")
    if c.dtype == "float32" or hybrid:
        x = c.model.add_tensor("x", (batch, depth), "float32")
        wf = weights_of(c, "wf", (filters, depth))
        wt = weights_of(c, "wt", (filters, memory))
        b = c.model.add_tensor("b", (units,), "float32",
                               float_data(c, (units,)))
        s = variable(c, "s", (batch, memory * filters), "float32")
        y = c.model.add_tensor("y", (batch, units), "float32")
    else:
        xq, yq = c.quant(), c.quant(2.0 ** c.rng.uniform(-4, 1))
        x = c.model.add_tensor("x", (batch, depth), "int8", None, *xq)
        wf = c.model.add_tensor("wf", (filters, depth), "int8",
                                c.rng.integers(-127, 128, (filters, depth)),
                                np.float32(2.0 ** c.rng.uniform(-8, -5)), 0)
        wt = c.model.add_tensor("wt", (filters, memory), "int16",
                                c.rng.integers(-9000, 9000, (filters, memory)),
                                np.float32(2.0 ** c.rng.uniform(-14, -11)), 0)
        b = c.model.add_tensor("b", (units,), "int32",
                               c.rng.integers(-30000, 30000, units),
                               np.float32(1e-4), 0)
        s = variable(c, "s", (batch, memory * filters), "int16",
                     (np.float32(2.0 ** c.rng.uniform(-11, -8)), 0))
        y = c.model.add_tensor("y", (batch, units), "int8", None, *yq)
    inputs = [x, wf, wt, b if c.rng.random() < 0.7 else -1, s]
    act = "RELU" if c.dtype == "int8" else c.activation()
    c.model.add_op("SVDF", inputs, [y], version=3 if c.dtype == "int8" else 1,
                   rank=rank, activation=act, **asymmetric(c))
    return c.finish([x], [y])


def rnn(op):
    def build(c):
        batch, steps, depth, units = (int(n) for n in c.rng.integers(1, 5, 4))
        major = bool(c.rng.random() < 0.5)
        shape = (batch, depth)
        if op != "RNN":
            shape = (steps, batch, depth) if major else (batch, steps, depth)
        x = c.model.add_tensor("x", shape, "float32")
        w = weights_of(c, "w", (units, depth))
        r = weights_of(c, "r", (units, units))
        b = c.model.add_tensor("b", (units,), "float32",
                               float_data(c, (units,)))
        h = variable(c, "h", (batch, units), "float32")
        y = c.model.add_tensor("y", shape[:-1] + (units,), "float32")
        options = dict(activation=str(c.rng.choice(["TANH", "RELU6"])),
                       **asymmetric(c))
        if op != "RNN":
            options["time_major"] = major
        c.model.add_op(op, [x, w, r, b, h], [y], **options)
        return c.finish([x], [y])
    return build


def lstm(c):
    """With and without input gate, peepholes, projection, normalisation."""
    batch, steps, depth, cells = (int(n) for n in c.rng.integers(1, 5, 4))
    cells = 2 ** int(c.rng.integers(0, 3))
    hybrid = c.dtype.startswith("hybrid")
    real, wide = c.dtype == "float32" or hybrid, c.dtype == "int16"
    project = bool(c.rng.random() < 0.4) and not wide
    outputs = int(c.rng.integers(1, 5)) if project else cells
    coupled = bool(c.rng.random() < 0.3) and not wide
    peephole = bool(c.rng.random() < 0.4) and (real or outputs == cells)
    peephole = peephole and not wide
    norm = real and bool(c.rng.random() < 0.3)
    major = bool(c.rng.random() < 0.5)
    xq, hq = c.quant(2.0 ** c.rng.uniform(-7, -4)), c.quant(
        2.0 ** c.rng.uniform(-8, -6))
    if wide:  # TensorFlow Lite Micro's form
        xq = (np.float32(2.0 ** c.rng.uniform(-15, -12)), 0)
        hq = (np.float32(2.0 ** c.rng.uniform(-16, -14)), 0)

    def weights(name, shape, kind="int8", scale=2.0 ** -6):
        if real and (len(shape) > 1 or name[0] == "p"):
            return weights_of(c, name, shape)
        if real:
            return c.model.add_tensor(name, shape, "float32",
                                      float_data(c, shape))
        reach = 127 if kind == "int8" else 20000
        return c.model.add_tensor(name, shape, kind,
                                  c.rng.integers(-reach, reach, shape),
                                  np.float32(scale * c.rng.uniform(0.5, 2)), 0)

    def bias(name, count, spread=3000):
        if real:
            return c.model.add_tensor(name, (count,), "float32",
                                      float_data(c, (count,)))
        if wide:
            spread *= 500
        return c.model.add_tensor(name, (count,), "int64" if wide else "int32",
                                  c.rng.integers(-spread, spread, count),
                                  np.float32(1e-4), 0)

    shape = (steps, batch, depth) if major else (batch, steps, depth)
    data = "float32" if real else c.dtype
    x = c.model.add_tensor("x", shape, data, None,
                           *((None, None) if real else xq))
    inputs = [x] + [-1] * 23
    for g in range(1 if coupled else 0, 4):
        inputs[1 + g] = weights(f"w{g}", (cells, depth))
        inputs[5 + g] = weights(f"r{g}", (cells, outputs))
        inputs[12 + g] = bias(f"b{g}", cells)
        if norm:
            inputs[20 + g] = weights(f"n{g}", (cells,))
    if peephole:
        for g in range(1 if coupled else 0, 3):
            inputs[9 + g] = weights(f"p{g}", (cells,), "int16", 2.0 ** -15)
    if project:
        inputs[16] = weights("p", (outputs, cells))
        if c.rng.random() < 0.5:
            inputs[17] = bias("q", outputs)
    if real:
        inputs[18] = variable(c, "h", (batch, outputs), "float32")
        inputs[19] = variable(c, "c", (batch, cells), "float32")
    else:
        inputs[18] = variable(c, "h", (batch, outputs), c.dtype, hq)
        inputs[19] = variable(c, "c", (batch, cells), "int16", (
            np.float32(2.0 ** int(c.rng.integers(-13, -9))), 0))
    y = c.model.add_tensor("y", shape[:-1] + (outputs,), data, None,
                           *((None, None) if real else hq))
    hidden = hq if not project else c.quant(2.0 ** c.rng.uniform(-8, -6))
    between = [c.model.add_tensor(f"i{i}", (0,), "int16", None,
                                  np.float32(1.0), 0) for i in range(4)]
    between.append(c.model.add_tensor("i4", (0,), "int8", None, *hidden))
    c.model.add_op("UNIDIRECTIONAL_SEQUENCE_LSTM",
                   inputs if norm or wide else inputs[:20], [y], version=2,
                   activation="TANH", time_major=major, **asymmetric(c),
                   cell_clip=float(c.rng.choice([0.0, 1.5])),
                   proj_clip=float(c.rng.choice([0.0, 0.5])))
    if not real:
        c.model.main.ops[-1].intermediates = between
    return c.finish([x], [y])


# ---- others ----------------------------------------------------------------

def top_k(c):
    shape = c.shape(2, 2, 6)
    k = int(c.rng.integers(1, shape[1] + 1))
    quant = c.quant() if c.dtype == "int8" else (None, None)
    x = c.model.add_tensor("x", shape, c.dtype, None, *quant)
    v = c.model.add_tensor("v", (shape[0], k), c.dtype, None, *quant)
    i = c.model.add_tensor("i", (shape[0], k), "int32")
    count = c.model.add_tensor("k", (), "int32", np.array(k, np.int32))
    c.model.add_op("TOPK_V2", [x, count], [v, i], version=2)
    if c.dtype == "float32":  # no ties: their order is LiteRT's secret
        c.inputs = {"input_0": np.stack([
            c.rng.permutation(shape[0] * shape[1]).reshape(shape)
            for _ in range(6)]).astype(np.float32)}
    else:
        c.inputs = {"input_0": np.stack([
            c.rng.permutation(100)[:shape[0] * shape[1]].reshape(shape)
            for _ in range(6)]).astype(np.int8)}
    return c.finish([x], [v, i])


def embedding_lookup(c):
    rows, width, picks = (int(n) for n in c.rng.integers(2, 7, 3))
    i = c.model.add_tensor("i", (picks,), "int32")
    t = weights_of(c, "t", (rows, width))
    y = c.model.add_tensor("y", (picks, width), "float32")
    c.model.add_op("EMBEDDING_LOOKUP", [i, t], [y], version=3)
    c.inputs = {"input_0": c.rng.integers(0, rows, (6, picks)).astype(
        np.int32)}
    return c.finish([i], [y])


def rfft2d(c):
    h, w = (2 ** int(n) for n in c.rng.integers(0, 4, 2))
    w *= 2
    x = c.model.add_tensor("x", (2, h, w), "float32")
    z = c.model.add_tensor("z", (2, h, w // 2 + 1), "complex64")
    y = c.model.add_tensor("y", (2, h, w // 2 + 1), "float32")
    c.model.add_op("RFFT2D", [x, c.ints("n", [h, w])], [z])
    c.model.add_op("COMPLEX_ABS", [z], [y])
    c.inputs = {"input_0": float_data(c, (6, 2, h, w))}
    return c.finish([x], [y])


# ---- control flow whose course is known --------------------------------------

def loop(c):
    """A counter from 0 to a constant; each round scales the value."""
    m, shape = c.model, (1, 4)
    i = m.add_tensor("i", (1,), "int32", np.array([0], np.int32))
    x = m.add_tensor("x", shape, "float32")
    last = m.add_tensor("last", (1,), "int32")
    y = m.add_tensor("y", shape, "float32")
    m.add_op("WHILE", [i, x], [last, y], cond_subgraph=1, body_subgraph=2)
    g = m.add_subgraph("condition")
    a, b = (g.add_tensor("a", (1,), "int32"),
            g.add_tensor("b", shape, "float32"))
    n = g.add_tensor("n", (1,), "int32",
                     np.array([int(c.rng.integers(0, 5))], np.int32))
    t = g.add_tensor("t", (1,), "bool")
    g.add_op("LESS", [a, n], [t])
    g.set_io([a, b], [t])
    g = m.add_subgraph("body")
    a, b = (g.add_tensor("a", (1,), "int32"),
            g.add_tensor("b", shape, "float32"))
    one = g.add_tensor("one", (1,), "int32", np.array([1], np.int32))
    k = g.add_tensor("k", (4,), "float32", float_data(c, (4,)))
    more = g.add_tensor("more", (1,), "int32")
    scaled = g.add_tensor("scaled", shape, "float32")
    g.add_op("ADD", [a, one], [more])
    g.add_op("MUL", [b, k], [scaled])
    g.set_io([a, b], [more, scaled])
    return c.finish([x], [y])


def branch(c):
    m, shape = c.model, (1, 4)
    truth = m.add_tensor("c", (1,), "bool",
                         np.array([bool(c.rng.random() < 0.5)]))
    x = m.add_tensor("x", shape, "float32")
    y = m.add_tensor("y", shape, "float32")
    m.add_op("IF", [truth, x], [y], then_subgraph=1, else_subgraph=2)
    for op in ("TANH", "NEG"):
        g = m.add_subgraph(op)
        a, b = (g.add_tensor("a", shape, "float32"),
                g.add_tensor("b", shape, "float32"))
        g.add_op(op, [a], [b])
        g.set_io([a], [b])
    return c.finish([x], [y])


HYBRID = ("hybrid", "hybrid_asym")
LAYERS = ("uint8", "int16", "hybrid", "float16")
FAMILIES = [
    ("CONV_2D", layer("CONV_2D", conv_shape, 0), LAYERS + ("int4",)),
    ("DEPTHWISE_CONV_2D", layer("DEPTHWISE_CONV_2D", deep_shape, 3), LAYERS),
    ("FULLY_CONNECTED", layer("FULLY_CONNECTED", dense_shape, 0),
     LAYERS + ("hybrid_asym", "int4")),
    ("TRANSPOSE_CONV", layer("TRANSPOSE_CONV", turned_shape, 0),
     ("uint8", "int16")),
    ("ADD", pair("ADD", add_like, 4), ("int16",)),
    ("SUB", pair("SUB", add_like, 5), ("int16",)),
    ("ADD_POT", pair("ADD", add_like, 4, True), ("int16",)),
    ("SUB_POT", pair("SUB", add_like, 5, True), ("int16",)),
    ("MUL", pair("MUL", mul_like, 4), ("int16",)),
    ("AVERAGE_POOL_2D", pool("AVERAGE_POOL_2D"), ("uint8", "int16")),
    ("MAX_POOL_2D", pool("MAX_POOL_2D"), ("uint8", "int16")),
    ("SOFTMAX", unary("SOFTMAX", unit, beta=beta), ("uint8", "int16")),
    ("LOGISTIC", unary("LOGISTIC", unit), ("int16",)),
    ("TANH", unary("TANH", unit), ("int16",)),
    ("LEAKY_RELU", unary("LEAKY_RELU", near, 2,
                         alpha=lambda c: float(np.float32(
                             c.rng.choice([0.1, 0.3, 1.5])))), ("int16",)),
    ("RELU", unary("RELU", near), ("int16",)),
    ("RELU6", unary("RELU6", near), ("int16",)),
    ("ABS", unary("ABS", near), ("int16",)),
    ("NEG", unary("NEG", same, 1), ("int16", "int8")),
    ("EXP", unary("EXP", fine, 2), ("int16",)),
    ("LOG", unary("LOG", fine, 2), ("int16",)),
    ("GELU", unary("GELU", near, 2, approximate=lambda c: bool(
        c.rng.random() < 0.5)), ("int16",)),
    ("SQRT", positive("SQRT"), ("int16",)),
    ("RSQRT", positive("RSQRT"), ("int16",)),
    ("DIV", divide, ("int16",)),
    ("LESS", compare("LESS"), ("int16",)),
    ("EQUAL", compare("EQUAL"), ("int16",)),
    ("GREATER_EQUAL", compare("GREATER_EQUAL"), ("int16",)),
    ("RESIZE_BILINEAR", resize, ("int16",)),
    ("MEAN", mean("MEAN"), ("int16",)),
    ("QUANTIZE", requantize, ("int16_int16", "int16_int8", "int8_int16",
                              "int16_int32", "int32_int8", "uint8_int16",
                              "int32_int16")),
    ("TOPK_V2", top_k, ("float32", "int8")),
    ("EMBEDDING_LOOKUP", embedding_lookup, ("float32", "hybrid")),
    ("RFFT2D", rfft2d, ("float32",)),
    ("WHILE", loop, ("float32",)),
    ("IF", branch, ("float32",)),
    ("SVDF", svdf, ("float32", "int8") + HYBRID),
    ("RNN", rnn("RNN"), ("float32",) + HYBRID),
    ("UNIDIRECTIONAL_SEQUENCE_RNN", rnn("UNIDIRECTIONAL_SEQUENCE_RNN"),
     ("float32",) + HYBRID),
    ("UNIDIRECTIONAL_SEQUENCE_LSTM", lstm, ("float32", "int8") + HYBRID),
    ("BATCH_MATMUL", batch_matmul, ("int16_int16", "int16_int8") + HYBRID),
]


if __name__ == "__main__":
    sys.exit(operator_models.main(FAMILIES))
