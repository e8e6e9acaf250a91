#!/usr/bin/env python3
"""Numpy implementation of LiteRT's reference kernels.

docs/numerics-notes.md says in words and pseudo-code what an int8 operator
must compute; this file is the same in executable form, and --check proves it
against LiteRT itself: bit for bit for the integer types, and within a small
tolerance for float32 (sums are taken here in double precision).

Only clarity matters here, not speed: loops are plain, and all integers are
64 bits wide so that every overflow would have to be made on purpose.
"""

import argparse
import math
import sys

import numpy as np

INT32_MIN = -(1 << 31)
INT32_MAX = (1 << 31) - 1
RANGES = {"int8": (-128, 127), "uint8": (0, 255)}


# --- fixed-point building blocks -----------------------------------------

def c_round(x):
    """C's round() for doubles and floats, exact also just below a half.

    floor(x + 0.5) is wrong for 0.49999999999999994; comparing the fraction
    with 0.5 is not, as the subtraction is exact.
    """
    x = np.asarray(x)
    whole = np.floor(np.abs(x))
    up = (np.abs(x) - whole) >= 0.5
    return np.copysign(whole + up, x)


def quantize_multiplier(real):
    """real = multiplier * 2^(shift - 31), multiplier in [2^30, 2^31)."""
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    multiplier = int(c_round(fraction * (1 << 31)))
    if multiplier == 1 << 31:
        multiplier //= 2
        shift += 1
    if shift < -31:
        return 0, 0
    return multiplier, shift


def wrap32(x):
    """Keep the low 32 bits, as signed."""
    return ((np.asarray(x, np.int64) + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def doubling_high_mul(a, b):
    """(a * b * 2) >> 32 rounded to nearest; the tie of a negative product
    goes up.  The one overflow, INT32_MIN squared, saturates."""
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    product = a * b
    nudge = np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    total = product + nudge
    # C division truncates toward zero.
    high = np.where(total >= 0, total >> 31, -((-total) >> 31))
    return np.where((a == INT32_MIN) & (b == INT32_MIN), INT32_MAX, high)


def divide_by_pot(x, exponent):
    """x / 2^exponent rounded to nearest, ties away from zero."""
    x = np.asarray(x, np.int64)
    mask = (np.int64(1) << exponent) - 1
    remainder = x & mask
    threshold = (mask >> 1) + (x < 0)
    return (x >> exponent) + (remainder > threshold)


def rescale(x, multiplier, shift):
    """x * multiplier * 2^(shift - 31), rounded twice."""
    x = wrap32(np.asarray(x, np.int64) << max(shift, 0))
    return divide_by_pot(doubling_high_mul(x, multiplier), max(-shift, 0))


def saturating_left_shift(x, bits):
    return np.clip(np.asarray(x, np.int64) << bits, INT32_MIN, INT32_MAX)


# --- activation clamps ----------------------------------------------------

def quantized_point(value, scale, zero_point):
    """Where a real number lands on an int8 scale; division in float32."""
    return int(c_round(np.float32(value) / np.float32(scale))) + zero_point


def clamp_range(activation, t):
    low, high = RANGES[t.dtype]
    scale, zero_point = t.scales[0], int(t.zero_points[0])
    if activation in ("RELU", "RELU6"):
        low = max(low, quantized_point(0.0, scale, zero_point))
    if activation == "RELU6":
        high = min(high, quantized_point(6.0, scale, zero_point))
    if activation == "RELU_N1_TO_1":
        low = max(low, quantized_point(-1.0, scale, zero_point))
        high = min(high, quantized_point(1.0, scale, zero_point))
    return low, high


FLOAT_CLAMP = {"NONE": (-np.inf, np.inf), "RELU": (0, np.inf),
               "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}


def clamp(x, low, high):
    """max with the lower bound first, then min with the upper one.

    The order matters when low > high, which a fused RELU6 gives when the
    output tensor cannot even represent 0.
    """
    return np.minimum(np.maximum(x, low), high)


def finish(values, activation, t):
    """Clamp and convert to the tensor's type."""
    if t.dtype == "float32":
        low, high = FLOAT_CLAMP[activation]
        return clamp(values, low, high).astype(np.float32)
    low, high = clamp_range(activation, t)
    return clamp(values, low, high).astype(t.dtype)


def scale_of(t):
    return float(np.float32(t.scales[0]))


def zero_of(t):
    return int(t.zero_points[0])


def real_ints(x, t):
    """Stored values minus zero point, in 64 bits; floats as doubles."""
    if t.dtype == "float32":
        return x.astype(np.float64)
    return x.astype(np.int64) - zero_of(t)


# --- sliding windows ------------------------------------------------------

def window_geometry(size, out, kernel, stride, dilation, padding):
    """Padding before the first element; the odd one goes to the end."""
    reach = (kernel - 1) * dilation + 1
    if padding == "VALID":
        return 0
    return max(0, (out - 1) * stride + reach - size) // 2


def taps(x_shape, y_shape, kernel, o):
    """For every output position, the kernel taps inside the input:
    yields (oy, ox, [(ky, kx, iy, ix)])."""
    dh, dw = o.get("dilation_h", 1), o.get("dilation_w", 1)
    sh, sw = o["stride_h"], o["stride_w"]
    top = window_geometry(x_shape[1], y_shape[1], kernel[0], sh, dh,
                          o["padding"])
    left = window_geometry(x_shape[2], y_shape[2], kernel[1], sw, dw,
                           o["padding"])
    for oy in range(y_shape[1]):
        for ox in range(y_shape[2]):
            inside = []
            for ky in range(kernel[0]):
                for kx in range(kernel[1]):
                    iy = oy * sh - top + ky * dh
                    ix = ox * sw - left + kx * dw
                    if 0 <= iy < x_shape[1] and 0 <= ix < x_shape[2]:
                        inside.append((ky, kx, iy, ix))
            yield oy, ox, inside


def rescale_channels(acc, xt, wt, yt):
    """Per-channel fixed-point rescale of CONV_2D and DEPTHWISE_CONV_2D."""
    out = np.empty_like(acc)
    for channel in range(acc.shape[-1]):
        index = channel if len(wt.scales) > 1 else 0
        w_scale = float(np.float32(wt.scales[index]))
        real = scale_of(xt) * w_scale / scale_of(yt)
        m, s = quantize_multiplier(real)
        out[..., channel] = rescale(acc[..., channel], m, s)
    return out + zero_of(yt)


def conv_finish(acc, o, xt, wt, yt):
    if yt.dtype != "float32":
        acc = rescale_channels(wrap32(acc), xt, wt, yt)
    return finish(acc, o.get("activation", "NONE"), yt)


def conv_2d(o, ins, tensors, yt):
    x, w = ins[0], ins[1]
    xt, wt = tensors[0], tensors[1]
    real = real_ints(x, xt)
    weights = w.astype(np.float64 if yt.dtype == "float32" else np.int64)
    cout, kh, kw, cin = w.shape
    groups = x.shape[3] // cin
    per_group = cout // groups
    acc = np.zeros(yt.shape, weights.dtype)
    for oy, ox, inside in taps(x.shape, yt.shape, (kh, kw), o):
        for ky, kx, iy, ix in inside:
            for g in range(groups):
                pixel = real[:, iy, ix, g * cin:(g + 1) * cin]
                rows = slice(g * per_group, (g + 1) * per_group)
                acc[:, oy, ox, rows] += pixel @ weights[rows, ky, kx].T
    if len(ins) > 2 and ins[2] is not None:
        acc = acc + ins[2]
    return conv_finish(acc, o, xt, wt, yt)


def depthwise_conv_2d(o, ins, tensors, yt):
    x, w = ins[0], ins[1]
    xt, wt = tensors[0], tensors[1]
    real = real_ints(x, xt)
    weights = w.astype(np.float64 if yt.dtype == "float32" else np.int64)
    multiplier = w.shape[3] // x.shape[3]
    acc = np.zeros(yt.shape, weights.dtype)
    for oy, ox, inside in taps(x.shape, yt.shape, w.shape[1:3], o):
        for ky, kx, iy, ix in inside:
            pixel = np.repeat(real[:, iy, ix, :], multiplier, axis=-1)
            acc[:, oy, ox] += pixel * weights[0, ky, kx]
    if len(ins) > 2 and ins[2] is not None:
        acc = acc + ins[2]
    return conv_finish(acc, o, xt, wt, yt)


def fully_connected(o, ins, tensors, yt):
    """The reference kernel rescales in double precision, not fixed point."""
    x, w = ins[0], ins[1]
    xt, wt = tensors[0], tensors[1]
    rows = real_ints(x, xt).reshape(-1, w.shape[1])
    if yt.dtype == "float32":
        acc = rows @ w.astype(np.float64).T
    else:
        offset = zero_of(wt) if len(wt.scales) == 1 else 0
        acc = rows @ (w.astype(np.int64) - offset).T
    if len(ins) > 2 and ins[2] is not None:
        acc = acc + ins[2]
    if yt.dtype != "float32":
        scales = np.array(wt.scales, np.float32).astype(np.float64)
        real = scale_of(xt) * scales / scale_of(yt)
        acc = c_round(wrap32(acc).astype(np.float64) * real)
        acc = acc.astype(np.int64) + zero_of(yt)
    acc = acc.reshape(yt.shape)
    return finish(acc, o.get("activation", "NONE"), yt)


# --- elementwise ----------------------------------------------------------

def add(o, ins, tensors, yt):
    a, b = (real_ints(v, t) for v, t in zip(ins, tensors))
    if yt.dtype == "float32":
        total = (ins[0] + ins[1]).astype(np.float32)
        return finish(total, o.get("activation", "NONE"), yt)
    s1, s2 = np.float32(scale_of(tensors[0])), np.float32(scale_of(tensors[1]))
    twice_max = float(2 * max(s1, s2))
    m1, e1 = quantize_multiplier(float(s1) / twice_max)
    m2, e2 = quantize_multiplier(float(s2) / twice_max)
    my, ey = quantize_multiplier(twice_max / float(
        np.float32(1 << 20) * np.float32(scale_of(yt))))
    total = rescale(a << 20, m1, e1) + rescale(b << 20, m2, e2)
    y = rescale(total, my, ey) + zero_of(yt)
    return finish(y, o.get("activation", "NONE"), yt)


def mul(o, ins, tensors, yt):
    if yt.dtype == "float32":
        product = (ins[0] * ins[1]).astype(np.float32)
        return finish(product, o.get("activation", "NONE"), yt)
    a, b = (real_ints(v, t) for v, t in zip(ins, tensors))
    # All in float32: product first, then the division.
    real = (np.float32(scale_of(tensors[0])) * np.float32(
        scale_of(tensors[1]))) / np.float32(scale_of(yt))
    m, e = quantize_multiplier(float(real))
    y = rescale(a * b, m, e) + zero_of(yt)
    return finish(y, o.get("activation", "NONE"), yt)


def relu_like(name):
    def run(o, ins, tensors, yt):
        if yt.dtype == "float32":
            return finish(ins[0], name, yt)
        real = np.float32(scale_of(tensors[0])) / np.float32(scale_of(yt))
        m, e = quantize_multiplier(float(real))
        y = rescale(real_ints(ins[0], tensors[0]), m, e) + zero_of(yt)
        return finish(y, name, yt)
    return run


def table_lookup(function):
    """An int8 operator done as a 256-entry table made in float32."""
    def run(o, ins, tensors, yt):
        if yt.dtype == "float32":
            return function(ins[0]).astype(np.float32)
        x = real_ints(ins[0], tensors[0]).astype(np.float32)
        real = np.float32(scale_of(tensors[0])) * x
        inverse = np.float32(1) / np.float32(scale_of(yt))
        y = c_round(function(real) * inverse).astype(np.int64) + zero_of(yt)
        return finish(y, "NONE", yt)
    return run


def logistic_float(x):
    one = np.float32(1)
    with np.errstate(over="ignore"):
        return one / (one + np.exp(-x.astype(np.float32)))


def tanh_float(x):
    return np.tanh(x.astype(np.float32))


def quantize(o, ins, tensors, yt):
    if tensors[0].dtype == "float32":
        y = c_round(ins[0] / np.float32(scale_of(yt))).astype(np.int64)
        return finish(y + zero_of(yt), "NONE", yt)
    m, e = quantize_multiplier(scale_of(tensors[0]) / scale_of(yt))
    y = rescale(real_ints(ins[0], tensors[0]), m, e) + zero_of(yt)
    return finish(y, "NONE", yt)


def dequantize(o, ins, tensors, yt):
    x = real_ints(ins[0], tensors[0])
    return (scale_of(tensors[0]) * x).astype(np.float32)


# --- pooling, mean, softmax -----------------------------------------------

def average_pool_2d(o, ins, tensors, yt):
    x = ins[0]
    y = np.zeros(yt.shape, np.float64 if yt.dtype == "float32" else np.int64)
    for oy, ox, inside in taps(x.shape, yt.shape,
                               (o["filter_h"], o["filter_w"]), o):
        n = len(inside)
        total = sum(x[:, iy, ix].astype(y.dtype) for _, _, iy, ix in inside)
        if yt.dtype == "float32":
            y[:, oy, ox] = total / n
        else:
            # Half away from zero, on the stored values (zero point included).
            size = (np.abs(total) + n // 2) // n
            y[:, oy, ox] = np.where(total > 0, size, -size)
    return finish(y, o.get("activation", "NONE"), yt)


def max_pool_2d(o, ins, tensors, yt):
    x = ins[0]
    y = np.zeros(yt.shape, x.dtype)
    for oy, ox, inside in taps(x.shape, yt.shape,
                               (o["filter_h"], o["filter_w"]), o):
        y[:, oy, ox] = np.max([x[:, iy, ix] for _, _, iy, ix in inside],
                              axis=0)
    return finish(y if yt.dtype == "float32" else y.astype(np.int64),
                  o.get("activation", "NONE"), yt)


def mean(o, ins, tensors, yt):
    x = ins[0]
    axes = tuple(sorted({int(a) % x.ndim for a in ins[1].reshape(-1)}))
    count = int(np.prod([x.shape[a] for a in axes]))
    if yt.dtype == "float32":
        y = x.astype(np.float64).sum(axis=axes) / count
        return y.reshape(yt.shape).astype(np.float32)
    total = real_ints(x, tensors[0]).sum(axis=axes).reshape(yt.shape)
    m, e = quantize_multiplier(scale_of(tensors[0]) / scale_of(yt))
    # The division by the count is folded into the multiplier, truncating.
    bits = min(count.bit_length() - 1, 32, 31 + e)
    m = (m << bits) // count
    y = rescale(total, m, e - bits) + zero_of(yt)
    return finish(y, "NONE", yt)


def exp_minus_quarter(a):
    """exp(a) for a in [-1/4, 0), Q0.31 to Q0.31, by a polynomial."""
    third, at_minus_eighth = 715827883, 1895147668
    x = a + (1 << 28)  # the series is taken around -1/8
    x2 = doubling_high_mul(x, x)
    x3 = doubling_high_mul(x2, x)
    x4_quarter = divide_by_pot(doubling_high_mul(x2, x2), 2)
    tail = divide_by_pot(doubling_high_mul(x4_quarter + x3, third) + x2, 1)
    return at_minus_eighth + doubling_high_mul(at_minus_eighth, x + tail)


# round(exp(-2^k) * 2^31) for k = -2 .. 4
EXP_FACTORS = (1672461947, 1302514674, 790015084, 290630308, 39332535,
               720401, 242)


def exp_fixed(a):
    """exp(a) for a <= 0 in Q5.26, result in Q0.31."""
    a = np.asarray(a, np.int64)
    quarter = 1 << 24
    rest = (a & (quarter - 1)) - quarter
    result = exp_minus_quarter(saturating_left_shift(rest, 5))
    whole = rest - a
    for k, factor in enumerate(EXP_FACTORS):
        bit = 1 << (24 + k)
        result = np.where(whole & bit, doubling_high_mul(result, factor),
                          result)
    return np.where(a == 0, INT32_MAX, result)


def reciprocal(total):
    """1 / total for a Q12.19 sum; returns (Q0.31 value, bits over unit)."""
    headroom = 32 - int(total).bit_length()
    x = ((int(total) << headroom) & 0xFFFFFFFF) - (1 << 31)
    # Newton's method for 1 / (1 + x), x in [0, 1) as Q0.31, three steps.
    half = (x + INT32_MAX + 1) // 2
    guess = 1515870810 + int(doubling_high_mul(half, -1010580540))
    for _ in range(3):
        error = (1 << 29) - int(doubling_high_mul(half, guess))
        step = saturating_left_shift(doubling_high_mul(guess, error), 2)
        guess += int(step)
    return int(saturating_left_shift(guess, 1)), 12 - headroom


def softmax(o, ins, tensors, yt):
    x = ins[0]
    if yt.dtype == "float32":
        beta = np.float32(o["beta"])
        e = np.exp((x - x.max(axis=-1, keepdims=True)) * beta,
                   dtype=np.float32)
        return (e / e.sum(axis=-1, keepdims=True)).astype(np.float32)
    real = min(float(np.float32(o["beta"])) * scale_of(tensors[0])
               * (1 << 26), (1 << 31) - 1.0)
    m, e = quantize_multiplier(real)
    diff_min = -math.floor(31.0 * (1 << 26) / (1 << e))
    rows = x.astype(np.int64).reshape(-1, x.shape[-1])
    out = np.empty_like(rows)
    for r, row in enumerate(rows):
        diff = row - row.max()
        used = diff >= diff_min
        scaled = doubling_high_mul(wrap32(diff << e), m)
        exps = exp_fixed(np.where(used, scaled, 0))
        total = int(np.where(used, divide_by_pot(exps, 12), 0).sum())
        scale, over = reciprocal(total)
        q = divide_by_pot(doubling_high_mul(scale, exps), over + 31 - 8)
        out[r] = np.where(used, np.clip(q - 128, -128, 127), -128)
    return out.reshape(x.shape).astype(np.int8)


# --- data movement --------------------------------------------------------

def reshape(o, ins, tensors, yt):
    return ins[0].reshape(yt.shape)


def pad(o, ins, tensors, yt):
    value = zero_of(yt) if yt.dtype != "float32" else 0.0
    if len(ins) > 2:
        value = ins[2].reshape(-1)[0]
    return np.pad(ins[0], ins[1], constant_values=value)


def concatenation(o, ins, tensors, yt):
    return np.concatenate(ins, axis=o["axis"])


OPERATORS = {
    "CONV_2D": conv_2d, "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected, "ADD": add, "MUL": mul,
    "AVERAGE_POOL_2D": average_pool_2d, "MAX_POOL_2D": max_pool_2d,
    "MEAN": mean, "SOFTMAX": softmax, "RESHAPE": reshape, "PAD": pad,
    "PADV2": pad, "CONCATENATION": concatenation, "QUANTIZE": quantize,
    "DEQUANTIZE": dequantize, "RELU": relu_like("RELU"),
    "RELU6": relu_like("RELU6"), "RELU_N1_TO_1": relu_like("RELU_N1_TO_1"),
    "LOGISTIC": table_lookup(logistic_float),
    "TANH": table_lookup(tanh_float),
}


def run_model(model, inputs):
    """Evaluate the first graph of a tflite_writer.Model for one case."""
    graph = model.main
    values = {}
    for index, t in enumerate(graph.tensors):
        if t.buffer:
            values[index] = np.frombuffer(model.buffers[t.buffer],
                                          t.dtype).reshape(t.shape)
    values.update(zip(graph.inputs, inputs))
    for op in graph.ops:
        ins = [values[i] if i >= 0 else None for i in op.inputs]
        tensors = [graph.tensors[i] if i >= 0 else None for i in op.inputs]
        out = op.outputs[0]
        values[out] = OPERATORS[op.kind](op.options, ins, tensors,
                                         graph.tensors[out])
    return [values[i] for i in graph.outputs]


# --- self-check -----------------------------------------------------------

def differences(got, expected):
    """How many elements differ; floats may differ by rounding."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return got.size
    if got.dtype == np.float32:
        size = np.max(np.abs(expected), initial=1.0)
        return int((~np.isclose(got, expected, rtol=2e-5,
                                atol=2e-6 * size)).sum())
    return int((got != expected).sum())


def check(count, seed):
    import layer_models
    cases = values = refused = 0
    wrong = {}
    models = layer_models.generate(count, seed)
    for number, (name, case) in enumerate(models):
        inputs, outputs, reason = layer_models.evaluate(case,
                                                             [seed, number])
        if reason:
            refused += 1
            continue
        graph = case.model.main
        for i in range(len(inputs["input_0"])):
            feed = [inputs[f"input_{k}"][i] for k in range(len(graph.inputs))]
            got = run_model(case.model, feed)
            cases += 1
            for k, array in enumerate(got):
                expected = outputs[f"output_{k}"][i]
                values += expected.size
                bad = differences(array, expected)
                if bad:
                    wrong[name] = wrong.get(name, 0) + bad
    for name, bad in sorted(wrong.items()):
        print(f"MISMATCH {name}: {bad} values")
    print(f"{count - refused} models ({refused} refused by LiteRT), {cases} "
          f"cases checked, {values} values, {sum(wrong.values())} mismatches")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true",
                        help="compare with LiteRT on random models")
    parser.add_argument("--count", type=int, default=840)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    if not args.check:
        parser.error("nothing to do: give --check")
    return check(args.count, args.seed)


if __name__ == "__main__":
    sys.exit(main())
