"""Small networks as exporters write them, for random_onnx.py: PyTorch's shapes
that are computed from shapes, tf2onnx's transpositions, Keras' recurrent
layers, layers of quantisation-aware training, heads of detectors, decoders.
Sizes and weights are random; the oracle is ONNX Runtime.
"""
import numpy as np

import onnx_writer

MS = "com.microsoft"


class Net:
    """Nodes by name: net.relu(x) is a node Relu."""

    def __init__(self, c, opset=None):
        self.c, self.g = c, c.g
        if opset:
            c.opset = opset

    def w(self, *shape, scale=None):
        """Weights, small enough that sums stay near 1."""
        depth = max(1, int(np.prod(shape[1:])))
        v = self.c.rng.standard_normal(shape) * (scale or depth ** -0.5)
        return self.c.constant(v, np.float32)

    def n(self, *values):
        """Numbers of a shape or a list of axes."""
        return self.c.constant(list(values), np.int64)

    def f(self, value):
        return self.c.constant(np.float32(value))

    def i(self, value):
        return self.c.constant(np.int64(value))

    def __call__(self, op, *inputs, **attributes):
        return self.g.node(op, [x or "" for x in inputs], **attributes)

    def many(self, count, op, *inputs, **attributes):
        outs = [f"m{len(self.g.nodes)}_{k}" for k in range(count)]
        self.g.node(op, [x or "" for x in inputs], outs, **attributes)
        return outs

    def out(self, *names, dtype="float32"):
        for name in names:
            self.g.node("Identity", [name], [f"out_{name}"])
            self.g.output(f"out_{name}", dtype, None)

    def linear(self, x, ins, outs):
        return self("Gemm", x, self.w(outs, ins), self.w(outs), transB=1)

    def dense(self, x, ins, outs):
        return self("Add", self("MatMul", x, self.w(ins, outs)), self.w(outs))

    def conv(self, x, ins, outs, k=3, **more):
        groups = more.pop("group", 1)
        pads = more.pop("pads", [k // 2] * 4)
        return self("Conv", x, self.w(outs, ins // groups, k, k), self.w(outs),
                    kernel_shape=[k, k], pads=pads, group=groups, **more)

    def dim(self, x, at):
        """A dimension as PyTorch exports it, of one element."""
        return self("Unsqueeze", self("Gather", self("Shape", x), self.i(at),
                                      axis=0), self.n(0))

    def sized(self, x, *parts):
        """Reshape to parts that are numbers or names of lengths."""
        return self("Reshape", x, self("Concat", *[
            p if isinstance(p, str) else self.n(p) for p in parts], axis=0))


def torch_attention(c):
    net, b, s, heads, depth = (Net(c), c.int(1, 2), c.int(1, 5), c.int(1, 3),
                               c.int(1, 4))
    d = heads * depth
    x = c.input((b, s, d))
    parts = []
    for _ in range(3):
        h = net.sized(net.dense(x, d, d), net.dim(x, 0), net.dim(x, 1), heads,
                      depth)
        parts.append(net("Transpose", h, perm=[0, 2, 1, 3]))
    k = net("Transpose", parts[1], perm=[0, 1, 3, 2])
    root = net("Sqrt", net("Cast", net("Slice", net("Shape", parts[0]),
                                       net.n(-1), net.n(2 ** 62)), to=1))
    p = net("Softmax", net("Div", net("MatMul", parts[0], k), root), axis=-1)
    y = net("Transpose", net("MatMul", p, parts[2]), perm=[0, 2, 1, 3])
    net.out(net.dense(net.sized(y, net.dim(x, 0), net.dim(x, 1), d), d, d))


def einsum_attention(c):
    net, b, s, heads, depth = (Net(c), c.int(1, 2), c.int(1, 5), c.int(1, 3),
                               c.int(1, 4))
    q, k, v = (c.input((b, s, heads, depth)) for _ in range(3))
    scores = net("Einsum", q, k, equation="bihd,bjhd->bhij")
    p = net("Softmax", net("Mul", scores, net.f(depth ** -0.5)), axis=3)
    net.out(net("Einsum", p, v, equation="bhij,bjhd->bihd"))


def normed_mlp(c):
    """LayerNormalization and Gelu as they are before fusion."""
    net, s, d = Net(c), c.int(1, 4), c.int(2, 6)
    x = c.input((1, s, d))
    mean = net("ReduceMean", x, net.n(-1))
    centred = net("Sub", x, mean)
    power = net("ReduceMean", net("Pow", centred, net.f(2)), net.n(-1))
    y = net("Div", centred, net("Sqrt", net("Add", power, net.f(1e-5))))
    y = net.dense(net("Add", net("Mul", y, net.w(d)), net.w(d)), d, 2 * d)
    if c.often():
        gate = net("Add", net("Erf", net("Div", y, net.f(2 ** 0.5))), net.f(1))
        y = net("Mul", net("Mul", y, gate), net.f(0.5))
    else:
        cube = net("Mul", net("Pow", y, net.f(3)), net.f(0.044715))
        t = net("Tanh", net("Mul", net("Add", y, cube), net.f(0.7978846)))
        y = net("Mul", net("Mul", y, net.f(0.5)), net("Add", t, net.f(1)))
    net.out(net("Add", x, net.dense(y, 2 * d, d)))


def bidirectional(op, gates):
    """PyTorch's recurrent layers, states made by Expand, batch first."""
    def build(c):
        net, t, ins, units = Net(c), c.int(1, 5), c.int(1, 4), c.int(1, 4)
        b = c.int(1, 2)
        x = net("Transpose", c.input((b, t, ins)), perm=[1, 0, 2])
        for _ in range(c.int(1, 2)):
            zero = net("ConstantOfShape", net(
                "Concat", net.n(2), net.dim(x, 1), net.n(units), axis=0))
            names = [x, net.w(2, gates * units, ins),
                     net.w(2, gates * units, units),
                     net.w(2, 2 * gates * units), "", zero]
            if op == "LSTM":
                names.append(zero)
            more = {"linear_before_reset": 1} if op == "GRU" else {}
            outs = net.many(2, op, *names, hidden_size=units,
                            direction="bidirectional", **more)
            x = net.sized(net("Transpose", outs[0], perm=[0, 2, 1, 3]), 0, 0,
                          -1)
            ins = 2 * units
        last = net("Gather", x, net.i(-1), axis=0)
        net.out(net.linear(last, ins, 3), outs[1])
    return op, build


def keras_lstm(c):
    """tf2onnx: one direction, only the last state, then a dense layer."""
    net, t, ins, units = Net(c, 13), c.int(1, 6), c.int(1, 4), c.int(1, 5)
    x = net("Transpose", c.input((1, t, ins)), perm=[1, 0, 2])
    outs = net.many(2, "LSTM", x, net.w(1, 4 * units, ins),
                    net.w(1, 4 * units, units), net.w(1, 8 * units),
                    hidden_size=units)
    h = net("Squeeze", outs[1], net.n(0))
    net.out(net("Softmax", net.dense(h, units, 4), axis=-1))


def tf_mobile_block(c):
    """tf2onnx: channels last outside, ReLU6 as Clip, SAME as auto_pad."""
    net, size, ins, wide = Net(c, 13), c.int(4, 7), c.int(1, 3), c.int(2, 4)
    x = net("Transpose", c.input((1, size, size, ins)), perm=[0, 3, 1, 2])
    low, high = net.f(0), net.f(6)
    y = net("Clip", net.conv(x, ins, wide, 1), low, high)
    y = net("Conv", y, net.w(wide, 1, 3, 3), kernel_shape=[3, 3], group=wide,
            strides=[2, 2], auto_pad="SAME_UPPER")
    y = net("Clip", net("Add", y, net.w(1, wide, 1, 1)), low, high)
    y = net("Transpose", net.conv(y, wide, ins, 1), perm=[0, 2, 3, 1])
    y = net("ReduceMean", y, axes=[1, 2], keepdims=0)
    net.out(net("Softmax", net("Reshape", net.dense(y, ins, 5),
                               net.n(-1, 5)), axis=-1))


def squeeze_excite(c):
    net, size, n, few = Net(c), c.int(2, 5), c.int(2, 5), c.int(1, 3)
    x = net("HardSwish", net.conv(c.input((1, n, size, size)), n, n,
                                  group=n))
    s = net("Relu", net.conv(net("GlobalAveragePool", x), n, few, 1))
    s = net("HardSigmoid", net.conv(s, few, n, 1), alpha=1 / 6, beta=0.5)
    net.out(net("Add", net("Mul", x, s), x))


def shuffled_channels(c):
    net, size, half = Net(c), c.int(2, 4), c.int(1, 3)
    n = 2 * half
    x = c.input((1, n, size, size))
    a, b = net.many(2, "Split", x, net.n(half, half), axis=1)
    y = net("Concat", a, net("Relu", net.conv(b, half, half)), axis=1)
    y = net("Reshape", y, net.n(1, 2, half, size, size))
    y = net("Transpose", y, perm=[0, 2, 1, 3, 4])
    net.out(net("Reshape", y, net.n(1, n, size, size)))


def yolo_head(c):
    net, size, boxes, classes = Net(c), c.int(2, 4), c.int(1, 2), c.int(1, 3)
    each = 5 + classes
    y = net.conv(c.input((1, 3, size, size)), 3, boxes * each, 1)
    y = net("Reshape", y, net.n(1, boxes, each, size, size))
    y = net("Sigmoid", net("Transpose", y, perm=[0, 1, 3, 4, 2]))
    at, wide, rest = net.many(3, "Split", y, net.n(2, 2, 1 + classes), axis=4)
    grid = np.stack(np.meshgrid(np.arange(size), np.arange(size)), -1) - 0.5
    at = net("Mul", net("Add", net("Mul", at, net.f(2)), c.constant(
        grid[None, None], np.float32)), net.f(8))
    wide = net("Mul", net("Pow", net("Mul", wide, net.f(2)), net.f(2)),
               net.w(1, boxes, 1, 1, 2))
    y = net("Concat", at, wide, rest, axis=4)
    net.out(net("Reshape", y, net.n(1, -1, each)))


def pyramid(c):
    """Features made larger to the size of another tensor."""
    net, n, size = Net(c), c.int(1, 3), c.int(2, 5)
    fine = c.input((1, n, size, size + 1))
    coarse = net.conv(fine, n, n, strides=[2, 2])
    shape = net("Slice", net("Shape", fine), net.n(2), net.n(4), net.n(0))
    head = net("Slice", net("Shape", coarse), net.n(0), net.n(2), net.n(0))
    a = c.one({"mode": "nearest", "nearest_mode": "floor",
               "coordinate_transformation_mode": "asymmetric"},
              {"mode": "linear", "coordinate_transformation_mode":
               c.one("half_pixel", "pytorch_half_pixel", "align_corners")})
    up = net("Resize", coarse, "", "", net("Concat", head, shape, axis=0), **a)
    net.out(net.conv(net("Concat", fine, up, axis=1), 2 * n, n, 1))


def unet(c):
    net, n, size = Net(c), c.int(1, 3), 2 * c.int(2, 3)
    x = c.input((1, n, size, size))
    y = net("LeakyRelu", net.conv(x, n, n + 1, 4, strides=[2, 2],
                                  pads=[1, 1, 1, 1]), alpha=0.2)
    y = net("ConvTranspose", y, net.w(n + 1, n, 2, 2), net.w(n),
            strides=[2, 2], kernel_shape=[2, 2])
    y = net("InstanceNormalization", y, net.w(n), net.w(n))
    y = net("Concat", x, net("Relu", y), axis=1)
    net.out(net("Sigmoid", net.conv(y, 2 * n, 1)))


def pixel_shuffle(c):
    net, n, r, size = Net(c), c.int(1, 2), c.int(2, 3), c.int(2, 4)
    y = net("Tanh", net.conv(c.input((1, n, size, size)), n, n * r * r))
    y = net("Reshape", y, net.n(1, n, r, r, size, size))
    y = net("Transpose", y, perm=[0, 1, 4, 2, 5, 3])
    net.out(net("Reshape", y, net.n(1, n, r * size, r * size)))


def group_norm(c):
    """As PyTorch writes it for old versions."""
    net, groups, each, size = Net(c, 11), c.int(1, 3), c.int(1, 3), c.int(2, 4)
    n = groups * each
    x = c.input((1, n, size, size))
    y = net("Reshape", x, net.n(0, groups, -1))
    y = net("InstanceNormalization", y, c.constant(np.ones(groups),
                                                   np.float32),
            c.constant(np.zeros(groups), np.float32), epsilon=1e-5)
    y = net("Reshape", y, net("Shape", x))
    net.out(net("Add", net("Mul", y, net.w(n, 1, 1, scale=1)), net.w(n, 1, 1)))


def causal_tcn(c):
    """Gated convolutions that look back; what was padded too much is cut."""
    net, n, t, d = Net(c), c.int(1, 4), c.int(4, 9), c.int(1, 3)
    x = c.input((1, n, t))
    y = net("Pad", x, net.n(0, 0, 2 * d, 0, 0, 0)) if c.often() else x
    pads = [0, 0] if y != x else [2 * d, 2 * d]
    gate, value = (net("Conv", y, net.w(n, n, 3), net.w(n), dilations=[d],
                       kernel_shape=[3], pads=pads) for _ in range(2))
    y = net("Mul", net("Sigmoid", gate), net("Tanh", value))
    if pads[0]:
        y = net("Slice", y, net.n(0), net.n(-2 * d), net.n(2))
    net.out(net("Add", x, y), net("ReduceMean", y, net.n(2)))


def spectrogram(c):
    """Frames by a convolution, power, a bank of filters, decibels."""
    net, frame, hop, bands = Net(c), c.one(4, 8), c.int(2, 4), c.int(2, 4)
    t = frame + hop * c.int(1, 4)
    x = net("Unsqueeze", c.input((1, t)), net.n(1))
    real, imag = (net("Conv", x, net.w(frame // 2 + 1, 1, frame),
                      strides=[hop], kernel_shape=[frame]) for _ in range(2))
    power = net("Add", net("Mul", real, real), net("Pow", imag, net.f(2)))
    bank = c.constant(np.abs(c.values((bands, frame // 2 + 1), "float32")))
    y = net("Log", net("Max", net("MatMul", bank, power), net.f(1e-6)))
    net.out(net("Mul", y, net.f(4.342945)))


def transformer_of_space(c):
    """An affine grid and the image at its places."""
    net, n, size = Net(c), c.int(1, 3), c.int(2, 5)
    x = c.input((1, n, size, size))
    theta = net("Reshape", net("Tanh", net.linear(net(
        "Flatten", x), n * size * size, 6)), net.n(1, 2, 3))
    line = np.linspace(-1, 1, size)
    points = np.stack([*np.meshgrid(line, line), np.ones((size, size))], 0)
    grid = net("MatMul", theta, c.constant(points.reshape(1, 3, -1),
                                           np.float32))
    grid = net("Reshape", net("Transpose", grid, perm=[0, 2, 1]),
               net.n(1, size, size, 2))
    net.out(net("GridSample", x, grid, align_corners=1,
                padding_mode=c.one("zeros", "border")))


def regions(c):
    """The best boxes, what is inside them, and their classes."""
    net, n, size, boxes = Net(c), c.int(1, 3), c.int(4, 7), c.int(2, 5)
    x = c.input((1, n, size, size))
    corners = np.sort(c.rng.uniform(0, size - 1, (boxes, 2, 2)), 1)
    scores = net.linear(net("Flatten", x), n * size * size, boxes)
    _, best = net.many(2, "TopK", net("Softmax", scores, axis=1),
                       net.n(c.int(1, boxes)), axis=1)
    chosen = net("Gather", c.constant(corners.reshape(boxes, 4), np.float32),
                 net("Squeeze", best, net.n(0)), axis=0)
    batch = net("Expand", net.i(0), net("Slice", net("Shape", chosen),
                                        net.n(0), net.n(1)))
    y = net("RoiAlign", x, chosen, batch, output_height=2, output_width=2,
            sampling_ratio=2)
    net.out(net.linear(net("Flatten", y), 4 * n, 3))


def chosen_rows(c):
    """Rows by score, gathered along an axis."""
    net, rows, n = Net(c), c.int(2, 6), c.int(1, 4)
    x = c.input((1, rows, n))
    score = net("ReduceMax", x, net.n(2), keepdims=0)
    values, at = net.many(2, "TopK", score, net.n(c.int(1, rows)), axis=1)
    wide = net("Expand", net("Unsqueeze", at, net.n(2)), net.n(1, 1, n))
    net.out(net("GatherElements", x, wide, axis=1), values)


def cache_row(c):
    """A row of a cache is written at a position."""
    net, length, n = Net(c), c.int(2, 5), c.int(1, 4)
    cache, row = c.input((1, length, n)), c.input((1, 1, n))
    at = c.input((1,), "int64", lambda v: np.abs(v) % length)
    where = net("Concat", net.n(0), at, axis=0)
    y = net("ScatterND", cache, net("Unsqueeze", where, net.n(0)),
            net("Squeeze", row, net.n(0)))
    ahead = net("Less", net("Range", net.i(0), net.i(length), net.i(1)),
                net("Add", at, net.i(1)))
    mask = net("Where", ahead, net.f(0), net.f(-1e9))
    scores = net("MatMul", row, net("Transpose", y, perm=[0, 2, 1]))
    p = net("Softmax", net("Add", scores, mask), axis=-1)
    net.out(net("MatMul", p, y), y)


def rotary(c):
    """Halves of rows are turned by angles of their position; RMS norms."""
    net, s, heads, half = Net(c), c.int(1, 4), c.int(1, 2), c.int(1, 3)
    d = 2 * half
    x = c.input((1, s, heads * d))
    power = net("ReduceMean", net("Pow", x, net.f(2)), net.n(-1))
    y = net("Mul", x, net("Reciprocal", net("Sqrt", net("Add", power,
                                                        net.f(1e-6)))))
    y = net("Mul", net.w(heads * d, scale=1), y)
    y = net("Transpose", net("Reshape", y, net.n(0, 0, heads, d)),
            perm=[0, 2, 1, 3])
    angle = np.arange(s)[:, None] / 10.0 ** (np.arange(half) / half)
    cos, sin = (c.constant(np.tile(f(angle), 2)[None, None], np.float32)
                for f in (np.cos, np.sin))
    first = net("Slice", y, net.n(0), net.n(half), net.n(3))
    second = net("Slice", y, net.n(half), net.n(2 ** 63 - 1), net.n(3))
    turned = net("Concat", net("Neg", second), first, axis=-1)
    net.out(net("Add", net("Mul", y, cos), net("Mul", turned, sin)))


def positions(c):
    """Positions counted from a mask, as decoders of words do it."""
    net, s, words, d = Net(c), c.int(1, 6), c.int(2, 6), c.int(1, 4)
    ids = c.input((1, s), "int64", lambda v: np.abs(v) % words)
    mask = c.input((1, s), "int64", lambda v: np.abs(v) % 2)
    count = net("CumSum", mask, net.i(1))
    at = net("Sub", net("Mul", count, mask), net.i(1))
    at = net("Where", net("Equal", mask, net.i(0)), net.i(1), at)
    at = net("Clip", at, net.i(0), net.i(s))
    y = net("Add", net("Gather", net.w(words, d), ids),
            net("Gather", net.w(s + 1, d), at))
    keep = net("Unsqueeze", net("Cast", mask, to=1), net.n(2))
    total = net("ReduceSum", net("Mul", y, keep), net.n(1), keepdims=0)
    number = net("Clip", net("ReduceSum", keep, net.n(1), keepdims=0),
                 net.f(1e-9), "")
    net.out(net("Div", total, number))
    best = net("ArgMax", y, axis=-1, keepdims=0)
    net.out(net("Where", net("Equal", best, net.i(0)), ids, best),
            dtype="int64")


def qdq(net, x, scale, zero, dtype):
    codes = net("QuantizeLinear", x, net.f(scale), net.c.constant(
        np.array(zero, dtype)))
    return net("DequantizeLinear", codes, net.f(scale), net.c.constant(
        np.array(zero, dtype)))


def trained_int8(c):
    """Quantisation-aware training: codes of weights for each channel, a bias
    of int32. Scales are powers of two times 3/4, so that float32 is exact."""
    net, ins, outs, size = Net(c, 13), c.int(1, 3), c.int(1, 4), c.int(3, 5)
    dtype = c.one("int8", "uint8")
    zero = 0 if dtype == "int8" else 128
    each = (2.0 ** -c.rng.integers(6, 9, outs)).astype(np.float32)
    w = net("DequantizeLinear", c.constant(c.rng.integers(
        -127, 128, (outs, ins, 3, 3)), np.int8), c.constant(each),
        c.constant(np.zeros(outs), np.int8), axis=0)
    bias = net("DequantizeLinear", c.constant(c.rng.integers(
        -500, 500, outs), np.int32), c.constant(each * np.float32(2.0 ** -5)),
        c.constant(np.zeros(outs), np.int32), axis=0)
    x = qdq(net, c.input((1, ins, size, size)), 2.0 ** -5, zero, dtype)
    y = net("Relu", net("Conv", x, w, bias, kernel_shape=[3, 3],
                        pads=[1] * 4))
    y = qdq(net, y, 0.75 * 2.0 ** -4, zero - 128 if zero else -128, dtype)
    y = net("GlobalAveragePool", y)
    net.out(net("QuantizeLinear", y, net.f(0.75 * 2.0 ** -5), c.constant(
        np.array(zero, dtype))), dtype=dtype)
    c.near = 1  # where float32 is not sure


def dynamic_int8(c):
    """Data quantised while the model runs, sums of integers, scales after."""
    net, m, k, n = Net(c, 13), c.int(1, 4), c.int(1, 6), c.int(1, 4)
    codes, s, z = net.many(3, "DynamicQuantizeLinear", c.input((m, k)))
    w = c.constant(c.rng.integers(-127, 128, (k, n)), np.int8)
    y = net("MatMulInteger", codes, w, z, c.constant(np.int8(0)))
    y = net("Mul", net("Cast", y, to=1), net("Mul", s, net.f(0.01)))
    net.out(net("Relu", net("Add", y, net.w(n))))


def little_bits(c):
    """A gated layer of weights of 4 bits in blocks."""
    net, s, d, wide = Net(c), c.int(1, 3), 16 * c.int(1, 3), c.int(2, 5)
    x = c.input((1, s, d))
    parts = [net("MatMulNBits", x, c.constant(c.rng.integers(
        0, 256, (wide, d // 16, 8)), np.uint8), c.constant(c.rng.uniform(
            0.01, 0.05, wide * d // 16), np.float32), domain=MS, K=d, N=wide,
        bits=4, block_size=16) for _ in range(2)]
    gate = net("Mul", parts[0], net("Sigmoid", parts[0]))
    net.out(net.dense(net("Mul", gate, parts[1]), wide, d))


def branch(c):
    """A condition on a shape, which folds, and one on data."""
    net, n = Net(c), c.int(1, 5)
    x = c.input((1, n))
    g = net.g
    ways = []
    for op in ("Relu", "Neg"):
        way = onnx_writer.Graph(op)
        way.node(op, [x], ["r" + op])
        way.output("r" + op, np.float32, (1, n))
        ways.append(way)
    folded = net("Equal", net("Gather", net("Shape", x), net.i(1), axis=0),
                 net.i(3))
    data = net("Greater", net("Squeeze", net("ReduceSum", x, net.n(1)),
                              net.n(0, 1)), net.f(0))
    for k, condition in enumerate((folded, data)):
        g.node("If", [condition], [f"if{k}"], then_branch=ways[0],
               else_branch=ways[1])
    net.out(net("Add", "if0", "if1"))


def recurrent_loop(c):
    """A cell in a Loop that ends by a count, rows gathered by its number."""
    net, t, n, h = Net(c), c.int(1, 4), c.int(1, 3), c.int(1, 3)
    c.g.node("Identity", [c.input((t, n))], ["rows"])
    body = onnx_writer.Graph("body")
    body.input("i", np.int64, ())
    body.input("go", np.bool_, ())
    body.input("s", np.float32, (1, h))
    body.node("Gather", ["rows", "i"], ["row"], axis=0)
    body.node("Unsqueeze", ["row", net.n(0)], ["row2"])
    body.node("Gemm", ["row2", net.w(h, n), net.w(h)], ["a"], transB=1)
    body.node("MatMul", ["s", net.w(h, h)], ["b"])
    body.node("Add", ["a", "b"], ["c"])
    body.node("Tanh", ["c"], ["s2"])
    body.node("Identity", ["go"], ["go2"])
    body.output("go2", np.bool_, ())
    body.output("s2", np.float32, (1, h))
    body.output("s2", np.float32, (1, h))
    state = c.constant(np.zeros((1, h)), np.float32)
    outs = net.many(2, "Loop", net.i(t), c.constant(np.bool_(True)), state,
                    body=body)
    net.out(*outs)


def old_classifier(c):
    """Opset 7 to 10: Dropout, Flatten, BatchNormalization, Gemm's C."""
    net, n, size = Net(c, c.int(7, 10)), c.int(1, 3), c.int(3, 5)
    x = c.input((1, n, size, size))
    y = net("BatchNormalization", net.conv(x, n, 4), *[
        c.constant(np.abs(c.values((4,), "float32")) + 0.5)
        for _ in range(4)], epsilon=1e-3)
    y = net("MaxPool", net("Relu", y), kernel_shape=[2, 2], strides=[2, 2])
    y = net("Dropout", net("Flatten", y), ratio=0.4)
    count = 4 * (size // 2) ** 2
    y = net("Gemm", y, net.w(count, 6), net.w(1, 6), alpha=0.5, beta=2.0)
    net.out(net("LogSoftmax", y, axis=1))


def half_precision(c):
    """float16 behind float32."""
    net, n, size = Net(c), c.int(1, 3), c.int(3, 5)
    x = net("Cast", c.input((1, n, size, size)), to=10)
    w = c.constant(c.rng.standard_normal((2, n, 3, 3)) * 0.2, np.float16)
    y = net("Relu", net("Conv", x, w, kernel_shape=[3, 3], pads=[1] * 4))
    y = net("Mul", y, c.constant(np.float16(0.5)))
    net.out(net("GlobalMaxPool", y), dtype="float16")


def features_and_trees(c):
    """A pipeline of scikit-learn: a scaler, a linear model or a forest."""
    import random_ml
    net, rows, n = Net(c), 1, c.int(2, 4)
    g, ml = c.g, "ai.onnx.ml"
    x = c.input((rows, n))
    x = net("Imputer", x, domain=ml, replaced_value_float=0.0,
            imputed_value_floats=random_ml.floats(c, n))
    x = net("Scaler", x, domain=ml, offset=random_ml.floats(c, n),
            scale=[float(v) for v in c.rng.uniform(0.5, 2, n)])
    x = net("Normalizer", x, domain=ml, norm="L2")
    k = c.int(2, 4)
    g.node("LinearClassifier", [x], ["label", "p"], domain=ml,
           coefficients=random_ml.floats(c, k, n), post_transform="SOFTMAX",
           intercepts=random_ml.floats(c, k), classlabels_ints=list(range(k)))
    net.out("label", dtype="int64")
    net.out("p")


def local_function(c):
    """Layers as functions, as PyTorch's newer exporter writes them."""
    net, n, m = Net(c), c.int(1, 4), c.int(1, 4)
    layer = onnx_writer.Function("Linear", ["x", "w", "b"], ["y"])
    layer.node("Transpose", ["w"], ["wt"], perm=[1, 0])
    layer.node("MatMul", ["x", "wt"], ["p"])
    layer.node("Add", ["p", "b"], ["y"])
    c.functions = (layer,)
    x = c.input((1, 2, n))
    for _ in range(2):
        x = net("Linear", x, net.w(m, n), net.w(m), domain="local")
        n = m
    net.out(net("Relu", x))


NETS = [
    ("torch attention", torch_attention),
    ("einsum attention", einsum_attention), ("mlp", normed_mlp),
    bidirectional("LSTM", 4), bidirectional("GRU", 3), bidirectional("RNN", 1),
    ("keras lstm", keras_lstm), ("mobile block", tf_mobile_block),
    ("squeeze and excite", squeeze_excite), ("shuffle", shuffled_channels),
    ("yolo head", yolo_head), ("pyramid", pyramid), ("unet", unet),
    ("pixel shuffle", pixel_shuffle), ("group norm", group_norm),
    ("causal tcn", causal_tcn), ("spectrogram", spectrogram),
    ("spatial transformer", transformer_of_space), ("regions", regions),
    ("chosen rows", chosen_rows), ("cache row", cache_row),
    ("rotary", rotary), ("positions", positions),
    ("trained int8", trained_int8), ("dynamic int8", dynamic_int8),
    ("little bits", little_bits), ("branch", branch),
    ("recurrent loop", recurrent_loop), ("old classifier", old_classifier),
    ("half precision", half_precision), ("pipeline", features_and_trees),
    ("local function", local_function)]
