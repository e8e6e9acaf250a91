#!/usr/bin/env python3
"""Random small ONNX models, compiled and run, against ONNX Runtime.

    tools/check_onnx.py [--ashlar build/bin/ashlar] [--count 4] [--seed 1]
                        [--only PART] [--keep FOLDER]

Families: layers and functions between QuantizeLinear and DequantizeLinear, the
QLinear operators of ONNX and of ONNX Runtime, int8 and uint8; loops and scans.
Levels may differ by one step, where rounding does; floats by 1e-4. Levels must
be computed on levels: a family says which kinds of operators the compiled graph
may not have any more. Prints one line a family; the exit code is 1 if something
differs.
"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import onnx_writer

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLOATS = ("conv_2d(float", "round", "div")


class Case:
    def __init__(self, rng, level):
        self.rng, self.level = rng, np.dtype(level)
        self.g = onnx_writer.Graph("case")
        self.inputs, self.ends = {}, []
        self.opset, self.functions, self.files = 13, [], {}

    def quant(self, scale=None):
        """(scale, zero point) as constants."""
        low = -128 if self.level == np.int8 else 0
        scale = 2.0 ** self.rng.uniform(-6, -3) if scale is None else scale
        zero = low + int(self.rng.integers(100, 156))
        return (self.g.constant(np.array(scale, np.float32)),
                self.g.constant(np.array(zero, self.level)), scale)

    def input(self, name, shape, dtype=None):
        dtype = np.dtype(dtype or self.level)
        self.g.input(name, dtype, shape)
        if dtype.kind == "f":
            values = self.rng.standard_normal((4,) + tuple(shape))
        elif dtype == np.bool_:
            values = self.rng.integers(0, 2, (4,) + tuple(shape))
        else:
            info = np.iinfo(dtype)
            values = self.rng.integers(info.min, int(info.max) + 1,
                                       (4,) + tuple(shape))
        self.inputs[name] = values.astype(dtype)
        return name

    def output(self, name, shape, dtype=None):
        self.g.output(name, dtype or self.level, shape)

    def weights(self, shape, axis=0, many=True):
        """int8 weights with scales: (levels, scales, zeros)."""
        n = shape[axis] if many else 1
        w = self.rng.integers(-127, 128, shape).astype(np.int8)
        scales = (2.0 ** self.rng.uniform(-9, -6, n)).astype(np.float32)
        if not many:
            scales = scales.reshape(())
        zeros = np.zeros(scales.shape, np.int8)
        return (self.g.constant(w), self.g.constant(scales),
                self.g.constant(zeros), scales)

    def dq(self, x, q, **attributes):
        return self.g.node("DequantizeLinear", [x, q[0], q[1]], **attributes)

    def q(self, x, q, out):
        return self.g.node("QuantizeLinear", [x, q[0], q[1]], [out])


def conv_shapes(c, deep=False):
    n, h, w, k = 3, int(c.rng.integers(4, 8)), int(c.rng.integers(4, 8)), 3
    outs = n if deep else int(c.rng.integers(2, 6))
    stride = int(c.rng.integers(1, 3))
    attributes = dict(strides=[stride, stride], pads=[1, 1, 1, 1],
                      group=n if deep else 1)
    out = [(s + 2 - k) // stride + 1 for s in (h, w)]
    return (1, n, h, w), (outs, 1 if deep else n, k, k), (1, outs, *out), attributes


def out_scale(scale, ws, each):
    return float(scale) * float(np.median(ws)) * each ** 0.5 * 60


def qdq_conv(c, deep=False):
    xs, ws, ys, attributes = conv_shapes(c, deep)
    x, qx = c.input("x", xs), c.quant()
    w = c.weights(ws)
    qy = c.quant(out_scale(qx[2], w[3], np.prod(ws[1:])))
    wf = c.g.node("DequantizeLinear", list(w[:3]), axis=0)
    bias = (c.rng.integers(-2000, 2000, ws[0]) * qx[2] * w[3]).astype(
        np.float32)
    y = c.g.node("Conv", [c.dq(x, qx), wf, c.g.constant(bias)], **attributes)
    if c.rng.random() < 0.5:
        y = c.g.node("Relu", [y])
    c.q(y, qy, "y")
    c.output("y", ys)


def qdq_deep(c):
    qdq_conv(c, True)


def qdq_two(c):
    """Two layers, a pool, a mean and a dense layer: levels all the way."""
    x, q = c.input("x", (1, 3, 8, 8)), c.quant()
    y = x
    for k, (i, o) in enumerate(((3, 4), (4, 6))):
        w = c.weights((o, i, 3, 3))
        qy = c.quant(out_scale(q[2], w[3], i * 9))
        y = c.q(c.g.node("Relu", [c.g.node(
            "Conv", [c.dq(y, q), c.g.node("DequantizeLinear", list(w[:3]),
                                          axis=0)],
            pads=[1, 1, 1, 1])]), qy, f"l{k}")
        q = qy
    y = c.q(c.g.node("MaxPool", [c.dq(y, q)], kernel_shape=[2, 2],
                     strides=[2, 2]), q, "p")
    qm = c.quant(q[2] * 0.7)
    y = c.q(c.g.node("GlobalAveragePool", [c.dq(y, q)]), qm, "m")
    flat = c.g.constant(np.array([1, 6], np.int64))
    y = c.q(c.g.node("Reshape", [c.dq(y, qm), flat]), qm, "f")
    w = c.weights((6, 5), many=False)
    wf = c.g.node("DequantizeLinear", list(w[:3]))
    qy = c.quant(out_scale(qm[2], w[3], 6))
    c.q(c.g.node("MatMul", [c.dq(y, qm), wf]), qy, "y")
    c.output("y", (1, 5))


def qdq_gemm(c):
    x, qx = c.input("x", (2, 7)), c.quant()
    w = c.weights((5, 7))
    qy = c.quant(out_scale(qx[2], w[3], 7))
    wf = c.g.node("DequantizeLinear", list(w[:3]), axis=0)
    c.q(c.g.node("Gemm", [c.dq(x, qx), wf], transB=1), qy, "y")
    c.output("y", (2, 5))


def qdq_pair(op):
    def build(c):
        a, b, qa, qb = (c.input("a", (1, 3, 4, 4)), c.input("b", (1, 3, 4, 4)),
                        c.quant(), c.quant())
        scale = (qa[2] * qb[2] * 60 if op == "Mul" else max(qa[2], qb[2]))
        c.q(c.g.node(op, [c.dq(a, qa), c.dq(b, qb)]), c.quant(scale), "y")
        c.output("y", (1, 3, 4, 4))
    return build


def qdq_function(op, scale=None, **attributes):
    def build(c):
        x, qx = c.input("x", (1, 3, 4, 4)), c.quant()
        c.q(c.g.node(op, [c.dq(x, qx)], **attributes),
            c.quant(scale or qx[2]), "y")
        c.opset = 20 if op in ("Gelu", "HardSwish") else 13
        c.output("y", (1, 3, 4, 4))
    return build


def qdq_pool(op, **attributes):
    def build(c):
        x, qx = c.input("x", (1, 3, 6, 6)), c.quant()
        scale = qx[2] * (1 if op == "MaxPool" else c.rng.uniform(1, 2))
        c.q(c.g.node(op, [c.dq(x, qx)], **attributes), c.quant(scale), "y")
        c.output("y", (1, 3, 1, 1) if op.startswith("Global") else (1, 3, 3, 3))
    return build


def qdq_move(op, shape, *constants, **attributes):
    def build(c):
        x, qx = c.input("x", (1, 4, 6, 2)), c.quant()
        more = [c.g.constant(np.array(k, np.int64)) for k in constants]
        c.q(c.g.node(op, [c.dq(x, qx)] + more, **attributes), qx, "y")
        c.output("y", shape)
    return build


def qdq_concat(c):
    a, b = c.input("a", (1, 3, 4)), c.input("b", (1, 2, 4))
    qa, qb = c.quant(), c.quant()
    c.q(c.g.node("Concat", [c.dq(a, qa), c.dq(b, qb)], axis=1),
        c.quant(max(qa[2], qb[2])), "y")
    c.output("y", (1, 5, 4))


def qdq_softmax(c):
    x, qx = c.input("x", (3, 6)), c.quant()
    low = -128 if c.level == np.int8 else 0
    qy = (c.g.constant(np.array(1 / 256, np.float32)),
          c.g.constant(np.array(low, c.level)))
    c.q(c.g.node("Softmax", [c.dq(x, qx)], axis=-1), qy, "y")
    c.output("y", (3, 6))


def qdq_matmul(c):
    a, b, qa, qb = (c.input("a", (2, 3, 5)), c.input("b", (2, 5, 4)),
                    c.quant(), c.quant())
    c.q(c.g.node("MatMul", [c.dq(a, qa), c.dq(b, qb)]),
        c.quant(qa[2] * qb[2] * 90), "y")
    c.output("y", (2, 3, 4))


def qlinear_conv(c, deep=False):
    xs, ws, ys, attributes = conv_shapes(c, deep)
    x, qx, w = c.input("x", xs), c.quant(), c.weights(ws)
    qy = c.quant(out_scale(qx[2], w[3], np.prod(ws[1:])))
    bias = c.g.constant(c.rng.integers(-2000, 2000, ws[0]).astype(np.int32))
    if c.rng.random() < 0.3:
        attributes.pop("pads")
        attributes["auto_pad"] = "SAME_UPPER"
        s = attributes["strides"][0]
        ys = ys[:2] + tuple(-(-n // s) for n in xs[2:])
    c.g.node("QLinearConv", [x, qx[0], qx[1], *w[:3], qy[0], qy[1], bias],
             ["y"], **attributes)
    c.output("y", ys)


def qlinear_deep(c):
    qlinear_conv(c, True)


def qlinear_matmul(c):
    x, qx, w = c.input("x", (2, 7)), c.quant(), c.weights((7, 5), many=False)
    qy = c.quant(out_scale(qx[2], w[3], 7))
    c.g.node("QLinearMatMul", [x, qx[0], qx[1], *w[:3], qy[0], qy[1]], ["y"])
    c.output("y", (2, 5))


MS = "com.microsoft"


def qgemm(c):
    x, qx, w = c.input("x", (2, 7)), c.quant(), c.weights((5, 7), many=False)
    qy = c.quant(out_scale(qx[2], w[3], 7))
    bias = c.g.constant(c.rng.integers(-900, 900, 5).astype(np.int32))
    c.g.node("QGemm", [x, qx[0], qx[1], *w[:3], bias, qy[0], qy[1]], ["y"], MS,
             transB=1)
    c.output("y", (2, 5))


def qlinear_pair(op):
    def build(c):
        a, b, qa, qb = (c.input("a", (2, 3, 4)), c.input("b", (2, 3, 4)),
                        c.quant(), c.quant())
        qy = c.quant(qa[2] * qb[2] * 60 if op == "QLinearMul"
                     else max(qa[2], qb[2]))
        c.g.node(op, [a, *qa[:2], b, *qb[:2], *qy[:2]], ["y"], MS)
        c.output("y", (2, 3, 4))
    return build


def qlinear_function(op, shape, scale=None, **attributes):
    def build(c):
        x, qx = c.input("x", (1, 3, 6, 6)), c.quant()
        qy = c.quant(scale or qx[2] * 1.1)
        c.g.node(op, [x, *qx[:2], *qy[:2]], ["y"], MS, **attributes)
        c.output("y", shape)
    return build


def qlinear_concat(c):
    a, b = c.input("a", (1, 3, 4)), c.input("b", (1, 2, 4))
    qa, qb = c.quant(), c.quant()
    qy = c.quant(max(qa[2], qb[2]))
    c.g.node("QLinearConcat", [*qy[:2], a, *qa[:2], b, *qb[:2]], ["y"], MS,
             axis=1)
    c.output("y", (1, 5, 4))


def integer_matmul(c):
    x = c.input("x", (2, 7))
    w = c.g.constant(c.rng.integers(-127, 128, (7, 5)).astype(np.int8))
    zero = c.g.constant(np.array(3, c.level))
    c.g.node("MatMulInteger", [x, w, zero], ["y"])
    c.output("y", (2, 5), np.int32)


def dynamic_layer(c):
    """What ONNX Runtime's dynamic quantisation makes of a dense layer."""
    x = c.input("x", (2, 7), np.float32)
    w = c.weights((7, 5), many=False)
    c.g.node("DynamicQuantizeLinear", [x], ["xq", "xs", "xz"])
    s = c.g.node("MatMulInteger", ["xq", w[0], "xz", w[2]])
    f = c.g.node("Cast", [s], to=1)
    c.g.node("Mul", [f, c.g.node("Mul", ["xs", w[1]])], ["y"])
    c.output("y", (2, 5), np.float32)


def scan(c):
    """Running sums of rows, from the last to the first."""
    body = onnx_writer.Graph("body")
    body.input("s", np.float32, (3,))
    body.input("e", np.float32, (3,))
    body.node("Add", ["s", "e"], ["t"])
    body.node("Tanh", ["t"], ["u"])
    body.output("t", np.float32, (3,))
    body.output("u", np.float32, (3,))
    s, x = c.input("s0", (3,), np.float32), c.input("x", (3, 5), np.float32)
    c.g.node("Scan", [s, x], ["last", "all"], body=body, num_scan_inputs=1,
             scan_input_axes=[1], scan_input_directions=[1],
             scan_output_axes=[1], scan_output_directions=[1])
    c.output("last", (3,), np.float32)
    c.output("all", (3, 5), np.float32)


def loop(c):
    body = onnx_writer.Graph("body")
    body.input("i", np.int64, ())
    body.input("go", np.bool_, ())
    body.input("v", np.float32, (4,))
    body.node("Cast", ["i"], ["f"], to=1)
    body.node("Add", ["v", "f"], ["w"])
    body.node("Identity", ["go"], ["on"])
    body.node("Identity", ["w"], ["kept"])
    body.output("on", np.bool_, ())
    body.output("w", np.float32, (4,))
    body.output("kept", np.float32, (4,))
    x = c.input("x", (4,), np.float32)
    n = int(c.rng.integers(1, 6))
    rounds = c.g.constant(np.array(n, np.int64))
    c.g.node("Loop", [rounds, "", x], ["last", "all"], body=body)
    c.output("last", (4,), np.float32)
    c.output("all", (n, 4), np.float32)


def lp_pool(c):
    x = c.input("x", (1, 2, 6, 7), np.float32)
    c.g.node("LpPool", [x], ["y"], kernel_shape=[3, 2], strides=[2, 1], p=3,
             pads=[1, 0, 1, 0])
    c.g.node("GlobalLpPool", [x], ["z"], p=2)
    c.output("y", (1, 2, 3, 6), np.float32)
    c.output("z", (1, 2, 1, 1), np.float32)


def pool_places(c):
    """The largest values of windows, and where they are; and back."""
    x = c.input("x", (2, 3, 6, 7), np.float32)
    c.g.node("MaxPool", [x], ["y", "i"], kernel_shape=[2, 3], strides=[2, 2],
             pads=[0, 1, 0, 1])
    c.output("y", (2, 3, 3, 4), np.float32)
    c.output("i", (2, 3, 3, 4), np.int64)


def spectrum(c):
    c.opset = 17
    x = c.input("x", (2, 12, 1), np.float32)
    c.g.node("DFT", [x], ["y"], axis=1, onesided=int(c.rng.integers(0, 2)))
    window = c.g.constant(np.hanning(6).astype(np.float32))
    step = c.g.constant(np.array(2, np.int64))
    c.g.node("STFT", [x, step, window], ["z"])
    c.output("y", (2, None, 2), np.float32)
    c.output("z", (2, 4, 4, 2), np.float32)


def functions(c):
    """A function that calls another, with names that the model uses, too, an
    attribute of the caller and an input left out."""
    inner = onnx_writer.Function("Bounded", ["x", "low"], ["y"])
    inner.node("Clip", ["x", "low"], ["t0"])
    inner.node("Add", ["t0", "x"], ["y"])
    outer = onnx_writer.Function("Leaky", ["a", "low"], ["y", "z"], ["slope"])
    outer.node("LeakyRelu", ["a"], ["x"],
               alpha=onnx_writer.Ref("slope", float))
    outer.node("Bounded", ["x", "low"], ["y"], "local")
    outer.node("Bounded", ["x"], ["z"], "local")
    c.functions = [inner, outer]
    x = c.input("x", (2, 5), np.float32)
    low = c.g.constant(np.array(-0.1, np.float32))
    y = c.g.node("Tanh", [x], ["t0"])
    c.g.node("Leaky", [y, low], ["u", "v"], "local",
             slope=float(c.rng.uniform(0.1, 2)))
    c.g.node("Sub", ["u", "t0"], ["y"])
    c.output("y", (2, 5), np.float32)
    c.output("v", (2, 5), np.float32)


def storage(c):
    """Constants in every field that may hold them, in a file beside the model,
    and one that is listed as an input, too."""
    x = c.input("x", (2, 6), np.float32)
    c.files = {"weights.bin": bytes(8)}
    y = x
    for how in ("raw", "typed", ("weights.bin", 8)):
        w = c.rng.standard_normal(6).astype(np.float32)
        if how not in ("raw", "typed"):
            c.files["weights.bin"] += w.tobytes()
        y = c.g.node("Mul", [y, c.g.constant(w, how=how)])
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16,
                 np.float64, np.uint32, np.bool_):
        k = c.g.constant(c.rng.integers(0, 2, 6).astype(kind), how="typed")
        y = c.g.node("Add", [y, c.g.node("Cast", [k], to=1)])
    listed = c.g.constant(np.full((6,), 0.5, np.float32))
    c.g.ins.append((listed, np.dtype(np.float32), (6,)))
    shape = c.g.constant(np.array([3, -1], np.int64), how="typed")
    c.g.node("Reshape", [c.g.node("Sub", [y, listed]), shape], ["y"])
    c.output("y", (3, 4), np.float32)


def recurrent(op, gates):
    """With directions, first states, lengths, peepholes, clipping, layouts and
    activations at random."""
    def build(c):
        c.opset = 14
        rng = c.rng
        steps, batch, depth, units = (int(n) for n in rng.integers(1, 5, 4))
        direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
        ways = 2 if direction == "bidirectional" else 1

        def data(*shape):
            return c.g.constant((rng.standard_normal(shape) * 0.5).astype(
                np.float32))

        attributes = dict(hidden_size=units, direction=direction)
        x = c.input("x", (steps, batch, depth), np.float32)
        inputs = [x, data(ways, gates * units, depth),
                  data(ways, gates * units, units)]
        inputs.append(data(ways, 2 * gates * units)
                      if rng.random() < 0.7 else "")
        inputs.append(c.g.constant(rng.integers(1, steps + 1, batch).astype(
            np.int32)) if rng.random() < 0.3 else "")
        inputs.append(data(ways, batch, units) if rng.random() < 0.5 else "")
        outputs = ["y", "h"]
        if op == "LSTM":
            inputs.append(data(ways, batch, units)
                          if rng.random() < 0.5 else "")
            inputs.append(data(ways, 3 * units) if rng.random() < 0.4 else "")
            outputs.append("k")
            if rng.random() < 0.3:
                attributes["input_forget"] = 1
        if op == "GRU":
            attributes["linear_before_reset"] = int(rng.integers(0, 2))
        if rng.random() < 0.4:
            attributes["clip"] = 0.7
        if rng.random() < 0.4:
            each = {"LSTM": ["HardSigmoid", "Relu", "ScaledTanh"],
                    "GRU": ["Sigmoid", "LeakyRelu"], "RNN": ["Elu"]}[op]
            numbers = {"LSTM": 2, "GRU": 1, "RNN": 1}[op] * ways
            attributes["activation_alpha"] = [0.3] * numbers
            if op == "LSTM":
                attributes["activation_beta"] = [0.4] * numbers
            attributes["activations"] = each * ways
        while inputs[-1] == "":
            inputs.pop()
        c.g.node(op, inputs, outputs, **attributes)
        c.output("y", (steps, ways, batch, units), np.float32)
        c.output("h", (ways, batch, units), np.float32)
        if op == "LSTM":
            c.output("k", (ways, batch, units), np.float32)
    return build


LEVELS = ("int8", "uint8")
NONE = ("none",)
# name, builder, level types, may floats stay?
FAMILIES = [
    ("qdq_conv", qdq_conv, LEVELS, False),
    ("qdq_depthwise", qdq_deep, LEVELS, False),
    ("qdq_two_layers", qdq_two, LEVELS, False),
    ("qdq_gemm", qdq_gemm, LEVELS, False),
    ("qdq_matmul", qdq_matmul, LEVELS, False),
    ("qdq_add", qdq_pair("Add"), LEVELS, False),
    ("qdq_sub", qdq_pair("Sub"), LEVELS, False),
    ("qdq_mul", qdq_pair("Mul"), LEVELS, False),
    ("qdq_sigmoid", qdq_function("Sigmoid", 1 / 200), LEVELS, False),
    ("qdq_tanh", qdq_function("Tanh", 1 / 100), LEVELS, False),
    ("qdq_leaky", qdq_function("LeakyRelu", alpha=0.2), LEVELS, False),
    ("qdq_elu", qdq_function("Elu"), LEVELS, False),
    ("qdq_hard_swish", qdq_function("HardSwish"), LEVELS, False),
    ("qdq_gelu", qdq_function("Gelu"), LEVELS, False),
    ("qdq_relu", qdq_function("Relu"), LEVELS, False),
    ("qdq_max_pool", qdq_pool("MaxPool", kernel_shape=[2, 2], strides=[2, 2]),
     LEVELS, False),
    ("qdq_average_pool", qdq_pool("AveragePool", kernel_shape=[2, 2],
                                  strides=[2, 2]), LEVELS, False),
    ("qdq_global_pool", qdq_pool("GlobalAveragePool"), LEVELS, False),
    ("qdq_reshape", qdq_move("Reshape", (4, 12), (4, 12)), LEVELS, False),
    ("qdq_transpose", qdq_move("Transpose", (1, 2, 6, 4), perm=[0, 3, 2, 1]),
     LEVELS, False),
    ("qdq_slice", qdq_move("Slice", (1, 2, 6, 2), [1], [3], [1]), LEVELS,
     False),
    ("qdq_concat", qdq_concat, LEVELS, False),
    ("qdq_softmax", qdq_softmax, LEVELS, False),
    ("QLinearConv", qlinear_conv, LEVELS, False),
    ("QLinearConv_depthwise", qlinear_deep, LEVELS, False),
    ("QLinearMatMul", qlinear_matmul, LEVELS, False),
    ("QGemm", qgemm, LEVELS, False),
    ("QLinearAdd", qlinear_pair("QLinearAdd"), LEVELS, False),
    ("QLinearMul", qlinear_pair("QLinearMul"), LEVELS, False),
    ("QLinearAveragePool", qlinear_function(
        "QLinearAveragePool", (1, 3, 3, 3), kernel_shape=[2, 2],
        strides=[2, 2]), LEVELS, False),
    ("QLinearGlobalAveragePool", qlinear_function(
        "QLinearGlobalAveragePool", (1, 3, 1, 1)), LEVELS, False),
    ("QLinearSigmoid", qlinear_function("QLinearSigmoid", (1, 3, 6, 6),
                                        1 / 200), LEVELS, False),
    ("QLinearLeakyRelu", qlinear_function("QLinearLeakyRelu", (1, 3, 6, 6),
                                          alpha=0.2), LEVELS, False),
    ("QLinearConcat", qlinear_concat, LEVELS, False),
    ("MatMulInteger", integer_matmul, LEVELS, True),
    ("dynamic_quantisation", dynamic_layer, ("uint8",), True),
    ("LpPool", lp_pool, ("uint8",), True),
    ("MaxPool_indices", pool_places, ("uint8",), True),
    ("spectra", spectrum, ("uint8",), True),
    ("LSTM", recurrent("LSTM", 4), ("uint8",), True),
    ("GRU", recurrent("GRU", 3), ("uint8",), True),
    ("RNN", recurrent("RNN", 1), ("uint8",), True),
    ("functions", functions, ("uint8",), True),
    ("storage", storage, ("uint8",), True),
    ("Scan", scan, ("uint8",), True),
    ("Loop", loop, ("uint8",), True),
]


def expected(path, case):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = (
        ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = ort.InferenceSession(str(path), options,
                                   providers=["CPUExecutionProvider"])
    rows = [session.run(None, {k: v[i] for k, v in case.inputs.items()})
            for i in range(4)]
    return [np.stack([r[k] for r in rows]) for k in range(len(rows[0]))]


def run(args, path, case, folder):
    """Our outputs, or the reason why there are none."""
    data = {f"input_{k}": v for k, v in enumerate(case.inputs.values())}
    np.savez(folder / "in.npz", **data)
    done = subprocess.run(
        [args.ashlar, "test", str(path), "--inputs", str(folder / "in.npz"),
         "--save", str(folder / "out.npz"), "-q"], capture_output=True,
        text=True)
    if not (folder / "out.npz").exists():
        return done.stderr.strip().split("\n")[0]
    with np.load(folder / "out.npz") as f:
        return [f[k] for k in sorted(f.files)]


def has_floats(args, path):
    done = subprocess.run(
        [args.ashlar, "compile", str(path), "--dump-after", "pass",
         "--stop-after", "pass"], capture_output=True, text=True)
    return any(line.startswith("tensor") and " activation float" in line
               for line in done.stdout.split("\n"))


def worst(ours, theirs):
    """Largest difference: in levels, or relative."""
    most = 0.0
    for a, b in zip(ours, theirs):
        d = np.abs(a.astype(np.float64).reshape(b.shape)
                   - b.astype(np.float64))
        if b.dtype.kind == "f":
            d /= 1e-4 * np.maximum(1, np.abs(b))
        most = max(most, float(d.max(initial=0)))
    return most


def check(args, name, build, level, floats, rng):
    case = Case(rng, level)
    build(case)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.keep or temporary)
        path = folder / f"{name}_{level}.onnx"
        onnx_writer.save(case.g, path, opset=case.opset,
                         functions=case.functions)
        for file, data in case.files.items():
            (folder / file).write_bytes(data)
        (folder / "out.npz").unlink(missing_ok=True)
        try:
            theirs = expected(path, case)
        except Exception as e:  # any refusal of the oracle is an answer
            return "oracle: " + str(e).split("\n")[0][:100]
        ours = run(args, path, case, folder)
        if isinstance(ours, str):
            return "refused: " + ours
        if not floats and has_floats(args, path):
            return "floats are left between levels"
        return worst(ours, theirs)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--ashlar", default=str(ROOT / "build/bin/ashlar"))
    p.add_argument("--count", type=int, default=4)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--keep")
    args = p.parse_args()
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        print("skipped: ONNX Runtime is not here")
        return 0
    bad = 0
    for name, build, levels, floats in FAMILIES:
        if args.only not in name:
            continue
        for level in levels:
            found = collections.Counter()
            for k in range(args.count):
                rng = np.random.default_rng([args.seed, k, len(name)])
                got = check(args, name, build, level, floats, rng)
                if isinstance(got, float):
                    got = "same" if got == 0 else (
                        "one step" if got <= 1 else f"WRONG by {got:g}")
                found[got] += 1
            text = ", ".join(f"{v} {k}" for k, v in sorted(found.items()))
            wrong = any(k not in ("same", "one step")
                        and not k.startswith("oracle") for k in found)
            bad += wrong
            print(f"{'FAILED' if wrong else 'ok':7}{name} {level}: {text}")
            sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
