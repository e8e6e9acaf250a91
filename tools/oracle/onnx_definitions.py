"""Operators as ONNX's text defines them, the slow way, in float64: the judge
where ONNX Runtime and Ashlar differ. Attributes are those of the node; absent
ones have the defaults of the text. Data is [N, C, spatial..].
"""
import itertools

import numpy as np


def spatial(a, x, kernel):
    n = x.ndim - 2
    one = [1] * n
    return (a.get("strides", one), a.get("dilations", one),
            a.get("pads", [0] * (2 * n)), list(kernel))


def window_pads(a, x, kernel):
    """(starts, ends, sizes) of the output's axes.

    auto_pad SAME: the output has ceil(input / stride) elements; the padding is
    (output - 1) * stride + (kernel - 1) * dilation + 1 - input, and if it is
    odd, the larger half is at the end (UPPER) or at the start (LOWER).
    Otherwise floor (or ceil, with ceil_mode) of (input + pads - (kernel - 1) *
    dilation - 1) / stride + 1; windows that start behind the input and its
    first padding are ignored.
    """
    strides, dilations, pads, kernel = spatial(a, x, kernel)
    n, auto = x.ndim - 2, a.get("auto_pad", "NOTSET")
    starts, ends, sizes = [], [], []
    for i in range(n):
        size, reach = x.shape[i + 2], (kernel[i] - 1) * dilations[i] + 1
        start, end = pads[i], pads[i + n]
        if auto == "VALID":
            start = end = 0
        if auto.startswith("SAME"):
            out = -(-size // strides[i])
            total = max(0, (out - 1) * strides[i] + reach - size)
            start = total // 2 if auto == "SAME_UPPER" else total - total // 2
            end = total - start
        room = size + start + end - reach
        out = room // strides[i] + 1
        if a.get("ceil_mode", 0) and room % strides[i]:
            out += out * strides[i] < size + start
        starts.append(start)
        ends.append(end)
        sizes.append(out)
    return starts, ends, sizes


def windows(a, x, kernel):
    """For every place of the output: the place, the window's elements that are
    inside the input (where, values), and how many are inside the input and its
    padding."""
    strides, dilations, _, kernel = spatial(a, x, kernel)
    starts, ends, sizes = window_pads(a, x, kernel)
    for at in itertools.product(*map(range, sizes)):
        inside, counted = [], 0
        for tap in itertools.product(*map(range, kernel)):
            where = [p * s + t * d - b for p, s, t, d, b in
                     zip(at, strides, tap, dilations, starts)]
            counted += all(w < size + end for w, size, end in
                           zip(where, x.shape[2:], ends))
            if all(0 <= w < size for w, size in zip(where, x.shape[2:])):
                inside.append((where, x[(slice(None), slice(None), *where)]))
        yield at, inside, counted


def pool(a, x, combine):
    x = x.astype(np.float64)
    sizes = window_pads(a, x, a["kernel_shape"])[2]
    y = np.zeros(x.shape[:2] + tuple(sizes))
    for at, inside, counted in windows(a, x, a["kernel_shape"]):
        values = [v for _, v in inside] or [np.zeros(x.shape[:2])]
        y[(slice(None), slice(None), *at)] = combine(np.stack(values), counted)
    return y


def max_pool(a, x):
    return pool(a, x, lambda v, n: v.max(axis=0))


def max_places(a, x):
    """The places of the largest values in the whole input, by rows, or with
    storage_order 1 by columns."""
    rest = x.shape[2:]
    sizes = window_pads(a, x, a["kernel_shape"])[2]
    y = np.zeros(x.shape[:2] + tuple(sizes), np.int64)
    planes = np.arange(x.shape[0] * x.shape[1]).reshape(x.shape[:2])
    for at, inside, _ in windows(a, x, a["kernel_shape"]):
        best = np.argmax(np.stack([v for _, v in inside]), axis=0)
        flat = [w[-1] * rest[-2] + w[-2] if a.get("storage_order", 0)
                else np.ravel_multi_index(w, rest) for w, _ in inside]
        y[(slice(None), slice(None), *at)] = (
            planes * int(np.prod(rest)) + np.array(flat)[best])
    return y


def average_pool(a, x):
    """Padding counts only with count_include_pad."""
    whole = a.get("count_include_pad", 0)
    return pool(a, x, lambda v, n: v.sum(axis=0) / (n if whole else len(v)))


def lp_pool(a, x):
    p = a.get("p", 2)
    return pool(a, x, lambda v, n: (np.abs(v) ** p).sum(axis=0) ** (1 / p))


def conv_transpose(a, x, w, bias=None):
    """Every element adds the filter at its place times stride; then the padding
    is cut off. With output_shape, or SAME (input times stride): total = stride
    * (input - 1) + output_padding + (kernel - 1) * dilation + 1 - output; the
    start gets total / 2 with SAME_UPPER, total - total / 2 otherwise. An output
    that is larger than what is added has zeros at its end."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    strides, dilations, pads, kernel = spatial(a, x, w.shape[2:])
    n, groups = x.ndim - 2, a.get("group", 1)
    auto, extra = a.get("auto_pad", "NOTSET"), a.get("output_padding", [0] * n)
    each = w.shape[1]
    starts, sizes, full = [], [], []
    for i in range(n):
        size = x.shape[i + 2]
        whole = (strides[i] * (size - 1) + extra[i]
                 + (kernel[i] - 1) * dilations[i] + 1)
        start, end = ((0, 0) if auto == "VALID" else (pads[i], pads[i + n]))
        out = whole - start - end
        if "output_shape" in a or auto.startswith("SAME"):
            out = (a["output_shape"][i] if "output_shape" in a
                   else size * strides[i])
            total = max(0, whole - out)
            start = (total // 2 if auto == "SAME_UPPER"
                     else total - total // 2)
        starts.append(start)
        sizes.append(out)
        full.append(max(whole, start + out))
    y = np.zeros((x.shape[0], each * groups, *full))
    for at in itertools.product(*map(range, x.shape[2:])):
        for tap in itertools.product(*map(range, kernel)):
            where = tuple(p * s + t * d for p, s, t, d in
                          zip(at, strides, tap, dilations))
            for g in range(groups):
                ins = slice(g * w.shape[0] // groups,
                            (g + 1) * w.shape[0] // groups)
                y[(slice(None), slice(g * each, (g + 1) * each), *where)] += (
                    x[(slice(None), ins, *at)] @ w[(ins, slice(None), *tap)])
    y = y[(slice(None), slice(None),
           *(slice(s, s + o) for s, o in zip(starts, sizes)))]
    return y if bias is None else y + bias.reshape(1, -1, *[1] * n)


def place(mode, i, size, out, scale, start, end):
    """Where element i of an output axis lies in the input. The length that
    scales make is not rounded; an output of one element under
    pytorch_half_pixel lies at 0."""
    length = scale * size
    if mode == "asymmetric":
        return i / scale
    if mode == "align_corners":
        return i * (size - 1) / (length - 1) if length > 1 else 0
    if mode == "tf_crop_and_resize":
        return (start * (size - 1) + i * (end - start) * (size - 1) / (out - 1)
                if out > 1 else 0.5 * (start + end) * (size - 1))
    if mode == "pytorch_half_pixel" and out <= 1:
        return 0
    if mode == "half_pixel_symmetric":
        return size / 2 * (1 - out / length) + (i + 0.5) / scale - 0.5
    return (i + 0.5) / scale - 0.5


def cubic(a, x):
    x = abs(x)
    if x <= 1:
        return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1
    return a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a if x < 2 else 0


def taps(a, x, size):
    """[(index, weight)] of one place."""
    kind = a.get("mode", "nearest")
    if kind == "nearest":
        near = a.get("nearest_mode", "round_prefer_floor")
        at = {"floor": np.floor(x), "ceil": np.ceil(x),
              "round_prefer_floor": np.ceil(x - 0.5),
              "round_prefer_ceil": np.floor(x + 0.5)}[near]
        return [(min(max(int(at), 0), size - 1), 1.0)]
    base = int(np.floor(x))
    if kind == "linear":
        found = [(base + k, 1 - abs(x - base - k)) for k in (0, 1)]
    else:
        c = a.get("cubic_coeff_a", -0.75)
        found = [(base + k, cubic(c, x - base - k)) for k in (-1, 0, 1, 2)]
        if a.get("exclude_outside", 0):
            found = [(k, w) for k, w in found if 0 <= k < size]
            total = sum(w for _, w in found)
            found = [(k, w / total) for k, w in found]
    return [(min(max(k, 0), size - 1), w) for k, w in found]


def resize(a, x, scales, sizes, roi):
    """Axis after axis, in float64; integers are cut off at the end."""
    mode = a.get("coordinate_transformation_mode", "half_pixel")
    y = x.astype(np.float64)
    for axis, size in enumerate(x.shape):
        out = (sizes[axis] if sizes is not None
               else int(np.floor(np.float32(scales[axis]) * size)))
        scale = out / size if sizes is not None else float(scales[axis])
        start, end = ((roi[axis], roi[axis + x.ndim]) if roi is not None
                      else (0, 1))
        crop = mode == "tf_crop_and_resize"
        if out == size and scale == 1 and not crop:
            continue
        rows = []
        for i in range(out):
            where = place(mode, i, size, out, scale, start, end)
            row = sum(w * np.take(y, k, axis) for k, w in taps(a, where, size))
            if crop and not 0 <= where <= size - 1:
                row = np.full_like(row, a.get("extrapolation_value", 0))
            rows.append(row)
        y = np.stack(rows, axis)
    return y


def standardised(x, axes, epsilon):
    x = x.astype(np.float64)
    mean = x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=axes, keepdims=True) + epsilon)


def group_normalization(a, x, scale, bias):
    groups = a["num_groups"]
    y = x.reshape(x.shape[0], groups, -1)
    y = standardised(y, (2,), a.get("epsilon", 1e-5)).reshape(x.shape)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return y * scale.reshape(shape) + bias.reshape(shape)


def product(x, axes, keep):
    """Integers modulo their bits."""
    with np.errstate(over="ignore"):
        return np.multiply.reduce(x, axis=axes, keepdims=keep, dtype=x.dtype)
