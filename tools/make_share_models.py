#!/usr/bin/env python3
"""Write models whose tensors can share storage in every way Ashlar knows:
slices, splits, unpack, pack and concatenation along the outermost axis, views
of views, and the same with pieces that are needed again later.  The expected
outputs are LiteRT's."""

import argparse
import pathlib

import numpy as np

import litert_run
import tflite_writer


class Net:
    """Tensors of one type; operators return their outputs."""

    def __init__(self, name, **kind):
        self.m = tflite_writer.Model(name)
        self.kind = kind
        self.count = 0

    def tensor(self, shape):
        self.count += 1
        return self.m.add_tensor(f"t{self.count}", shape, **self.kind)

    def ints(self, values):
        self.count += 1
        return self.m.add_tensor(f"i{self.count}", np.shape(values), "int32",
                                 data=np.array(values))

    def op(self, kind, inputs, *shapes, **options):
        outs = [self.tensor(s) for s in shapes]
        self.m.add_op(kind, inputs, outs, **options)
        return outs if len(outs) > 1 else outs[0]


def slices(kind):
    """Rows of an image: split, sliced, worked on and put together again."""
    n = Net("slices", **kind)
    x = n.tensor((1, 8, 4, 4))
    a = n.op("RELU", [x], (1, 8, 4, 4))
    top, bottom = n.op("SPLIT", [n.ints(1), a], (1, 4, 4, 4), (1, 4, 4, 4),
                       num_splits=2)
    both = n.op("ADD", [top, bottom], (1, 4, 4, 4))
    row = n.op("SLICE", [a, n.ints([0, 3, 0, 0]), n.ints([1, 2, 4, 4])],
               (1, 2, 4, 4), version=2)
    last = n.op("STRIDED_SLICE", [bottom, n.ints([0, 2, 0, 0]),
                                  n.ints([1, 4, 4, 4]), n.ints([1, 1, 1, 1])],
                (1, 2, 4, 4))
    sum_rows = n.op("ADD", [row, last], (1, 2, 4, 4))
    out = n.op("CONCATENATION", [sum_rows, both], (1, 6, 4, 4), axis=1)
    columns = n.op("SLICE", [out, n.ints([0, 0, 1, 0]),
                             n.ints([1, 6, 2, 4])], (1, 6, 2, 4), version=2)
    n.m.set_io([x], [out, columns])
    return n.m


def packs(kind):
    """Vectors unpacked from a matrix, changed and packed in another order."""
    n = Net("packs", **kind)
    x = n.tensor((3, 16))
    a = n.op("RELU", [x], (3, 16))
    p, q, r = n.op("UNPACK", [a], (16,), (16,), (16,), num=3, axis=0)
    s, t = n.op("ADD", [p, q], (16,)), n.op("ADD", [q, r], (16,))
    y = n.op("PACK", [s, t, p], (3, 16), values_count=3, axis=0)
    first, rest = n.op("SPLIT_V", [y, n.ints([1, 2]), n.ints(0)], (1, 16),
                       (2, 16), num_splits=2)
    flat = n.op("RESHAPE", [rest, n.ints([32])], (32,), new_shape=[32])
    end = n.op("RELU", [flat], (32,))
    n.m.set_io([x], [end, first])
    return n.m


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {"float32": dict(dtype="float32"),
             "int8": dict(dtype="int8", scale=0.5, zero_point=-4)}
    for make in (slices, packs):
        for name, kind in kinds.items():
            model = make(kind).to_bytes()
            inputs, outputs = litert_run.run_model(model, "mixed", 4, 5)
            stem = folder / f"share_{make.__name__}_{name}"
            stem.with_suffix(".tflite").write_bytes(model)
            litert_run.save_npz(f"{stem}.in.npz", inputs)
            litert_run.save_npz(f"{stem}.out.npz", outputs)


if __name__ == "__main__":
    main()
