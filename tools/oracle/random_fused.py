"""Random models of operators that ONNX Runtime has beyond ONNX: what its
optimiser writes (com.microsoft). As in random_onnx.py a function fills a Case;
the oracle is ONNX Runtime itself.
"""
import numpy as np

MS = "com.microsoft"


def floats(c, *shape, scale=1.0):
    """A constant."""
    return c.constant((c.values(shape, "float32") * scale).astype(np.float32))


def gelu(op, least=1):
    """With a bias of the last axis, which some may lack."""
    def build(c):
        shape = c.shape(c.int(1, 3))
        names = [c.input(shape)]
        if least == 2 or c.often():
            names.append(floats(c, shape[-1]))
        c.node(op, names, ["float32"], domain=MS)
    return op, build


def quick_gelu(c):
    c.node("QuickGelu", [c.input(c.shape(2))], ["float32"], domain=MS,
           alpha=float(c.one(1.702, 1.0)))


def skip_norm(c):
    b, s, d = c.int(1, 2), c.int(1, 4), c.int(2, 6)
    names = [c.input((b, s, d)), c.input((b, s, d)), floats(c, d)]
    names.append(floats(c, d) if c.often() else "")
    if c.often():
        names.append(floats(c, d))
    c.node("SkipLayerNormalization", names,
           ["float32", None, None, "float32"][:c.one(1, 4)], domain=MS,
           epsilon=float(c.one(1e-12, 1e-5)))


def skip_rms(c):
    b, s, d = c.int(1, 2), c.int(1, 4), c.int(2, 6)
    names = [c.input((b, s, d)), c.input((b, s, d)), floats(c, d)]
    if c.often():
        names.append(floats(c, d))
    c.node("SkipSimplifiedLayerNormalization", names, ["float32"], domain=MS,
           epsilon=float(c.one(1e-6, 1e-5)))


def embed_norm(c):
    b, s, d, words = c.int(1, 2), c.int(1, 5), c.int(2, 5), c.int(2, 8)
    segments = c.often()
    names = [c.input((b, s), "int32", lambda v: np.abs(v) % words),
             c.input((b, s), "int32", lambda v: np.abs(v) % 2)
             if segments else "", floats(c, words, d), floats(c, s, d),
             floats(c, 2, d) if segments else "", floats(c, d), floats(c, d)]
    if c.often():
        names.append(c.input((b, s), "int32", lambda v: np.abs(v) % 2))
    c.node("EmbedLayerNormalization", names, ["float32", "int32"], domain=MS,
           epsilon=1e-5)


def activation(c):
    return c.one(("Relu", []), ("Tanh", []), ("Sigmoid", []),
                 ("LeakyRelu", [0.3]), ("Clip", [-1.0, 2.0]),
                 ("HardSigmoid", [0.25, 0.5]))


def fused_conv(c):
    name, numbers = activation(c)
    a = {"activation": name, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    if numbers:
        a["activation_params"] = numbers
    ins, outs, size = c.int(1, 3), c.int(1, 3), c.int(3, 5)
    names = [c.input((1, ins, size, size)), floats(c, outs, ins, 3, 3)]
    if c.often():
        names.append(floats(c, outs))
        if name == "Relu" and c.often():
            names.append(c.input((1, outs, size, size)))
    c.node("FusedConv", names, ["float32"], domain=MS, **a)


def fused_gemm(c):
    name, numbers = activation(c)
    a = {"activation": name, "transB": c.int(0, 1)}
    if name == "Clip":  # the operator has no numbers for it
        a["activation"], numbers = "Relu", []
    for key, value in zip(("activation_alpha", "activation_beta"), numbers):
        a[key] = value
    m, k, n = c.shape(3)
    w = (n, k) if a["transB"] else (k, n)
    c.node("FusedGemm", [c.input((m, k)), floats(c, *w), floats(c, n)],
           ["float32"], domain=MS, **a)


def fused_matmul(c):
    b, m, k, n = c.shape(4)
    a = {"transA": c.int(0, 1), "transB": c.int(0, 1),
         "alpha": float(c.one(1.0, 0.25))}
    x = c.input((b, k, m) if a["transA"] else (b, m, k))
    w = (n, k) if a["transB"] else (k, n)
    y = floats(c, *w) if c.often() else c.input((b,) + w)
    c.node("FusedMatMul", [x, y], ["float32"], domain=MS, **a)


def codes(c, dtype, *shape):
    return c.constant(c.values(shape, dtype))


def scale(c, *shape):
    return c.constant((2.0 ** c.rng.uniform(-6, -4, shape)).astype(np.float32))


def matmul_to_float(c):
    m, k, n = c.shape(3)
    a, b = "uint8", c.one("int8", "uint8")
    columns = (n,) if c.often() else ()
    names = [c.input((m, k), a), codes(c, b, k, n), scale(c),
             scale(c, *columns), codes(c, a), codes(c, b, *columns)]
    if c.often():
        names.append(floats(c, n))
    c.node("MatMulIntegerToFloat", names, ["float32"], domain=MS)


def dynamic_matmul(c):
    m, k, n = c.shape(3)
    b = c.one("int8", "uint8")
    names = [c.input((m, k)), codes(c, b, k, n), scale(c), codes(c, b)]
    if c.often():
        names.append(floats(c, n))
    c.node("DynamicQuantizeMatMul", names, ["float32"], domain=MS)


def nhwc_max_pool(c):
    dtype, size = c.one("int8", "uint8"), c.int(3, 6)
    c.node("NhwcMaxPool", [c.input((1, size, size, c.int(1, 3)), dtype)],
           [dtype], domain=MS, kernel_shape=[2, 3], strides=[1, 2],
           pads=c.one([0, 0, 0, 0], [1, 0, 0, 1]))


def channels_last(op, **more):
    """A pool of codes; one step of the output is the oracle's own noise."""
    def build(c):
        dtype, size = c.one("int8", "uint8"), c.int(2, 5)
        zero = codes(c, dtype)
        c.node(op, [c.input((1, size, size, c.int(1, 3)), dtype), scale(c),
                    zero, scale(c), zero], [dtype], domain=MS,
               channels_last=1, **more)
        c.near = 1
    return op, build


def attention(c):
    b, s, heads, depth = c.int(1, 2), c.int(1, 4), c.int(1, 3), c.int(1, 4)
    d, ins = heads * depth, c.int(2, 5)
    a = {"num_heads": heads, "unidirectional": c.int(0, 1)}
    past = c.one(0, 0, 3)
    total = s + past
    mask = c.one(None, "ends", "pairs", "keys", "rows")
    if past and mask in ("ends", "pairs"):
        mask = None
    shape = {"ends": (b,), "pairs": (2 * b,), "keys": (b, total),
             "rows": (b, s, total)}.get(mask)
    names = [c.input((b, s, ins)), floats(c, ins, 3 * d, scale=0.5),
             floats(c, 3 * d)]
    if mask in ("keys", "rows"):
        names.append(c.input(shape, "int32", lambda v: np.abs(v) % 2))
    elif mask == "ends":
        names.append(c.input(shape, "int32", lambda v: np.abs(v) % s + 1))
    elif mask == "pairs":
        names.append(c.input(shape, "int32", lambda v: np.concatenate(
            [v[:, :b] * 0 + s, v[:, b:] * 0], 1)))
    else:
        names.append("")
    names.append(c.input((2, b, heads, past, depth)) if past else "")
    if c.often(0.3) and not past:
        names.append(c.input((b, heads, s, total)))
    c.node("Attention", names, ["float32"] + ["float32"] * bool(past),
           domain=MS, **a)


def onnx_attention(c):
    """ONNX's own: grouped heads, masks of both kinds, a past."""
    c.opset = 23
    b, m, n, depth, out = (c.int(1, 2), c.int(1, 4), c.int(1, 4), c.int(1, 4),
                           c.int(1, 4))
    groups, times = c.int(1, 2), c.int(1, 2)
    heads, a, names, flat = groups * times, {}, [], c.often()
    past = c.one(0, 0, 2)
    for count, length, size in ((heads, m, depth), (groups, n, depth),
                                (groups, n, out)):
        names.append(c.input((b, length, count * size) if flat
                             else (b, count, length, size)))
    if flat:
        a = {"q_num_heads": heads, "kv_num_heads": groups}
    mask = c.one("", "float32", "bool")
    # A row without any key has no softmax.
    names.append(c.input((m, n + past), mask, lambda v: v | (
        np.arange(n + past) == 0) if mask == "bool" else v) if mask else "")
    if past:
        names += [c.input((b, groups, past, depth)),
                  c.input((b, groups, past, out))]
    if c.often(0.3):
        a["scale"] = float(c.rng.uniform(0.2, 1.5))
    if c.often(0.3) and m == n and not past:
        a["is_causal"] = 1
    c.node("Attention", names, ["float32"] * (3 if past else 1), **a)


def products(c):
    """What exporters write: products around a softmax, with a factor or
    divisor, a mask, transposed and repeated keys."""
    b, m, n, depth, out = (c.int(1, 2), c.int(2, 5), c.int(1, 5), c.int(1, 4),
                           c.int(1, 4))
    groups, times = c.int(2, 3), c.one(1, 1, 2)
    heads = groups * times
    g, q = c.g, c.input((b, heads, m, depth))
    k, v = c.input((b, groups, n, depth)), c.input((b, groups, n, out))
    for at, x, size in (("k", k, depth), ("v", v, out)):
        if times > 1:
            axis = c.constant([2], np.int64)
            wide = c.constant([b, groups, times, n, size], np.int64)
            flat = c.constant([b, heads, n, size], np.int64)
            g.node("Unsqueeze", [x, axis], [at + "1"])
            g.node("Expand", [at + "1", wide], [at + "2"])
            g.node("Reshape", [at + "2", flat], [at])
        else:
            g.node("Identity", [x], [at])
    g.node("Transpose", ["k"], ["t"], perm=[0, 1, 3, 2])
    g.node("MatMul", [q, "t"], ["s"])
    s = "s"
    if c.often(0.7):
        g.node(c.one("Mul", "Div"), [s, floats(c)], ["s1"])
        s = "s1"
    if c.often(0.6):
        mask = c.input(c.one((m, n), (b, 1, 1, n), (1, heads, m, n), (n,)))
        g.node("Add", [s, mask] if c.often() else [mask, s], ["s2"])
        s = "s2"
    if c.often(0.5):
        keep = c.input((m, n), "bool")
        low = c.constant(np.float32(c.one(-1e4, -9.0)))
        g.node("Where", [keep] + ([s, low] if c.often() else [low, s]), ["s3"])
        s = "s3"
    g.node("Softmax", [s], ["p"], axis=-1)
    c.node("MatMul", ["p", "v"], ["float32"])


def quantised_attention(c):
    b, s, heads, depth = c.int(1, 2), c.int(1, 4), c.int(1, 2), c.int(1, 4)
    d, ins = heads * depth, c.int(2, 5)
    names = [c.input((b, s, ins), "uint8"), codes(c, "int8", ins, 3 * d),
             floats(c, 3 * d), scale(c), scale(c), "", codes(c, "uint8"),
             codes(c, "int8")]
    c.node("QAttention", names, ["float32"], domain=MS, num_heads=heads,
           unidirectional=c.int(0, 1))


def multi_head(c):
    b, s, t = c.int(1, 2), c.int(1, 4), c.int(1, 4)
    ordered = c.int(0, 1)
    t = s if ordered else t
    heads, depth, out = c.int(1, 3), c.int(1, 4), c.int(1, 4)
    d, dv = heads * depth, heads * out
    names = [c.input((b, s, d)), c.input((b, t, d)), c.input((b, t, dv)),
             floats(c, 2 * d + dv) if c.often() else "",
             c.input((b, t), "int32", lambda v: np.abs(v) % 2)
             if c.often(0.4) else ""]
    if c.often(0.4):
        names.append(c.input((c.one(1, b), heads, s, t)))
    c.node("MultiHeadAttention", names, ["float32"], domain=MS,
           num_heads=heads, unidirectional=ordered)


def matmul_bits(c):
    """Weights of 4 or 8 bits with a scale for each block of a column."""
    bits, block = c.one(4, 8), c.one(16, 32)
    depth, n = c.int(1, 70), c.int(1, 5)
    blocks = -(-depth // block)
    names = [c.input(c.shape(c.int(0, 2), 1, 3) + (c.int(1, 3), depth)),
             c.constant(c.rng.integers(0, 256, (
                 n, blocks, block * bits // 8)), np.uint8),
             c.constant(c.rng.uniform(0.01, 0.1, n * blocks), np.float32)]
    if c.often():
        names.append(c.constant(c.rng.integers(0, 256, (
            n * (-(-blocks * bits // 8)))), np.uint8))
    c.node("MatMulNBits", names, ["float32"], MS, K=depth, N=n, bits=bits,
           block_size=block)


def blocks(c):
    """DequantizeLinear with scales of blocks, then a product."""
    c.opset = 21
    size, k, n = c.int(2, 4), c.int(1, 3), c.int(1, 4)
    axis = c.int(0, 1)
    shape = (n, k * size) if axis else (k * size, n)
    scales = (n, k) if axis else (k, n)
    dtype = c.one(np.int8, np.uint8)
    names = [c.constant(c.rng.integers(-100, 100, shape) % 128, dtype),
             c.constant(c.rng.uniform(0.01, 0.1, scales), np.float32)]
    if c.often():
        names.append(c.constant(c.rng.integers(0, 100, scales), dtype))
    c.g.node("DequantizeLinear", names, ["w"], axis=axis, block_size=size)
    c.node("MatMul", [c.input((c.int(1, 3), shape[0])), "w"], ["float32"])


FUSED = [
    gelu("BiasGelu", 2), gelu("FastGelu"), ("QuickGelu", quick_gelu),
    ("SkipLayerNormalization", skip_norm),
    ("SkipSimplifiedLayerNormalization", skip_rms),
    ("EmbedLayerNormalization", embed_norm), ("FusedConv", fused_conv),
    ("FusedGemm", fused_gemm), ("FusedMatMul", fused_matmul),
    ("MatMulIntegerToFloat", matmul_to_float),
    ("DynamicQuantizeMatMul", dynamic_matmul),
    ("NhwcMaxPool", nhwc_max_pool),
    channels_last("QLinearGlobalAveragePool"),
    ("Attention", attention), ("Attention", attention),
    ("Attention", onnx_attention), ("MatMul", products),
    ("QAttention", quantised_attention), ("MultiHeadAttention", multi_head),
         ("MatMulNBits", matmul_bits), ("DequantizeLinear", blocks)]
