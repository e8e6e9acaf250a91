#!/usr/bin/env python3
"""qdq_models.py NAME MODEL.onnx INPUTS.npz - small models between QuantizeLinear
and DequantizeLinear, where it shows how a result is rounded, and inputs."""
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "make"))
import onnx_writer  # noqa: E402


class Model:
    def __init__(self, name, shapes):
        self.graph = onnx_writer.Graph(name)
        self.rng = np.random.default_rng(len(name))
        self.inputs = {}
        for k, shape in enumerate(shapes):
            self.graph.input(f"x{k}", np.float32, shape)
            values = self.rng.integers(-140, 140, (20,) + shape)
            self.inputs[f"x{k}"] = (values * 0.05).astype(np.float32)

    def codes(self, x, scale, zero=0, dtype=np.int8):
        """Quantised and back."""
        ends = [self.graph.constant(np.float32(scale)), self.graph.constant(dtype(zero))]
        return self.graph.node("DequantizeLinear",
                         [self.graph.node("QuantizeLinear", [x] + ends)] + ends)

    def weights(self, codes, scales, zero=None):
        codes = np.asarray(codes)
        scales = np.asarray(scales, np.float32)
        zeros = np.zeros(scales.shape, codes.dtype) if zero is None else zero
        return self.graph.node("DequantizeLinear",
                         [self.graph.constant(codes), self.graph.constant(scales),
                          self.graph.constant(np.asarray(zeros, codes.dtype))],
                         **({"axis": 0} if scales.ndim else {}))

    def save(self, path, inputs, last, shape):
        self.graph.node("Identity", [last], ["y"])
        self.graph.output("y", np.float32, shape)
        onnx_writer.save(self.graph, path, opset=13)
        np.savez(inputs, **self.inputs)


def halves():
    m = Model("halves", [(1, 64), (1, 64)])
    a, b = m.codes("x0", 0.05), m.codes("x1", 0.05)
    return m, m.codes(m.graph.node("Add", [a, b]), 0.1, -3), (1, 64)


def joined():
    m = Model("joined", [(1, 64), (1, 64)])
    a, b = m.codes("x0", 0.05), m.codes("x1", 0.1, 5)
    return (m, m.codes(m.graph.node("Concat", [a, b], axis=1), 0.1, 5), (1, 128))


def layer(m, x, codes, scales, bias, zero=None, out=0.043, **attributes):
    scales = np.asarray(scales, np.float32)
    w = m.weights(codes, scales, zero)
    b = m.weights(np.asarray(bias, np.int32), scales * np.float32(0.05))
    return m.codes(m.graph.node("Conv", [x, w, b], **attributes), out, 7)


def bias():
    """A channel with one weight, which alone would leave steps of 100."""
    m = Model("bias", [(1, 2, 9, 9)])
    codes = np.zeros((2, 2, 1, 1), np.int8)
    codes[0, 1], codes[1, 0] = 100, -50
    y = layer(m, m.codes("x0", 0.05), codes, [0.003, 0.004], [37, 1013])
    return m, y, (1, 2, 9, 9)


def channels():
    m = Model("channels", [(1, 3, 12, 12)])
    codes = m.rng.integers(-127, 128, (8, 3, 3, 3)).astype(np.int8)
    y = layer(m, m.codes("x0", 0.05), codes, m.rng.uniform(1e-3, 9e-3, 8),
              m.rng.integers(-4000, 4000, 8), pads=[1, 1, 1, 1])
    return m, y, (1, 8, 12, 12)


def unsigned():
    """Weights of uint8 around a zero point."""
    m = Model("unsigned", [(1, 3, 12, 12)])
    codes = m.rng.integers(0, 256, (4, 3, 3, 3)).astype(np.uint8)
    codes.ravel()[:2] = 0, 255
    y = layer(m, m.codes("x0", 0.05, 128, np.uint8), codes, 0.0041,
              m.rng.integers(-4000, 4000, 4), np.uint8(77))
    return m, y, (1, 4, 10, 10)


def line():
    """A convolution along one axis, a scale for each channel."""
    m = Model("line", [(1, 3, 30)])
    codes = m.rng.integers(-127, 128, (5, 3, 3)).astype(np.int8)
    y = layer(m, m.codes("x0", 0.05), codes, m.rng.uniform(1e-3, 9e-3, 5),
              m.rng.integers(-4000, 4000, 5), dilations=[2])
    return m, y, (1, 5, 26)


def main():
    name, path, inputs = sys.argv[1:]
    kinds = (halves, joined, bias, channels, unsigned, line)
    model, last, shape = {f.__name__: f for f in kinds}[name]()
    model.save(path, inputs, last, shape)


if __name__ == "__main__":
    main()
