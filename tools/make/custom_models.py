"""Random models of custom operators that LiteRT does not run, for
random-models: a function fills a case and leaves the definition in
`case.define`, written here in numpy from the operator's description. And of
sparse constants, which LiteRT does run.
"""
import numpy as np

from detection_models import options

CASES = 4
SAME, VALID = 1, 2


def words(*values):
    """The runtime's struct of 32-bit integers."""
    return np.array(values, "<i4").tobytes()


def evaluate(case, seed):
    outputs = [case.define(*(v[k] for v in case.inputs.values()))
               for k in range(CASES)]
    return case.inputs, {f"output_{i}": np.stack([o[i] for o in outputs])
                         for i in range(len(outputs[0]))}, None


def images(c, *shape):
    return c.rng.integers(-9, 10, (CASES,) + shape).astype(np.float32)


def size(n, filter_, stride, padding):
    """Of the output, and the padding in front."""
    if padding == VALID:
        return (n - filter_) // stride + 1, 0
    out = -(-n // stride)
    return out, max(0, (out - 1) * stride + filter_ - n) // 2


def pool_places(c):
    kh, kw, sh, sw = (int(v) for v in c.rng.integers(1, 4, 4))
    n, h, w, d = c.shape(4, 3, 6)
    padding = int(c.rng.choice([SAME, VALID]))
    (oh, top), (ow, left) = size(h, kh, sh, padding), size(w, kw, sw, padding)

    def define(x):
        values = np.zeros((n, oh, ow, d), np.float32)
        places = np.zeros_like(values)
        for b, i, j, k in np.ndindex(values.shape):
            best = None
            for f in range(kh * kw):
                y, z = i * sh - top + f // kw, j * sw - left + f % kw
                if 0 <= y < h and 0 <= z < w and (
                        best is None or x[b, y, z, k] > best[0]):
                    best = x[b, y, z, k], f
            values[b, i, j, k] = best[0]
            places[b, i, j, k] = np.float32(best[1] + np.float32(0.1))
        return values, places
    m = c.model
    x = m.add_tensor("x", (n, h, w, d), "float32")
    y = [m.add_tensor(t, (n, oh, ow, d), "float32") for t in ("y", "places")]
    m.add_op("CUSTOM", [x], y, custom_code="MaxPoolingWithArgmax2D",
             custom_options=words(padding, sw, sh, kw, kh, 0, 0, 0, 0, 0))
    c.inputs, c.define = {"input_0": images(c, n, h, w, d)}, define
    return c.finish([x], y)


def unpool(c):
    kh, kw = (int(v) for v in c.rng.integers(1, 4, 2))
    shape = n, h, w, d = c.shape(4, 1, 4)

    def define(x, places):
        out = np.zeros((n, h * kh, w * kw, d), np.float32)
        for b, i, j, k in np.ndindex(x.shape):
            f = int(places[b, i, j, k])
            out[b, i * kh + f // kw, j * kw + f % kw, k] = x[b, i, j, k]
        return (out,)
    m = c.model
    x, p = (m.add_tensor(t, shape, "float32") for t in ("x", "places"))
    y = m.add_tensor("y", (n, h * kh, w * kw, d), "float32")
    m.add_op("CUSTOM", [x, p], [y], custom_code="MaxUnpooling2D",
             custom_options=words(int(c.rng.choice([SAME, VALID])), kw, kh, kw,
                                  kh, 0, 0, 0, 0, 0))
    c.inputs = {"input_0": images(c, *shape),
                "input_1": c.rng.integers(0, kh * kw, (CASES,) + shape).astype(
                    np.float32) + np.float32(0.1)}
    c.define = define
    return c.finish([x, p], [y])


def transpose_conv_bias(c):
    kh, kw, sh, sw = (int(v) for v in c.rng.integers(1, 4, 4))
    n, h, w, d = c.shape(4, 1, 5)
    o = int(c.rng.integers(1, 4))
    padding = int(c.rng.choice([SAME, VALID]))

    def cut(n, filter_, stride):
        return max(0, filter_ - (n - 1) % stride - 1) * (padding == SAME)
    ch, cw = cut(h, kh, sh), cut(w, kw, sw)
    oh, ow = sh * (h - 1) + kh - ch, sw * (w - 1) + kw - cw
    weights = c.rng.integers(-3, 4, (o, kh, kw, d)).astype(np.float32)
    bias = c.rng.integers(-9, 10, o).astype(np.float32)

    def define(x):
        out = np.zeros((n, oh, ow, o), np.float32) + bias
        for b, i, j, p, q in np.ndindex(n, h, w, kh, kw):
            y, z = i * sh - ch // 2 + p, j * sw - cw // 2 + q
            if 0 <= y < oh and 0 <= z < ow:
                out[b, y, z] += weights[:, p, q] @ x[b, i, j]
        return (out,)
    m = c.model
    x = m.add_tensor("x", (n, h, w, d), "float32")
    y = m.add_tensor("y", (n, oh, ow, o), "float32")
    m.add_op("CUSTOM",
             [x, m.add_tensor("w", weights.shape, "float32", weights),
              m.add_tensor("b", bias.shape, "float32", bias)], [y],
             custom_code="Convolution2DTransposeBias",
             custom_options=words(padding, sw, sh))
    c.inputs, c.define = {"input_0": images(c, n, h, w, d)}, define
    return c.finish([x], [y])


# The skeleton, from the nose outwards.
BONES = [(0, 1), (1, 3), (0, 2), (2, 4), (0, 5), (5, 7), (7, 9), (5, 11),
         (11, 13), (13, 15), (0, 6), (6, 8), (8, 10), (6, 12), (12, 14),
         (14, 16)]


def sample(field, at, channel):
    """One channel of a map, between its pixels."""
    (top, left), (bottom, right) = np.floor(at).astype(int), np.ceil(
        at).astype(int)
    down, along = (at - np.floor(at)).astype(np.float32)
    upper, lower = ((1 - along) * field[y, left, channel]
                    + along * field[y, right, channel] for y in (top, bottom))
    return (1 - down) * upper + down * lower


def follow(field, at, channel, apart):
    """A place moved by what a map says there."""
    by = [sample(field, at, channel), sample(field, at, channel + apart)]
    return np.clip(at + np.array(by, np.float32), 0,
                   np.array(field.shape[:2], np.float32) - 1)


def skeleton(heat, offsets, bones, joint, root):
    """Places and scores of all joints, from one of them on."""
    at, todo = {joint: root}, [joint]
    while todo:
        here = todo.pop()
        for k, (inner, outer) in enumerate(BONES):
            for start, end, c in ((inner, outer, k), (outer, inner, 32 + k)):
                if start == here and end not in at:
                    at[end] = follow(bones, at[here], c, 16)
                    for _ in range(5):
                        at[end] = follow(offsets, at[end], end, 17)
                    todo.append(end)
    places = np.array([at[k] for k in range(17)])
    logits = np.array([sample(heat, p, k) for k, p in enumerate(places)])
    return places, 1 / (1 + np.exp(-logits.astype(np.float32)))


def people(heat, offsets, bones, most, least, radius):
    """[(mean score, places, scores)], from the best on."""
    def near(a, b):
        return ((a - b) ** 2).sum(-1) <= radius ** 2
    logit, found = -np.log(1 / (least + 1e-6) - 1), []
    for index in np.argsort(-heat.ravel(), kind="stable"):
        y, x, joint = np.unravel_index(index, heat.shape)
        around = heat[max(y - 1, 0):y + 2, max(x - 1, 0):x + 2, joint]
        if len(found) == most or heat[y, x, joint] < logit:
            break
        if around.max() > heat[y, x, joint]:
            continue
        by = offsets[y, x, [joint, joint + 17]]
        root = np.clip(np.array([y, x], np.float32) + by, 0,
                       np.array(heat.shape[:2], np.float32) - 1)
        if any(near(root, places[joint]) for _, places, _ in found):
            continue
        places, scores = skeleton(heat, offsets, bones, joint, root)
        if scores.mean() >= least:
            found.append((scores.mean(), places, scores))
    found.sort(key=lambda p: -p[0])
    again = []
    for i, (_, places, scores) in enumerate(found):
        taken = np.zeros(17, bool)
        for _, other, _ in found[:i]:
            taken |= near(places, other)
        again.append(((scores * ~taken).sum() / 17, places, scores))
    again.sort(key=lambda p: -p[0])
    return [p for p in again if p[0] >= least]


def masks_of(found, offsets, most):
    h, w, _ = offsets.shape
    masks = np.zeros((1, most, h, w), np.float32)
    for y, x in np.ndindex(h, w):
        joints = [np.array([y, x], np.float32)] * 17
        for _ in range(3):
            joints = [follow(offsets, p, k, 17) for k, p in enumerate(joints)]
        apart = [((np.array(joints) - p[1]) ** 2).sum() for p in found]
        if apart:
            masks[0, int(np.argmin(apart)), y, x] = 1
    return masks


def poses(c):
    """PosenetDecoderOp; sometimes with masks."""
    h, w = (int(v) for v in c.rng.integers(3, 8, 2))
    most, stride = int(c.rng.integers(1, 6)), int(c.rng.choice([8, 16]))
    least, radius = float(c.rng.choice([0.2, 0.4])), float(
        c.rng.choice([10, 20]))
    channels = [17, 34, 64] + [34] * int(c.rng.integers(0, 2))

    def define(heat, *fields):
        near_by, bones, *far = (f[0] / np.float32(stride) for f in fields)
        found = people(heat[0], near_by, bones, most, np.float32(least),
                       np.float32(radius) / stride)
        places = np.zeros((1, most, 17, 2), np.float32)
        each, means = places[..., 0].copy(), places[..., 0, 0].copy()
        for i, (mean, at, scores) in enumerate(found):
            places[0, i], each[0, i], means[0, i] = at * stride, scores, mean
        out = [places, each, means, np.array([len(found)], np.float32)]
        return out + [masks_of(found, f, most) for f in far]
    m = c.model
    inputs = [m.add_tensor(f"map{k}", (1, h, w, n), "float32")
              for k, n in enumerate(channels)]
    shapes = [(1, most, 17, 2), (1, most, 17), (1, most), (1,),
              (1, most, h, w)][:len(channels) + 1]
    outputs = [m.add_tensor(f"y{k}", s, "float32")
               for k, s in enumerate(shapes)]
    m.add_op("CUSTOM", inputs, outputs, custom_code="PosenetDecoderOp",
             custom_options=options({
                 "max_detections": most, "score_threshold": least,
                 "stride": stride, "nms_radius": radius}))
    c.inputs = {f"input_{k}": (c.rng.standard_normal((CASES, 1, h, w, n)) * (
        3 if k == 0 else stride)).astype(np.float32)
        for k, n in enumerate(channels)}
    c.define = define
    return c.finish(inputs, outputs)


def compressed(dense, order, compress):
    """Levels and values of a tensor, axis by axis as `order` has them."""
    dense = dense.transpose(order)
    nodes, levels = [()], []
    for axis, n in enumerate(dense.shape):
        if not compress[axis]:
            levels.append(n)
            nodes = [k + (i,) for k in nodes for i in range(n)]
            continue
        segments, places, below = [0], [], []
        for k in nodes:
            found = [i for i in range(n) if np.any(dense[k + (i,)])]
            places += found
            below += [k + (i,) for i in found]
            segments.append(len(places))
        levels.append((segments, places))
        nodes = below
    return levels, np.array([dense[k] for k in nodes], dense.dtype)


def sparse(c):
    """A matrix with few elements; sometimes in blocks of 1 x 2."""
    rows, columns = int(c.rng.integers(1, 6)), 2 * int(c.rng.integers(1, 5))
    dense = (c.rng.integers(-9, 10, (rows, columns)) * (
        c.rng.random((rows, columns)) < 0.4)).astype(np.float32)
    dense[0, 0] = 1  # LiteRT reads no empty vectors
    in_blocks = bool(c.rng.integers(0, 2))
    if in_blocks:
        order, blocks = [0, 1, 2], [1]
        levels, values = compressed(dense.reshape(rows, columns // 2, 2),
                                    order, (False, True, False))
    else:
        order, blocks = [int(v) for v in c.rng.permutation(2)], []
        levels, values = compressed(dense, order, (False, True))
    m = c.model
    x = m.add_tensor("x", (rows, columns), "float32")
    s = m.add_tensor("sparse", (rows, columns), "float32", values)
    m.subgraphs[0].tensors[s].sparsity = (order, blocks, levels)
    d = m.add_tensor("dense", (rows, columns), "float32")
    y = m.add_tensor("y", (rows, columns), "float32")
    m.add_op(124, [s], [d], version=1)
    m.add_op("ADD", [x, d], [y])
    c.inputs = {"input_0": images(c, rows, columns)}
    return c.finish([x], [y])


FAMILIES = [
    ("MAX_POOL_ARGMAX", pool_places, ("float32",)),
    ("MAX_UNPOOL", unpool, ("float32",)),
    ("TRANSPOSE_CONV_BIAS", transpose_conv_bias, ("float32",)),
    ("POSENET_DECODER", poses, ("float32",)),
    ("DENSIFY", sparse, ("float32",)),
]
