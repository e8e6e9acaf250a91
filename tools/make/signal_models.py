"""Random models of the audio front end of TensorFlow Lite Micro, for
random-models: LiteRT does not run them, so each has its definition, in Python's
own integers, one value after the other. check-tflm runs the same models in
TensorFlow Lite Micro.
"""
import cmath
import math

import numpy as np

from custom_models import CASES
from detection_models import options

LIMITS = np.iinfo(np.int16)


def samples(c, *shape):
    """From silence to full scale."""
    size = c.rng.choice([1, 30, 1000, 32767], (CASES,) + (1,) * len(shape))
    x = c.rng.uniform(-1, 1, (CASES,) + shape) * size
    return np.clip(np.rint(x), LIMITS.min + 1, LIMITS.max).astype(np.int16)


def energies(c, n, most=31):
    """Unsigned, of up to so many digits."""
    digits = c.rng.integers(0, most + 1, (CASES, n))
    return (c.rng.random((CASES, n)) * 2.0 ** digits).astype(np.uint32)


def finish(c, name, inputs, constants, outputs, values):
    """One operator: `inputs` and `outputs` are (dtype, shape)."""
    m = c.model
    m.add_tensor("unused", (3,), "float32")  # files may have such
    ins = [m.add_tensor(f"x{k}", shape, dtype)
           for k, (dtype, shape) in enumerate(inputs)]
    held = [m.add_tensor(f"c{k}", v.shape, str(v.dtype), v)
            for k, v in enumerate(constants)]
    outs = [m.add_tensor(f"y{k}", shape, dtype)
            for k, (dtype, shape) in enumerate(outputs)]
    m.add_op("CUSTOM", ins + held, outs, custom_code=name,
             custom_options=options(values))
    return c.finish(ins, outs)


def window(c):
    rows, n = (int(v) for v in c.rng.integers(1, 20, 2))
    shift = int(c.rng.integers(8, 16))
    w = c.rng.integers(0, 4097, n).astype(np.int16)

    def define(x):
        return (np.array([[min(max(int(a) * int(b) >> shift, LIMITS.min),
                               LIMITS.max) for a, b in zip(row, w)]
                          for row in x], np.int16),)
    c.inputs, c.define = {"input_0": samples(c, rows, n)}, define
    return finish(c, "SignalWindow", [("int16", (rows, n))], [w],
                  [("int16", (rows, n))], {"shift": shift})


def auto_scale(c):
    n = int(c.rng.integers(1, 40))

    def define(x):
        most = max(abs(int(v)) for v in x)
        bits = 15 - most.bit_length() if most else 0
        return (x.astype(int) << bits).astype(np.int16), np.int32(bits)
    c.inputs, c.define = {"input_0": samples(c, n)}, define
    return finish(c, "SignalFftAutoScale", [("int16", (n,))], [],
                  [("int16", (n,)), ("int32", ())], {})


def halved(x):
    return math.floor(x / 32768 + 0.5)


def shrunk(z, parts):
    return tuple(halved(v * (32767 // parts)) for v in z)


def turned(z, turns):
    w = cmath.exp(-2j * math.pi * turns)
    re, im = (math.floor(0.5 + 32767 * v) for v in (w.real, w.imag))
    return (halved(z[0] * re - z[1] * im), halved(z[0] * im + z[1] * re))


def wrapped(x):
    return (x + 32768) % 65536 - 32768


def sum_of(*terms):
    return tuple(wrapped(sum(t[k] for t in terms)) for k in (0, 1))


def negative(z):
    return (-z[0], -z[1])


def fft(z):
    """By fours while that goes: each part is shrunk, turned and added up."""
    n = len(z)
    if n == 1:
        return z
    p = 4 if n % 4 == 0 else 2
    m, parts = n // p, [fft(z[i::p]) for i in range(p)]
    out = [None] * n
    for k in range(m):
        x = [shrunk(parts[0][k], p)] + [
            turned(shrunk(parts[i][k], p), i * k / n) for i in range(1, p)]
        if p == 2:
            out[k] = sum_of(x[0], x[1])
            out[k + m] = sum_of(x[0], negative(x[1]))
            continue
        side = sum_of(x[1], negative(x[3]))
        even = sum_of(x[0], x[2])
        odd = sum_of(x[1], x[3])
        rest = sum_of(x[0], negative(x[2]))
        out[k] = sum_of(even, odd)
        out[k + 2 * m] = sum_of(even, negative(odd))
        out[k + m] = sum_of(rest, (side[1], -side[0]))
        out[k + 3 * m] = sum_of(rest, (-side[1], side[0]))
    return out


def spectrum(x, length):
    x = [int(v) for v in x] + [0] * (length - len(x))
    n = length // 2
    z = fft([(x[2 * i], x[2 * i + 1]) for i in range(n)])
    re, im = shrunk(z[0], 2)
    out = [None] * (n + 1)
    out[0], out[n] = (wrapped(re + im), 0), (wrapped(re - im), 0)
    for k in range(1, n // 2 + 1):
        a = shrunk(z[k], 2)
        b = shrunk((z[n - k][0], wrapped(-z[n - k][1])), 2)
        total = sum_of(a, b)
        turn = turned(sum_of(a, negative(b)), (k / n + 0.5) / 2)
        out[k] = tuple(wrapped((t + u) >> 1) for t, u in zip(total, turn))
        out[n - k] = (wrapped((total[0] - turn[0]) >> 1),
                      wrapped((turn[1] - total[1]) >> 1))
    return np.array(out, np.int16).ravel()


def rfft(c):
    length = 1 << int(c.rng.integers(3, 9))
    rows, n = int(c.rng.integers(1, 3)), int(c.rng.integers(1, length + 1))
    n -= n % 2
    n = max(n, 2)

    def define(x):
        return (np.array([spectrum(row, length) for row in x]),)
    c.inputs, c.define = {"input_0": samples(c, rows, n)}, define
    return finish(c, "SignalRfft", [("int16", (rows, n))], [],
                  [("int16", (rows, length + 2))],
                  {"T": 7, "fft_length": length})


def energy(c):
    n = int(c.rng.integers(1, 40))

    def define(x):
        z = x.astype(np.int64).reshape(n, 2)
        return ((z ** 2).sum(1).astype(np.uint32),)
    c.inputs, c.define = {"input_0": samples(c, 2 * n)}, define
    return finish(c, "SignalEnergy", [("int16", (2 * n,))], [],
                  [("uint32", (n,))], {"start_index": 0, "end_index": n})


def filter_bank(c):
    count = int(c.rng.integers(1, 9))
    widths = c.rng.integers(0, 7, count + 1).astype(np.int16)
    starts = (np.cumsum(widths) - widths).astype(np.int16)
    n = int(widths.sum()) + 1
    weights = c.rng.integers(0, 4097, n).astype(np.int16)
    unweights = (4096 - weights).astype(np.int16)

    def define(x):
        x, out, left = [int(v) for v in x], [], 0
        for s, w in zip(starts, widths):
            band = range(s, s + w)
            out.append(left + sum(int(weights[k]) * x[k] for k in band))
            left = sum(int(unweights[k]) * x[k] for k in band)
        return (np.array(out[1:], np.uint64),)
    c.inputs, c.define = {"input_0": energies(c, n)}, define
    return finish(c, "SignalFilterBank", [("uint32", (n,))],
                  [weights, unweights, starts, starts, widths],
                  [("uint64", (count,))], {"num_channels": count})


def square_root(c):
    n = int(c.rng.integers(1, 20))
    bits = c.rng.integers(0, 15, CASES).astype(np.int32)
    digits = c.rng.integers(0, 62, (CASES, n))
    x = (c.rng.random((CASES, n)) * 2.0 ** digits).astype(np.uint64)
    x[0, 0] = [2 ** 32 - 1, 2 ** 32, 65535 ** 2 + 65536][n % 3]

    def define(x, shift):
        def root(v):
            y = math.isqrt(v)
            y += v - y * y > y
            return min(y, 65535) if v < 2 ** 32 else y
        return (np.array([root(int(v)) >> int(shift) for v in x], np.uint32),)
    c.inputs, c.define = {"input_0": x, "input_1": bits}, define
    return finish(c, "SignalFilterBankSquareRoot",
                  [("uint64", (n,)), ("int32", ())], [], [("uint32", (n,))],
                  {})


def subtraction(c):
    n, up, bits = (int(c.rng.integers(*r)) for r in ((1, 20), (0, 11), (8, 15)))
    share = [int(v) for v in c.rng.integers(0, 2 ** bits, 2)]
    least, clamps = int(c.rng.integers(0, 2 ** bits)), bool(c.rng.integers(2))
    noise = [0] * n

    def define(x):
        out = []
        for i, v in enumerate(int(v) for v in x):
            raised = v << up
            s = share[i % 2]
            noise[i] = (raised * s + noise[i] * (2 ** bits - s)) >> bits
            below = min(noise[i], raised)
            noise[i] = below if clamps else noise[i]
            out.append(max((raised - below) >> up, v * least >> bits))
        return np.array(out, np.uint32), np.array(noise, np.uint32)
    c.inputs, c.define = {"input_0": energies(c, n, 31 - up)}, define
    return finish(c, "SignalFilterBankSpectralSubtraction",
                  [("uint32", (n,))], [], [("uint32", (n,))] * 2, {
                      "alternate_one_minus_smoothing": 2 ** bits - share[1],
                      "alternate_smoothing": share[1], "clamping": clamps,
                      "min_signal_remaining": least, "num_channels": n,
                      "one_minus_smoothing": 2 ** bits - share[0],
                      "smoothing": share[0], "smoothing_bits": up,
                      "spectral_subtraction_bits": bits})


def pcan(c):
    n, shift = int(c.rng.integers(1, 20)), int(c.rng.integers(4, 20))
    curve = c.rng.integers(-900, 32000, 125).astype(np.int16)

    def gain(v):
        if v <= 2:
            return int(curve[v])
        digits = v.bit_length()
        a, b, d = (int(t) for t in curve[4 * digits - 6:4 * digits - 3])
        part = (v << 11 >> digits) & 1023
        rise = (((d * part) >> 5) + (b << 5)) * part
        rise = (rise + 2 ** 31) % 2 ** 32 - 2 ** 31
        return wrapped(((rise + (1 << 14)) >> 15) + a)

    def define(x, noise):
        out = []
        for v, e in zip(x, noise):
            snr = (int(v) * (gain(int(e)) % 2 ** 32)) % 2 ** 64 >> shift
            snr %= 2 ** 32
            out.append((snr * snr) % 2 ** 32 >> 20 if snr < 8192
                       else (snr >> 6) - 64)
        return (np.array(out, np.uint32),)
    c.inputs = {"input_0": energies(c, n), "input_1": energies(c, n)}
    c.define = define
    return finish(c, "SignalPCAN", [("uint32", (n,))] * 2, [curve],
                  [("uint32", (n,))], {"snr_shift": shift})


def logarithm(c):
    n, scale = int(c.rng.integers(1, 20)), int(c.rng.integers(1, 4000))
    bits = int(c.rng.integers(0, 4))

    def above(i):
        return math.floor(65536 * (math.log2(1 + i / 128) - i / 128) + 0.5)

    def define(x):
        out = []
        for v in x:
            v = (int(v) << bits) % 2 ** 32
            if v < 2:
                out.append(0)
                continue
            digits = v.bit_length() - 1
            part = (v << 16 >> digits) & 65535
            i, rest = part >> 9, part & 511
            rise = (above(i + 1) - above(i)) * rest >> 16
            two = (digits << 16) + part + above(i) + rise
            natural = (two * 45426 + 32768) >> 16
            out.append(min((natural * scale + 32768) % 2 ** 32 >> 16, 32767))
        return (np.array(out, np.int16),)
    c.inputs, c.define = {"input_0": energies(c, n, 32)}, define
    return finish(c, "SignalFilterBankLog", [("uint32", (n,))], [],
                  [("int16", (n,))], {"input_correction_bits": bits,
                                      "output_scale": scale})


FAMILIES = [
    ("SIGNAL_WINDOW", window, ("int16",)),
    ("SIGNAL_AUTO_SCALE", auto_scale, ("int16",)),
    ("SIGNAL_RFFT", rfft, ("int16",)),
    ("SIGNAL_ENERGY", energy, ("int16",)),
    ("SIGNAL_FILTER_BANK", filter_bank, ("uint32",)),
    ("SIGNAL_ROOT", square_root, ("uint64",)),
    ("SIGNAL_SUBTRACTION", subtraction, ("uint32",)),
    ("SIGNAL_PCAN", pcan, ("uint32",)),
    ("SIGNAL_LOG", logarithm, ("uint32",)),
]
