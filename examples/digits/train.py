#!/usr/bin/env python3
"""Train the digits example and write it as a full int8 .tflite model.

A small convolutional network for the 8x8 digit images that come with
scikit-learn, trained here in plain numpy, quantised after training by the
code below, and written with tools/make/tflite_writer.py.  It has a residual ADD
and a CONCATENATION of two branches, so that several tensors are alive at the
same time and the memory planner has something to plan.

    image 8x8x1
      conv 3x3, 16, relu ----------------+
      depthwise 3x3, relu                |
      conv 1x1, 16                       |
      add, relu  <-----------------------+
      max pool 2x2
        conv 1x1, 16, relu   conv 3x3, 16, relu
      concatenation (4x4x32)
      average pool 2x2
      reshape, fully connected 10, softmax
"""

import argparse
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # same sums every time

import numpy as np  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "make"))

import litert_run  # noqa: E402
import tflite_writer  # noqa: E402

HELD_OUT = 360


# --- data -------------------------------------------------------------------

def load_data(seed):
    """(train images, train labels, test images, test labels), pixels 0..1.

    One random split, fixed by the seed; the test part is used for nothing
    but the figures printed at the end.
    """
    from sklearn.datasets import load_digits
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[..., None]
    order = np.random.default_rng(seed).permutation(len(images))
    test, train = order[:HELD_OUT], order[HELD_OUT:]
    return images[train], digits.target[train], images[test], \
        digits.target[test]


def shifted(images, rng):
    """Each image moved by up to one pixel: more data from 1437 images."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    out = np.empty_like(images)
    for i, (dy, dx) in enumerate(rng.integers(0, 3, (len(images), 2))):
        out[i] = padded[i, dy:dy + 8, dx:dx + 8]
    return out


# --- layers: each returns its output and a function for the gradients -------

def patches(x, k):
    """All k x k neighbourhoods, zero padded: (n, h, w, k, k, c)."""
    p = k // 2
    n, h, w, c = x.shape
    padded = np.pad(x, ((0, 0), (p, p), (p, p), (0, 0)))
    out = np.empty((n, h, w, k, k, c), x.dtype)
    for ky in range(k):
        for kx in range(k):
            out[:, :, :, ky, kx] = padded[:, ky:ky + h, kx:kx + w]
    return out


def unpatch(grad, k):
    """Sum neighbourhood gradients back onto the image."""
    p = k // 2
    n, h, w = grad.shape[:3]
    out = np.zeros((n, h + 2 * p, w + 2 * p, grad.shape[5]), grad.dtype)
    for ky in range(k):
        for kx in range(k):
            out[:, ky:ky + h, kx:kx + w] += grad[:, :, :, ky, kx]
    return out[:, p:p + h, p:p + w]


def conv(x, w, b):
    """w is [out, k, k, in], stride 1, SAME."""
    k = w.shape[1]
    cols = patches(x, k)
    flat = cols.reshape(-1, k * k * x.shape[3])
    rows = w.reshape(w.shape[0], -1)
    y = (flat @ rows.T + b).reshape(x.shape[:3] + (w.shape[0],))

    def back(dy):
        d = dy.reshape(-1, w.shape[0])
        dx = unpatch((d @ rows).reshape(cols.shape), k)
        return dx, (d.T @ flat).reshape(w.shape), d.sum(axis=0)
    return y, back


def depthwise(x, w, b):
    """w is [1, k, k, channels], stride 1, SAME."""
    k = w.shape[1]
    cols = patches(x, k)
    y = np.einsum("nhwyxc,yxc->nhwc", cols, w[0]) + b

    def back(dy):
        dw = np.einsum("nhwyxc,nhwc->yxc", cols, dy)[None]
        dx = unpatch(dy[:, :, :, None, None] * w[0], k)
        return dx, dw, dy.sum(axis=(0, 1, 2))
    return y, back


def relu(x):
    on = x > 0
    return x * on, lambda dy: dy * on


def blocks(x):
    """View as 2x2 blocks: (n, h/2, w/2, 4, c)."""
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(
        0, 1, 3, 2, 4, 5).reshape(n, h // 2, w // 2, 4, c)


def unblocks(x):
    n, h, w, _, c = x.shape
    return x.reshape(n, h, w, 2, 2, c).transpose(0, 1, 3, 2, 4, 5).reshape(
        n, 2 * h, 2 * w, c)


def max_pool(x):
    b = blocks(x)
    best = b.argmax(axis=3)[:, :, :, None]
    y = np.take_along_axis(b, best, axis=3)[:, :, :, 0]

    def back(dy):
        d = np.zeros_like(b)
        np.put_along_axis(d, best, dy[:, :, :, None], axis=3)
        return unblocks(d)
    return y, back


def average_pool(x):
    def back(dy):
        return unblocks(np.repeat(dy[:, :, :, None] / 4, 4, axis=3))
    return blocks(x).mean(axis=3), back


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# --- the network ------------------------------------------------------------

def initial_weights(rng):
    shapes = {"stem": (16, 3, 3, 1), "dw": (1, 3, 3, 16),
              "pw": (16, 1, 1, 16), "left": (16, 1, 1, 16),
              "right": (16, 3, 3, 16), "dense": (10, 128)}
    p = {}
    for name, shape in shapes.items():
        fan_in = 9 if name == "dw" else int(np.prod(shape[1:]))
        p[name + "_w"] = (rng.standard_normal(shape)
                          * np.sqrt(2 / fan_in)).astype(np.float32)
        outputs = shape[3] if name == "dw" else shape[0]
        p[name + "_b"] = np.zeros(outputs, np.float32)
    return p


def forward(p, x):
    """Scores, all tensors by name, and the gradient function."""
    t = {"image": x}
    c1, b1 = conv(x, p["stem_w"], p["stem_b"])
    t["stem"], r1 = relu(c1)
    c2, b2 = depthwise(t["stem"], p["dw_w"], p["dw_b"])
    t["dw"], r2 = relu(c2)
    t["pw"], b3 = conv(t["dw"], p["pw_w"], p["pw_b"])
    t["sum"], r3 = relu(t["pw"] + t["stem"])
    t["pool"], b4 = max_pool(t["sum"])
    c5, b5 = conv(t["pool"], p["left_w"], p["left_b"])
    left, r5 = relu(c5)
    c6, b6 = conv(t["pool"], p["right_w"], p["right_b"])
    right, r6 = relu(c6)
    t["both"] = np.concatenate([left, right], axis=3)
    t["avg"], b7 = average_pool(t["both"])
    flat = t["avg"].reshape(len(x), -1)
    t["scores"] = flat @ p["dense_w"].T + p["dense_b"]

    def back(dy):
        g = {"dense_w": dy.T @ flat, "dense_b": dy.sum(axis=0)}
        d = b7((dy @ p["dense_w"]).reshape(t["avg"].shape))
        dl, g["left_w"], g["left_b"] = b5(r5(d[..., :16]))
        dr, g["right_w"], g["right_b"] = b6(r6(d[..., 16:]))
        d = r3(b4(dl + dr))
        dd, g["pw_w"], g["pw_b"] = b3(d)
        dd, g["dw_w"], g["dw_b"] = b2(r2(dd))
        _, g["stem_w"], g["stem_b"] = b1(r1(d + dd))
        return g
    return t["scores"], t, back


def train(images, labels, epochs, seed):
    """Adam with a learning rate that falls along a half cosine."""
    rng = np.random.default_rng(seed)
    p = initial_weights(rng)
    first = {k: np.zeros_like(v) for k, v in p.items()}
    second = {k: np.zeros_like(v) for k, v in p.items()}
    batch = 64
    steps = epochs * (len(images) // batch)
    step = 0
    for epoch in range(epochs):
        order = rng.permutation(len(images))
        moved = shifted(images, rng)
        loss = 0.0
        for start in range(0, len(images) - batch + 1, batch):
            pick = order[start:start + batch]
            scores, _, back = forward(p, moved[pick])
            prob = softmax(scores)
            # Softened targets keep the probabilities off 0 and 1, so that
            # the stored answers show small errors inside the network.
            truth = 0.9 * np.eye(10, dtype=np.float32)[labels[pick]] + 0.01
            loss -= float((np.log(prob + 1e-9) * truth).sum(axis=1).mean())
            grads = back((prob - truth) / batch)
            step += 1
            rate = 0.004 * 0.5 * (1 + np.cos(np.pi * step / steps))
            for k, g in grads.items():
                first[k] = 0.9 * first[k] + 0.1 * g
                second[k] = 0.999 * second[k] + 0.001 * g * g
                m = first[k] / (1 - 0.9 ** step)
                v = second[k] / (1 - 0.999 ** step)
                decay = 1e-3 * p[k] if k.endswith("_w") else 0
                p[k] = (p[k] - rate * (m / (np.sqrt(v) + 1e-8) + decay)
                        ).astype(np.float32)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss "
                  f"{loss / (len(images) // batch):.4f}")
    return p


# --- quantisation -----------------------------------------------------------

def activation_quant(values):
    """Scale and zero point covering the values seen, and 0 exactly."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = np.float32((high - low) / 255)
    return scale, int(np.clip(round(-128 - low / float(scale)), -128, 127))


def quantise_weights(w, axis):
    """int8 weights and scales; one scale per channel, or one for axis None."""
    if axis is None:
        scales = np.array([np.abs(w).max() / 127], np.float32)
        return np.round(w / scales[0]).astype(np.int8), scales
    others = tuple(i for i in range(w.ndim) if i != axis)
    scales = (np.abs(w).max(axis=others) / 127).astype(np.float32)
    scales = np.maximum(scales, np.float32(1e-8))
    shape = [1] * w.ndim
    shape[axis] = -1
    q = np.clip(np.round(w / scales.reshape(shape)), -127, 127)
    return q.astype(np.int8), scales


def build_model(p, calibration):
    """The int8 model; activation ranges come from the calibration images."""
    _, t, _ = forward(p, calibration)
    q = {name: activation_quant(values) for name, values in t.items()}
    q["image"] = (np.float32(1 / 255), -128)
    m = tflite_writer.Model("8x8 digits classifier, int8")

    def tensor(name, shape, quant):
        return m.add_tensor(name, shape, "int8", scale=quant[0],
                            zero_point=quant[1])

    def weights(name, axis, x_quant):
        w, scales = quantise_weights(p[name + "_w"], axis)
        b_scales = scales * np.float32(x_quant[0])
        b = np.round(p[name + "_b"].astype(np.float64) / b_scales)
        zeros = [0] * len(scales)
        return [m.add_tensor(name + "/weights", w.shape, "int8", w, scales,
                             zeros, axis=axis or 0),
                m.add_tensor(name + "/bias", b.shape, "int32", b, b_scales,
                             zeros)]

    def conv_op(kind, name, x, x_quant, y_quant, size, activation):
        channel_axis = 3 if kind == "DEPTHWISE_CONV_2D" else 0
        y = tensor(name, (1, size, size, 16), y_quant)
        extra = ({"depth_multiplier": 1} if kind == "DEPTHWISE_CONV_2D"
                 else {})
        m.add_op(kind, [x] + weights(name, channel_axis, x_quant), [y],
                 padding="SAME", stride_h=1, stride_w=1,
                 activation=activation, **extra)
        return y

    def pool_op(kind, name, x, shape, quant):
        y = tensor(name, shape, quant)
        m.add_op(kind, [x], [y], padding="VALID", stride_h=2, stride_w=2,
                 filter_h=2, filter_w=2)
        return y

    image = tensor("image", (1, 8, 8, 1), q["image"])
    stem = conv_op("CONV_2D", "stem", image, q["image"], q["stem"], 8, "RELU")
    dw = conv_op("DEPTHWISE_CONV_2D", "dw", stem, q["stem"], q["dw"], 8,
                 "RELU")
    pw = conv_op("CONV_2D", "pw", dw, q["dw"], q["pw"], 8, "NONE")
    total = tensor("sum", (1, 8, 8, 16), q["sum"])
    m.add_op("ADD", [pw, stem], [total], activation="RELU")
    pool = pool_op("MAX_POOL_2D", "pool", total, (1, 4, 4, 16), q["sum"])
    # int8 CONCATENATION only copies, so both branches share one scale.
    left = conv_op("CONV_2D", "left", pool, q["sum"], q["both"], 4, "RELU")
    right = conv_op("CONV_2D", "right", pool, q["sum"], q["both"], 4, "RELU")
    both = tensor("both", (1, 4, 4, 32), q["both"])
    m.add_op("CONCATENATION", [left, right], [both], axis=3)
    avg = pool_op("AVERAGE_POOL_2D", "avg", both, (1, 2, 2, 32), q["both"])
    flat = tensor("flat", (1, 128), q["both"])
    shape = m.add_tensor("flat/shape", (2,), "int32", np.array([1, 128]))
    m.add_op("RESHAPE", [avg, shape], [flat], new_shape=[1, 128])
    scores = tensor("scores", (1, 10), q["scores"])
    m.add_op("FULLY_CONNECTED", [flat] + weights("dense", None, q["both"]),
             [scores])
    prob = tensor("probabilities", (1, 10), (np.float32(1 / 256), -128))
    m.add_op("SOFTMAX", [scores], [prob], beta=1.0)
    m.set_io([image], [prob])
    return m


def quantised_images(images):
    """Pixels 0..1 as the model's int8 input, with the case dimension."""
    return (np.round(images * 255) - 128).astype(np.int8)[:, None]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--outdir", default=HERE,
                        help="where the four files go (default: here)")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    litert_run.verify_reference_kernels()
    images, labels, test_images, test_labels = load_data(args.seed)
    p = train(images, labels, args.epochs, args.seed)
    scores, _, _ = forward(p, test_images)
    float_accuracy = (scores.argmax(axis=1) == test_labels).mean()
    model = build_model(p, images)
    data = model.to_bytes()
    inputs = {"input_0": quantised_images(test_images)}
    _, outputs = litert_run.run_model(data, None, 0, 0, inputs)
    answer = outputs["output_0"].reshape(len(test_labels), 10).argmax(axis=1)
    int8_accuracy = (answer == test_labels).mean()

    def path(name):
        return os.path.join(args.outdir, name)
    model.save(path("digits.tflite"))
    litert_run.save_npz(path("digits_test.npz"), inputs)
    litert_run.save_npz(path("digits_labels.npz"),
                        {"labels": test_labels.astype(np.int32)})
    litert_run.save_npz(path("digits_expect.npz"), outputs)
    # The same as raw bytes, for classify.c.
    inputs["input_0"].astype(np.int8).tofile(path("digits_test.bin"))
    test_labels.astype(np.uint8).tofile(path("digits_labels.bin"))
    print(f"held out: {len(test_labels)} images, float "
          f"{100 * float_accuracy:.2f} %, int8 {100 * int8_accuracy:.2f} %, "
          f"same answer {100 * (answer == scores.argmax(axis=1)).mean():.2f}"
          f" %, model {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
