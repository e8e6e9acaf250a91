"""Random models of operators behind a detector, for random-models: the choice
of boxes, its custom operator, and scattered updates. As in operator_models.py a
function fills a case; the oracle is LiteRT.
"""
import numpy as np

CASES = 6


def options(values):
    """The bytes of a custom operator's map."""
    from flatbuffers import flexbuffers
    return bytes(flexbuffers.Dumps(values))


def boxes_of(c, n):
    """Corners of boxes that overlap now and then."""
    corner = c.rng.uniform(0, 2, (CASES, n, 2))
    return np.concatenate([corner, corner + c.rng.uniform(
        0.3, 1.2, (CASES, n, 2))], -1).astype(np.float32)


def scores_of(c, *shape):
    """No two are equal: their order is LiteRT's secret."""
    n = int(np.prod(shape))
    return np.stack([c.rng.permutation(n).reshape(shape) / n
                     for _ in range(CASES)]).astype(np.float32)


def number(c, name, value, dtype="float32"):
    return c.model.add_tensor(name, (), dtype, np.array(value, dtype))


def suppression(soft):
    def build(c):
        n, most = int(c.rng.integers(1, 12)), int(c.rng.integers(1, 9))
        m = c.model
        x = m.add_tensor("boxes", (n, 4), "float32")
        s = m.add_tensor("scores", (n,), "float32")
        ins = [x, s, number(c, "most", most, "int32"),
               number(c, "iou", c.rng.choice([0.2, 0.5, 0.9])),
               number(c, "least", c.rng.choice([-1.0, 0.3]))]
        outs = [m.add_tensor("places", (most,), "int32")]
        if soft:
            ins.append(number(c, "sigma", c.rng.choice([0.0, 0.5])))
            outs.append(m.add_tensor("best", (most,), "float32"))
        outs.append(m.add_tensor("count", (), "int32"))
        m.add_op(121 if soft else 120, ins, outs, version=1)
        c.inputs = {"input_0": boxes_of(c, n), "input_1": scores_of(c, n)}
        return c.finish([x, s], outs)
    return build


def post_process(c):
    regular = bool(c.rng.integers(0, 2))
    n, labels = int(c.rng.integers(6, 14)), int(c.rng.integers(1, 5))
    background = int(c.rng.integers(0, 2))
    each = int(c.rng.integers(1, 3))
    most = int(c.rng.integers(1, 6)) if regular else 1
    each = 1 if regular else min(each, labels)
    m = c.model
    x = m.add_tensor("codes", (1, n, 4), "float32")
    s = m.add_tensor("scores", (1, n, labels + background), "float32")
    centre = c.rng.uniform(0, 3, (n, 2))
    anchors = np.concatenate([centre, c.rng.uniform(0.5, 1.5, (n, 2))], 1)
    a = m.add_tensor("anchors", (n, 4), "float32", anchors.astype(np.float32))
    size = most * each
    y = [m.add_tensor("boxes", (1, size, 4), "float32"),
         m.add_tensor("classes", (1, size), "float32"),
         m.add_tensor("best", (1, size), "float32"),
         m.add_tensor("count", (1,), "float32")]
    m.add_op("CUSTOM", [x, s, a], y,
             custom_code="TFLite_Detection_PostProcess",
             custom_options=options({
                 "max_detections": most,
                 "max_classes_per_detection": each,
                 "detections_per_class": int(c.rng.integers(1, 5)),
                 "use_regular_nms": regular,
                 "nms_score_threshold": 0.4 if regular else 0.0,
                 "nms_iou_threshold": 0.4, "num_classes": labels,
                 "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0,
                 "w_scale": 5.0}))
    c.inputs = {
        "input_0": c.rng.standard_normal((CASES, 1, n, 4)).astype(np.float32),
        "input_1": scores_of(c, 1, n, labels + background)}
    return c.finish([x, s], y)


def scatter_nd(c):
    shape = tuple(int(v) for v in c.rng.integers(1, 5, int(
        c.rng.integers(1, 4))))
    depth, count = int(c.rng.integers(1, len(shape) + 1)), int(
        c.rng.integers(1, 6))
    m = c.model
    at = np.stack([c.rng.integers(0, n, (CASES, count))
                   for n in shape[:depth]], -1).astype(np.int32)
    x = m.add_tensor("at", (count, depth), "int32")
    u = m.add_tensor("u", (count,) + shape[depth:], c.dtype)
    y = m.add_tensor("y", shape, c.dtype)
    m.add_op("SCATTER_ND", [x, u, c.ints("shape", list(shape))], [y],
             version=1)
    c.inputs = {"input_0": at, "input_1": c.rng.integers(
        -9, 10, (CASES, count) + shape[depth:]).astype(c.dtype)}
    return c.finish([x, u], [y])


FAMILIES = [
    ("NON_MAX_SUPPRESSION_V4", suppression(False),
     ("float32",)),
    ("NON_MAX_SUPPRESSION_V5", suppression(True),
     ("float32",)),
    ("DETECTION_POSTPROCESS", post_process, ("float32",)),
    ("SCATTER_ND", scatter_nd, ("float32", "int32")),
]
