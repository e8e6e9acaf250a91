"""Random models of what random_onnx.py's families leave: operators on codes
(QLinearConv and its kin), tensors that are made, spectra, loops, sequences,
operators of old versions of ONNX, and those of its newest. As there a function
fills a Case; the oracle is ONNX Runtime, or a definition where it has none.
"""
import numpy as np

import onnx_writer

MS = "com.microsoft"


def scale(c, *shape):
    return c.constant((2.0 ** c.rng.uniform(-6, -3, shape)).astype(np.float32))


def codes(c, dtype, *shape):
    return c.constant(c.values(shape, dtype))


def coded(c, shape, dtype, constant=0.0):
    """A tensor of codes with its scale and zero point."""
    x = (codes(c, dtype, *shape) if c.often(constant)
         else c.input(shape, dtype))
    return [x, scale(c), codes(c, dtype)]


def near(c):
    """ONNX Runtime scales sums in float32, by its own kernels."""
    c.near = 1


def qlinear_conv(c):
    x, w = c.one(("uint8", "uint8"), ("uint8", "int8"), ("int8", "int8"))
    groups, rank = c.one(1, 1, 2), c.one(1, 2, 2)
    ins, outs = groups * c.int(1, 3), groups * c.int(1, 3)
    if c.often(0.2):  # depthwise
        groups = outs = ins
    kernel = [c.int(1, 3) for _ in range(rank)]
    size = [c.int(3, 6) for _ in range(rank)]
    each = w == "int8" and c.often()
    n = (outs,) if each else ()
    names = coded(c, [c.int(1, 2), ins] + size, x)
    zero = (np.zeros(n, w) if w == "int8" else c.values(n, w))
    names += [codes(c, w, outs, ins // groups, *kernel), scale(c, *n),
              c.constant(zero)]
    names += [scale(c), codes(c, x)]
    if c.often():
        names.append(c.constant(c.rng.integers(-2000, 2000, outs), np.int32))
    c.node("QLinearConv", names, [x], group=groups, kernel_shape=kernel,
           strides=[c.int(1, 2) for _ in kernel],
           pads=[c.int(0, k - 1) for k in kernel + kernel])
    near(c)


def qlinear_matmul(c):
    x, w = c.one(("uint8", "uint8"), ("uint8", "int8"), ("int8", "int8"))
    m, k, n = c.shape(3)
    batch = c.shape(c.int(0, 1), 1, 3)
    names = coded(c, batch + (m, k), x)
    names += coded(c, (k, n) if c.often() else batch + (k, n), w, 0.6)
    c.node("QLinearMatMul", names + [scale(c), codes(c, x)], [x])
    near(c)


def qgemm(c):
    m, k, n = c.shape(3)
    turned = c.int(0, 1)
    names = coded(c, (m, k), "uint8")
    each = (n,) if c.often() else ()
    w = c.one("uint8", "int8")
    names += [codes(c, w, *((n, k) if turned else (k, n))), scale(c, *each),
              codes(c, w, *each)]
    names.append(c.constant(c.rng.integers(-900, 900, n), np.int32)
                 if c.often() else "")
    out = "float32"
    if c.often(0.7):
        names += [scale(c), codes(c, "uint8")]
        out = "uint8"
    c.node("QGemm", names, [out], MS, transB=turned, alpha=1.0)
    near(c)


def qlinear_pair(op):
    def build(c):
        dtype = c.one("uint8", "int8")
        a, b = c.broadcast()
        c.node(op, coded(c, a, dtype) + coded(c, b, dtype, 0.4)
               + [scale(c), codes(c, dtype)], [dtype], MS)
        near(c)
    return op, build


def qlinear_one(op, **more):
    """Of one tensor."""
    def build(c):
        dtype = c.one("uint8", "int8")
        a = {k: float(c.rng.uniform(*v)) for k, v in more.items()}
        c.node(op, coded(c, c.shape(c.int(1, 4)), dtype)
               + [scale(c), codes(c, dtype)], [dtype], MS, **a)
        near(c)
    return op, build


def qlinear_softmax(c):
    """A probability of 1 is the code behind the last: QuantizeLinear saturates,
    ONNX Runtime wraps."""
    dtype = c.one("uint8", "int8")
    shape = c.shape(2, 1, 6)
    c.often(0.0)  # the same numbers as coded() draws
    x = c.input(shape, dtype)
    factor = np.float32(2.0 ** c.rng.uniform(-6, -3, ()))
    zero = c.values((), dtype)
    low = -128 if dtype == "int8" else 0
    c.node("QLinearSoftmax", [x, c.constant(factor), c.constant(zero),
                              c.constant(np.float32(1 / 256)),
                              c.constant(np.array(low, dtype))],
           [dtype], MS, axis=-1, opset=13)

    def judge(v):
        e = (v[x].astype(np.float64) - zero) * factor
        e = np.exp(e - e.max(axis=-1, keepdims=True))
        y = 256 * e / e.sum(axis=-1, keepdims=True) + low
        return [np.clip(np.rint(y), low, low + 255).astype(dtype)]
    c.judge, c.slack = judge, 1
    near(c)


def qlinear_pool(c):
    dtype, size = c.one("uint8", "int8"), c.int(3, 6)
    same = [scale(c), codes(c, dtype)]
    c.node("QLinearAveragePool", [c.input((1, c.int(1, 3), size, size), dtype)]
           + same + same, [dtype], MS, kernel_shape=[2, 3],
           strides=[c.int(1, 2), c.int(1, 2)],
           pads=c.one([0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 1]),
           count_include_pad=c.int(0, 1))
    near(c)


def qlinear_mean(c):
    """ONNX Runtime knows the name only: the definition is the oracle."""
    dtype, rank = c.one("uint8", "int8"), c.int(2, 3)
    scales = (2.0 ** c.rng.uniform(-6, -3, 2)).astype(np.float32)
    zeros = c.values((2,), dtype)
    axes = sorted({c.int(0, rank - 1), c.int(0, rank - 1)})
    keep = c.int(0, 1)
    names = [c.input(c.shape(rank), dtype)]
    for a, z in zip(scales, zeros):
        names += [c.constant(a), c.constant(z)]
    c.node("QLinearReduceMean", names, [dtype], MS, axes=axes, keepdims=keep)

    def judge(v):
        x = (v["x0"].astype(np.float64) - zeros[0]) * scales[0]
        y = x.mean(axis=tuple(axes), keepdims=bool(keep)) / scales[1]
        info = np.iinfo(dtype)
        return [np.clip(np.rint(y) + zeros[1], info.min, info.max).astype(
            dtype)]
    c.judge, c.slack = judge, 1
    near(c)


def qlinear_concat(c):
    dtype, rank = c.one("uint8", "int8"), c.int(1, 3)
    shape, axis = list(c.shape(rank)), c.int(0, rank - 1)
    names = [scale(c), codes(c, dtype)]
    for _ in range(c.int(1, 3)):
        shape[axis] = c.int(1, 4)
        names += coded(c, tuple(shape), dtype)
    c.node("QLinearConcat", names, [dtype], MS, axis=axis)
    near(c)


def qlinear_where(c):
    dtype, shape = c.one("uint8", "int8"), c.shape(2)
    c.node("QLinearWhere", [c.input(shape, "bool")]
           + coded(c, c.one(shape, (1, shape[1])), dtype)
           + coded(c, shape, dtype) + [scale(c), codes(c, dtype)], [dtype], MS)
    near(c)


def made(build):
    """Something made of constants or of a shape alone, added to an input."""
    def whole(c):
        name, dtype = build(c)
        c.g.node("Cast", [name], ["f"], to=1)
        c.node("Add", ["f", c.input((1,))], ["float32"])
    return whole


def window_function(op):
    def build(c):
        size = c.constant(np.int64(c.int(2, 9)))  # of 1 it may be 0 / 0
        return c.g.node(op, [size], periodic=c.int(0, 1)), "float32"
    return op, made(build)


def ranged(c):
    dtype, step = c.one(("int64", c.one(2, 3, -2)), ("float32", 0.75))
    start = c.values((), dtype)
    n = c.int(1, 6)
    return c.g.node("Range", [c.constant(start), c.constant(np.array(
        start + step * n, dtype)), c.constant(np.array(step, dtype))]), dtype


def eye_like(c):
    x = c.input(c.shape(2))
    return c.g.node("EyeLike", [x], k=c.int(-2, 2), dtype=c.one(1, 6, 7)), ""


def filled(c):
    shape = c.constant(np.array(c.shape(c.int(1, 3)), np.int64))
    return c.g.node("ConstantOfShape", [shape], value=np.array(
        [c.int(-9, 9)], c.one(np.float32, np.int32, np.uint8))), ""


def shape_of(c):
    rank = c.int(1, 4)
    a = {}
    if c.often():
        a["start"] = c.int(-rank, rank - 1)
        if a["start"] == rank - 1 or c.often():
            pass
        else:
            a["end"] = rank
    return c.g.node("Shape", [c.input(c.shape(rank))], **a), ""


def size_of(c):
    return c.g.node("Size", [c.input(c.shape(c.int(0, 4)))]), ""


def mel(c):
    sizes = [c.int(3, 6), c.one(16, 33), c.one(8000, 16000)]
    return c.g.node("MelWeightMatrix", [c.constant(np.int64(v)) for v in sizes]
                    + [c.constant(np.float32(v)) for v in (0.0, 3000.0)]), ""


def constant(c):
    kind = c.one("value", "value_float", "value_floats", "value_ints")
    value = {"value": c.values(c.shape(2), "float32"), "value_float": 1.5,
             "value_floats": [0.5, -2.0], "value_ints": [3, -4, 5]}[kind]
    return c.g.node("Constant", [], **{kind: value}), ""


def dft(c):
    """Of real or complex rows; the last axis is the parts."""
    c.opset = 20
    complex_ = c.int(1, 2)
    inverse = c.int(0, 1) if complex_ == 2 else 0
    shape = (c.int(1, 2), c.int(2, 9), complex_)
    names = [c.input(shape)]
    names.append(c.constant(np.int64(c.int(2, 9))) if c.often(0.4) else "")
    names.append(c.constant(np.int64(1)))
    onesided = 0 if complex_ == 2 else c.int(0, 1)
    c.node("DFT", names, ["float32"], inverse=inverse, onesided=onesided)


def stft(c):
    frame, step, n = c.one(4, 6, 8), c.int(1, 4), c.int(9, 20)
    names = [c.input((c.int(1, 2), n, 1)), c.constant(np.int64(step)),
             c.constant(np.abs(c.values((frame,), "float32"))),
             c.constant(np.int64(frame))]
    c.node("STFT", names, ["float32"], onesided=c.int(0, 1))


def loop(c):
    """A loop that carries a value and collects what it makes."""
    shape, times = c.shape(2, 1, 4), c.int(1, 5)
    body = onnx_writer.Graph("body")
    body.input("i", np.int64, ())
    body.input("go", np.bool_, ())
    body.input("a", np.float32, shape)
    body.node("Identity", ["go"], ["on"])
    body.node("Cast", ["i"], ["fi"], to=1)
    body.node("Mul", ["a", "outer"], ["b0"])
    body.node("Add", ["b0", "fi"], ["b"])
    body.node("Tanh", ["b"], ["seen"])
    for name, dtype, dims in (("on", np.bool_, ()), ("b", np.float32, shape),
                              ("seen", np.float32, shape)):
        body.output(name, dtype, dims)
    x = c.input(shape)
    c.g.node("Identity", [c.input(shape)], ["outer"])
    c.node("Loop", [c.constant(np.int64(times)), "" if c.often() else
                    c.constant(np.bool_(True)), x], ["float32", "float32"],
           body=body)


def scan(c):
    """Rows one after the other, forward or backward."""
    rows, n = c.int(1, 5), c.int(1, 4)
    body = onnx_writer.Graph("body")
    body.input("s", np.float32, (n,))
    body.input("x", np.float32, (n,))
    body.node("Mul", ["s", "half"], ["h"])
    body.constant(np.float32(0.5), "half")
    body.node("Add", ["h", "x"], ["t"])
    body.node("Relu", ["t"], ["y"])
    body.output("t", np.float32, (n,))
    body.output("y", np.float32, (n,))
    c.node("Scan", [c.input((n,)), c.input((rows, n))],
           ["float32", "float32"], body=body, num_scan_inputs=1,
           scan_input_directions=[c.int(0, 1)],
           scan_output_directions=[c.int(0, 1)])


def sequence(c):
    """Tensors put into a list and chosen from it."""
    shape, count = c.shape(2, 1, 4), c.int(1, 4)
    g = c.g
    g.node("SequenceConstruct", [c.input(shape) for _ in range(count)], ["s"])
    if c.often():
        g.node("SequenceEmpty", [], ["e"], dtype=1)
        g.node("SequenceAt", ["s", c.constant(np.int64(-1))], ["last"])
        g.node("SequenceInsert", ["e", "last"], ["s2"])
    else:
        body = onnx_writer.Graph("each")
        body.input("v", np.float32, shape)
        body.node("Neg", ["v"], ["w"])
        body.output("w", np.float32, shape)
        g.node("SequenceMap", ["s"], ["s2"], body=body)
    g.node("SequenceLength", ["s2"], ["n"])
    g.node("Cast", ["n"], ["nf"], to=1)
    g.node("ConcatFromSequence", ["s2"], ["all"], axis=c.int(0, 1))
    c.node("Mul", ["all", "nf"], ["float32"])


def unpool(c):
    """Pools with places, undone."""
    size = 2 * c.int(1, 3)
    x = c.input((1, c.int(1, 3), size, size))
    c.g.node("MaxPool", [x], ["p", "at"], kernel_shape=[2, 2], strides=[2, 2])
    c.node("MaxUnpool", ["p", "at"], ["float32"], kernel_shape=[2, 2],
           strides=[2, 2])


def upsample(c):
    c.opset = c.one(7, 9)
    scales = [1.0, 1.0, float(c.int(1, 3)), float(c.int(1, 3))]
    x = c.input((1,) + c.shape(3, 1, 4))
    if c.opset == 7:
        c.node("Upsample", [x], ["float32"], mode="nearest", scales=scales)
    else:
        c.node("Upsample", [x, c.constant(np.array(scales, np.float32))],
               ["float32"], mode=c.one("nearest", "linear"))


def scatter(c):
    c.opset = c.one(9, 10)
    rows, n, k = c.int(1, 4), c.int(2, 5), c.int(1, 2)
    at = np.stack([c.rng.permutation(n)[:k] for _ in range(rows)])
    c.node("Scatter", [c.input((rows, n)), c.constant(at, np.int64),
                       c.input((rows, k))], ["float32"], axis=1)


def dropout(c):
    c.opset = c.one(7, 11, 13)
    c.node("Dropout", [c.input(c.shape(c.int(1, 3)))], ["float32"])


def cast_like(c):
    to = c.one("int32", "float32", "uint8", "int64")
    c.node("CastLike", [c.input(c.shape(2), c.one("float32", "int32"), np.abs),
                        codes(c, to, 1)], [to])


def old_axes(op, opset):
    """Axes as an attribute, as they were before version 13."""
    def build(c):
        c.opset = opset
        rank = c.int(1, 3)
        axis = c.int(0, rank - 1)
        shape = list(c.shape(rank))
        if op == "Squeeze":
            shape[axis] = 1
        a = {"axes": [axis]}
        if op.startswith("Reduce"):
            a["keepdims"] = c.int(0, 1)
        if op == "Slice":
            a.update(starts=[0], ends=[c.int(1, 9)])
        if op == "Split":
            a = {"axis": axis, "split": [1, 2, 1]}
            shape[axis] = 4
        if op == "Pad":
            a = {"pads": [c.int(0, 2) for _ in range(2 * rank)],
                 "value": 1.5, "mode": "constant"}
        if op in ("Softmax", "LogSoftmax", "Hardmax"):
            a = {"axis": axis}
        if op == "Clip":
            a = {"min": -1.0, "max": 1.25}
        if op == "TopK":
            a = {"axis": axis, "k": 1}
        c.node(op, [c.input(tuple(shape))], ["float32"] * (
            3 if op == "Split" else 1) + ["int64"] * (op == "TopK"), **a)
    return op, build


def old_norm(c):
    """Versions 7 and 9."""
    c.opset = c.one(7, 9)
    n = c.int(1, 4)
    numbers = [c.constant(np.abs(c.values((n,), "float32")) + 0.5)
               for _ in range(4)]
    c.node("BatchNormalization", [c.input((1, n) + c.shape(2))] + numbers,
           ["float32"], epsilon=1e-3)


def rms_norm(c):
    c.opset = 23
    shape = c.shape(c.int(2, 3), 1, 5)
    axis = c.int(1, len(shape) - 1)
    c.node("RMSNormalization", [c.input(shape), codes(
        c, "float32", *shape[axis:])], ["float32"], axis=axis, epsilon=1e-4)


def swish(c):
    c.opset = 24
    alpha = float(c.one(1.0, 0.7))
    c.node("Swish", [c.input(c.shape(2))], ["float32"], alpha=alpha)
    c.judge = lambda v: [(lambda x: (x / (1 + np.exp(-alpha * x))).astype(
        np.float32))(next(iter(v.values())).astype(np.float64))]


def turned_matmul(c):
    m, k, n = c.shape(3)
    a, b = c.int(0, 1), c.int(0, 1)
    c.node("TransposeMatMul", [c.input((k, m) if a else (m, k)), codes(
        c, "float32", *((n, k) if b else (k, n)))], ["float32"], MS,
        transA=a, transB=b, alpha=0.5)


def inverted(c):
    dtype = c.one("int32", "uint8", "int8")
    c.node("BitwiseNot", [c.input(c.shape(2), dtype)], [dtype])


def features(*counts):
    """The columns of several inputs, of few or of many."""
    def build(c):
        rows = c.int(1, 3)
        sizes = [c.int(1, 3) for _ in range(c.one(*counts))]
        parts = [c.input((rows, n)) if k < 3
                 else codes(c, "float32", rows, n)
                 for k, n in enumerate(sizes)]
        c.node("FeatureVectorizer", parts, ["float32"], "ai.onnx.ml",
               inputdimensions=sizes)
    return "FeatureVectorizer", build


REST = {
    "codes": [
        ("QLinearConv", qlinear_conv), ("QLinearConv", qlinear_conv),
        ("QLinearMatMul", qlinear_matmul), ("QGemm", qgemm),
        qlinear_pair("QLinearAdd"), qlinear_pair("QLinearMul"),
        qlinear_one("QLinearSigmoid"),
        qlinear_one("QLinearLeakyRelu", alpha=(0.01, 0.4)),
        ("QLinearSoftmax", qlinear_softmax),
        ("QLinearAveragePool", qlinear_pool),
        ("QLinearReduceMean", qlinear_mean),
        ("QLinearConcat", qlinear_concat), ("QLinearWhere", qlinear_where)],
    "made of nothing": [
        window_function("HannWindow"), window_function("HammingWindow"),
        window_function("BlackmanWindow"), ("Range", made(ranged)),
        ("EyeLike", made(eye_like)), ("ConstantOfShape", made(filled)),
        ("Shape", made(shape_of)), ("Size", made(size_of)),
        ("MelWeightMatrix", made(mel)), ("Constant", made(constant))],
    "spectra": [("DFT", dft), ("STFT", stft)],
    "flows": [("Loop", loop), ("Scan", scan), ("SequenceMap", sequence)],
    "old versions": [
        ("Upsample", upsample), ("Scatter", scatter), ("Dropout", dropout),
        ("CastLike", cast_like), ("BatchNormalization", old_norm),
        *(old_axes(op, opset) for op, opset in (
            ("Squeeze", 7), ("Unsqueeze", 8), ("ReduceSum", 9),
            ("ReduceMean", 11), ("Slice", 7), ("Split", 10), ("Pad", 8),
            ("Softmax", 9), ("LogSoftmax", 11), ("Hardmax", 7), ("Clip", 8),
            ("TopK", 9)))],
    "rest": [
        ("MaxUnpool", unpool), ("RMSNormalization", rms_norm),
        ("Swish", swish), ("TransposeMatMul", turned_matmul),
        ("BitwiseNot", inverted), features(1, 2, 3), features(70)],
}
