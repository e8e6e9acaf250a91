#!/usr/bin/env python3
"""Write small models with state, and what LiteRT makes of them run by run.

Every model keeps variables (VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE) that
CALL_ONCE initialises.  The cases of a record are successive invocations of
one interpreter, so each depends on those before it.
"""

import argparse
import pathlib

import numpy as np

import litert_run
import tflite_writer


class Net:
    """A model whose variables get their first values in a second subgraph."""

    def __init__(self, name, **kind):
        self.m = tflite_writer.Model(name)
        self.kind = kind
        self.once = None

    def tensor(self, name, shape, data=None, **kind):
        return self.m.add_tensor(name, shape, data=data,
                                 **{**self.kind, **kind})

    def op(self, kind, inputs, outputs, **options):
        self.m.add_op(kind, inputs, outputs, **options)

    def start(self, first):
        """CALL_ONCE with a subgraph that assigns {name: value}."""
        self.once = self.m.add_subgraph("first values")
        for name, value in first.items():
            h = self.once.add_tensor(name, (), "resource")
            v = self.once.add_tensor(f"{name} at first", value.shape,
                                     data=value, **self.kind)
            self.once.add_op("VAR_HANDLE", [], [h], shared_name=name)
            self.once.add_op("ASSIGN_VARIABLE", [h, v], [])
        self.m.add_op("CALL_ONCE", [], [], init_subgraph_index=1)

    def handle(self, name):
        h = self.m.add_tensor(name, (), "resource")
        self.op("VAR_HANDLE", [], [h], shared_name=name)
        return h

    def read(self, handle, name, shape):
        v = self.tensor(name, shape)
        self.op("READ_VARIABLE", [handle], [v])
        return v

    def assign(self, handle, value):
        self.op("ASSIGN_VARIABLE", [handle, value], [])


def sum_float():
    """The running sum of the inputs, from a first value."""
    n = Net("sum", dtype="float32")
    x, s = n.tensor("x", (1, 4)), n.tensor("new sum", (1, 4))
    n.start({"sum": np.array([[0.5, -1, 2, 100]], np.float32)})
    h = n.handle("sum")
    n.op("ADD", [n.read(h, "sum", (1, 4)), x], [s])
    n.assign(h, s)
    n.m.set_io([x], [s])
    return n.m


def swap_float():
    """Two variables change places; the old values are still needed."""
    n = Net("swap", dtype="float32")
    x, y, z = (n.tensor(t, (1, 3)) for t in "xyz")
    n.start({"a": np.array([[1, 2, 3]], np.float32),
             "b": np.array([[10, 20, 30]], np.float32)})
    a, b = n.handle("a"), n.handle("b")
    old_a, old_b = n.read(a, "old a", (1, 3)), n.read(b, "old b", (1, 3))
    n.op("ADD", [old_b, x], [z])
    n.assign(a, z)
    n.assign(b, old_a)
    n.op("SUB", [old_a, old_b], [y])
    n.m.set_io([x], [y])
    return n.m


def before_after_float():
    """Values read before and after an assignment, used together at the end."""
    n = Net("before and after", dtype="float32")
    x, s, y = (n.tensor(t, (1, 5)) for t in ("x", "sum", "y"))
    n.start({"v": np.arange(5, dtype=np.float32).reshape(1, 5)})
    h, same = n.handle("v"), n.handle("v")
    before = n.read(h, "before", (1, 5))
    n.op("ADD", [before, x], [s])
    n.assign(h, s)
    after = n.read(same, "after", (1, 5))
    n.op("MUL", [before, after], [y])
    n.m.set_io([x], [y, after])
    return n.m


def delay_int8():
    """A delay line: the oldest row leaves, the newest comes, all are summed."""
    n = Net("delay", dtype="int8", scale=0.5, zero_point=3)
    rows, width = 6, 4
    index = dict(dtype="int32", scale=None, zero_point=None)
    x = n.tensor("x", (1, 1, width))
    begin = n.tensor("begin", (3,), np.array([0, 1, 0]), **index)
    size = n.tensor("size", (3,), np.array([1, rows - 1, width]), **index)
    axes = n.tensor("axes", (1,), np.array([1]), **index)
    kept = n.tensor("kept", (1, rows - 1, width))
    line = n.tensor("new line", (1, rows, width))
    y = n.tensor("y", (1, width))
    first = np.random.default_rng(1).integers(-100, 100, (1, rows, width))
    n.start({"line": first.astype(np.int8)})
    h = n.handle("line")
    n.op("SLICE", [n.read(h, "line", (1, rows, width)), begin, size], [kept],
         version=2)
    n.op("CONCATENATION", [kept, x], [line], axis=1)
    n.assign(h, line)
    n.op("MEAN", [line, axes], [y])
    n.m.set_io([x], [y])
    return n.m


def net_int8():
    """A convolution whose result is mixed with that of the runs before."""
    rng = np.random.default_rng(2)
    n = Net("net", dtype="int8", scale=0.25, zero_point=-3)
    x = n.tensor("x", (1, 16, 16, 4))
    w = n.tensor("w", (8, 3, 3, 4), rng.integers(-127, 128, (8, 3, 3, 4)),
                 scale=rng.uniform(0.001, 0.02, 8), zero_point=[0] * 8)
    b = n.tensor("b", (8,), rng.integers(-999, 999, 8), dtype="int32",
                 scale=[0.25 * 0.01] * 8, zero_point=[0] * 8)
    dw = n.tensor("dw", (10, 512), rng.integers(-127, 128, (10, 512)),
                  scale=0.001, zero_point=0)
    db = n.tensor("db", (10,), rng.integers(-500, 500, 10), dtype="int32",
                  scale=0.001, zero_point=0)
    shape = n.tensor("shape", (2,), np.array([1, 512]), dtype="int32",
                     scale=None, zero_point=None)
    c = n.tensor("conv", (1, 16, 16, 8), scale=0.3, zero_point=5)
    p = n.tensor("pool", (1, 8, 8, 8), scale=0.3, zero_point=5)
    mixed = n.tensor("mixed", (1, 8, 8, 8))
    flat = n.tensor("flat", (1, 512))
    y = n.tensor("y", (1, 10), scale=1.5, zero_point=11)
    first = rng.integers(-20, 20, (1, 8, 8, 8)).astype(np.int8)
    n.start({"memory": first})
    n.op("CONV_2D", [x, w, b], [c], padding="SAME", stride_w=1, stride_h=1,
         activation="RELU")
    n.op("MAX_POOL_2D", [c], [p], padding="VALID", stride_w=2, stride_h=2,
         filter_w=2, filter_h=2)
    h = n.handle("memory")
    n.op("ADD", [p, n.read(h, "memory", (1, 8, 8, 8))], [mixed])
    n.assign(h, mixed)
    n.op("RESHAPE", [mixed, shape], [flat], new_shape=[1, 512])
    n.op("FULLY_CONNECTED", [flat, dw, db], [y])
    n.m.set_io([x], [y])
    return n.m


def svdf_float():
    """An operator that keeps a variable tensor itself, twice in one model."""
    rng = np.random.default_rng(4)
    n = Net("svdf", dtype="float32")
    x = n.tensor("x", (1, 5))
    size, feature = 5, x
    for layer in range(2):
        w = n.tensor(f"feature {layer}", (6, size),
                     rng.standard_normal((6, size)))
        t = n.tensor(f"time {layer}", (6, 4), rng.standard_normal((6, 4)))
        b = n.tensor(f"bias {layer}", (3,), rng.standard_normal(3))
        s = n.tensor(f"state {layer}", (1, 24), is_variable=True)
        y = n.tensor(f"y {layer}", (1, 3))
        n.op("SVDF", [feature, w, t, b, s], [y], rank=2, activation="RELU")
        size, feature = 3, y
    n.m.set_io([x], [feature])
    return n.m


# ---- models that must be refused -------------------------------------------


def refused():
    """(name, model) of what no reader should accept."""
    one = np.ones((1, 4), np.float32)

    def net(first=one, name="v"):
        n = Net("refused", dtype="float32")
        x = n.tensor("x", (1, 4))
        n.start({name: first})
        return n, x, n.handle("v")

    n, x, h = net(first=np.ones((1, 3), np.float32))
    n.m.set_io([x], [n.read(h, "y", (1, 4))])
    yield "first_value_of_another_size", n.m

    n, x, h = net()
    y = n.tensor("y", (1, 4))
    n.op("ADD", [x, h], [y])
    n.m.set_io([x], [y])
    yield "handle_as_data", n.m

    n, x, h = net()
    y = n.tensor("y", (1, 4))
    n.op("READ_VARIABLE", [x], [y])
    n.m.set_io([x], [y])
    yield "read_of_no_handle", n.m

    n, x, h = net()
    y = n.read(h, "y", (1, 4))
    n.assign(h, n.read(h, "z", (1, 4)))
    n.op("ASSIGN_VARIABLE", [h], [])
    n.m.set_io([x], [y])
    yield "assignment_of_nothing", n.m

    n, x, h = net()
    y = n.read(h, "y", (1, 4))
    wide = n.tensor("wide", (1, 8))
    n.op("CONCATENATION", [x, y], [wide], axis=1)
    n.assign(h, wide)
    n.m.set_io([x], [y])
    yield "assignment_of_another_shape", n.m

    n, x, h = net()
    a = n.once.add_tensor("a", (1, 4), "float32", data=one)
    b = n.once.add_tensor("b", (1, 4), "float32")
    n.once.add_op("RELU", [a], [b])
    n.m.set_io([x], [n.read(h, "y", (1, 4))])
    yield "first_value_computed", n.m

    n, x, h = net()
    n.m.main.ops[0].options["init_subgraph_index"] = 7
    n.m.set_io([x], [n.read(h, "y", (1, 4))])
    yield "subgraph_that_is_not_there", n.m

    n, x, h = net()
    n.m.set_io([x], [n.read(h, "y", (1, 4)), h])
    yield "handle_as_output", n.m


MODELS = {"state_sum_float32": sum_float, "state_swap_float32": swap_float,
          "state_before_after_float32": before_after_float,
          "state_delay_int8": delay_int8,
          "state_svdf_float32": svdf_float, "state_net_int8": net_int8}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MODELS.items():
        model = make().to_bytes()
        inputs, outputs = litert_run.run_model(model, "random", 7, 3)
        (folder / f"{name}.tflite").write_bytes(model)
        litert_run.save_npz(folder / f"{name}.in.npz", inputs)
        litert_run.save_npz(folder / f"{name}.out.npz", outputs)
    (folder / "refused").mkdir(exist_ok=True)
    for name, model in refused():
        model.save(folder / "refused" / f"{name}.tflite")


if __name__ == "__main__":
    main()
