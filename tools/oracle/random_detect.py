"""Random models of operators that choose or sample, for random_onnx.py: boxes,
grids, regions, branches. Results that are as many as the data say are filled up
with -1, as docs/reading.md has it.
"""
import numpy as np

import onnx_writer


def suppression(c):
    batches, classes, n = c.int(1, 2), c.int(1, 3), c.int(1, 9)
    centre = c.int(0, 1)

    def boxes(v):
        corner, size = np.abs(v[..., :2]) % 2, np.abs(v[..., 2:]) % 2 + 0.25
        return np.concatenate([corner, size if centre else corner + size], -1)
    k = c.int(1, 5)
    names = [c.input((batches, n, 4), "float32", boxes),
             c.input((batches, classes, n)), c.constant([k], np.int64),
             c.constant([c.one(0.0, 0.3, 0.6)], np.float32)]
    if c.often():
        names.append(c.constant([c.one(-1.0, 0.5)], np.float32))
    c.node("NonMaxSuppression", names, ["int64"], center_point_box=centre)
    c.filled[0] = (batches * classes * min(k, n), 3)


def non_zero(c):
    shape = c.shape(c.int(1, 3))
    dtype = c.one("float32", "int32", "bool", "int64", "uint8")
    c.node("NonZero", [c.input(shape, dtype, lambda v: v * (
        c.rng.random(v.shape) < 0.5))], ["int64"])
    c.filled[0] = (len(shape), int(np.prod(shape)))


def grid_sample(c):
    n, channels, h, w = c.int(1, 2), c.int(1, 3), c.int(2, 5), c.int(2, 5)
    grid = (n, c.int(1, 4), c.int(1, 4), 2)
    c.opset = c.one(16, 20)
    modes = {16: ("bilinear", "nearest", "bicubic"),
             20: ("linear", "nearest", "cubic")}[c.opset]
    names = [c.input((n, channels, h, w)),
             c.input(grid, "float32", lambda v: v * 0.6 + 0.01)]
    c.node("GridSample", names, ["float32"], mode=c.one(*modes),
           padding_mode=c.one("zeros", "border", "reflection"),
           align_corners=c.int(0, 1))


def roi_align(c):
    n, channels, h, w = c.int(1, 2), c.int(1, 3), c.int(3, 7), c.int(3, 7)
    count = c.int(1, 3)
    c.opset = c.one(10, 16)

    def corners(v):
        low = np.abs(v[..., :2]) % 4 - 0.5
        return np.concatenate([low, low + np.abs(v[..., 2:]) % 5 + 0.5], -1)
    a = {"output_height": c.int(1, 3), "output_width": c.int(1, 3),
         "sampling_ratio": c.int(1, 3),
         "spatial_scale": float(c.one(1.0, 0.5))}
    if c.opset == 16:
        a["coordinate_transformation_mode"] = c.one("half_pixel",
                                                    "output_half_pixel")
    c.node("RoiAlign", [c.input((n, channels, h, w)),
                        c.input((count, 4), "float32", corners),
                        c.constant(c.rng.integers(0, n, count), np.int64)],
           ["float32"], **a)


def branch(c, op, shape):
    """A graph that applies one operator to a value from outside."""
    g = onnx_writer.Graph("branch")
    g.node(op, ["x1"], ["z"])
    g.output("z", "float32", shape)
    return g


def run_time_if(c):
    """The sign of a number decides."""
    shape = c.shape(c.int(0, 3))
    number, _ = c.input((1,)), c.input(shape)
    c.g.node("Greater", [number, c.constant([0], np.float32)], ["q"])
    c.node("If", ["q"], ["float32"], then_branch=branch(c, "Exp", shape),
           else_branch=branch(c, "Neg", shape))


def determinant(c):
    n = c.int(1, 5)
    c.node("Det", [c.input(c.shape(c.int(0, 2), 1, 3) + (n, n))], ["float32"])


def n_grams(c):
    """Pairs and single numbers of a few values."""
    singles = sorted({c.int(0, 4) for _ in range(c.int(1, 3))})
    pairs = sorted({(c.int(0, 4), c.int(0, 4)) for _ in range(c.int(1, 4))})
    count = len(singles) + len(pairs)
    order = [int(v) for v in c.rng.permutation(count)]
    mode = c.one("TF", "IDF", "TFIDF")
    a = {"weights": [float(v) for v in c.rng.uniform(0.5, 2, count)]}
    shape = (c.int(2, 7),) if c.often(0.3) else (c.int(1, 3), c.int(2, 7))
    c.node("TfIdfVectorizer", [c.input(
        shape, c.one("int32", "int64"), lambda v: v % 5)], ["float32"],
        min_gram_length=c.int(1, 2), max_gram_length=2,
        max_skip_count=c.int(0, 2), mode=mode,
        ngram_counts=[0, len(singles)], ngram_indexes=order,
        pool_int64s=singles + [v for p in pairs for v in p],
        **({} if mode == "TF" else a))


def sequence(c):
    """A tensor cut, its parts moved about and joined."""
    shape = (c.int(2, 5),) + c.shape(c.int(0, 2), 1, 3)
    x, g = c.input(shape), c.g
    g.node("SplitToSequence", [x], ["s0"], axis=0, keepdims=1)
    last = "s0"
    for k in range(1, c.int(1, 4)):
        at = c.constant(c.int(-1, 1), np.int64)
        g.node("SequenceAt", [last, at], [f"t{k}"])
        g.node("Neg", [f"t{k}"], [f"n{k}"])
        if c.often():
            g.node("SequenceErase", [last, at], [f"e{k}"])
            last = f"e{k}"
        g.node("SequenceInsert", [last, f"n{k}"] + (
            [c.constant(c.int(0, 1), np.int64)] if c.often() else []),
            [f"s{k}"])
        last = f"s{k}"
    stacked = c.int(0, 1)
    c.node("ConcatFromSequence", [last], ["float32"],
           axis=c.int(0, len(shape) - 1), new_axis=stacked)


def unique(c):
    """The different rows of a constant, added to an input."""
    shape = c.shape(c.int(1, 3), 1, 4)
    values = c.rng.integers(0, 3, shape).astype(np.float32)
    a = {"sorted": c.int(0, 1)}
    axis = None
    if c.often():
        axis = a["axis"] = c.int(0, len(shape) - 1)
    c.g.node("Unique", [c.constant(values, np.float32)],
             ["u", "at", "back", "times"], **a)
    c.g.node("Cast", ["at"], ["af"], to=1)
    c.g.node("Cast", ["back"], ["bf"], to=1)
    c.g.node("Cast", ["times"], ["tf"], to=1)
    parts = []
    for name in ("u", "af", "bf", "tf"):
        c.g.node("Reshape", [name, c.constant([-1], np.int64)], [name + "1"])
        parts.append(name + "1")
    c.g.node("Concat", parts, ["all"], axis=0)
    c.node("Add", ["all", c.input((1,))], ["float32"])


DETECT = [("NonMaxSuppression", suppression), ("NonMaxSuppression", suppression),
          ("NonZero", non_zero), ("GridSample", grid_sample),
          ("GridSample", grid_sample), ("RoiAlign", roi_align),
          ("If", run_time_if), ("Det", determinant),
          ("TfIdfVectorizer", n_grams), ("ConcatFromSequence", sequence),
          ("Unique", unique)]
