#!/usr/bin/env python3
"""Run a .tflite model with LiteRT's reference kernels and store the result.

LiteRT has several implementations of each operator which do not give the
same int8 results.  The project compares itself with one of them only: the
reference kernels.  So this tool asks for them, and checks that it got them.

Npz convention: keys input_0, input_1, ... and output_0, ...; each array has
one extra leading dimension, the number of cases.
"""

import argparse
import os
import pickle
import sys
import tempfile

import numpy as np

import tflite_writer

KINDS = ("random", "extreme", "zero", "mixed")


def interpreter(model_bytes, reference=True, shapes=None):
    """A LiteRT interpreter with tensors allocated; `shapes` by name are those
    of inputs that the model leaves open."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    kind = (OpResolverType.BUILTIN_REF if reference
            else OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    it = Interpreter(model_content=bytes(model_bytes), num_threads=1,
                     experimental_op_resolver_type=kind)
    for d in it.get_input_details():
        if d["name"] in (shapes or {}):
            it.resize_tensor_input(d["index"], shapes[d["name"]])
    it.allocate_tensors()
    return it


def check_no_delegate(it):
    """Fail when a delegate (XNNPACK for instance) took over operators."""
    names = [op["op_name"] for op in it._get_ops_details()]
    if "DELEGATE" in names:
        raise RuntimeError("LiteRT applied a delegate: not reference kernels")


def _probe_model():
    """A fully connected layer whose result tells the kernels apart.

    The accumulator is -1 and the rescale factor exactly 0.5.  The reference
    kernel rounds -0.5 away from zero (-1); the optimised fixed-point kernel
    and XNNPACK both give 0.
    """
    m = tflite_writer.Model("probe")
    x = m.add_tensor("x", (1, 1), "int8", scale=0.5, zero_point=0)
    w = m.add_tensor("w", (1, 1), "int8", np.array([[1]]), scale=1.0,
                     zero_point=0)
    y = m.add_tensor("y", (1, 1), "int8", scale=1.0, zero_point=0)
    m.add_op("FULLY_CONNECTED", [x, w, -1], [y])
    m.set_io([x], [y])
    return m.to_bytes()


def verify_reference_kernels():
    """Prove by a computation that the interpreter uses reference kernels."""
    results = {}
    for reference in (True, False):
        it = interpreter(_probe_model(), reference)
        check_no_delegate(it)
        it.set_tensor(it.get_input_details()[0]["index"],
                      np.array([[-1]], np.int8))
        it.invoke()
        index = it.get_output_details()[0]["index"]
        results[reference] = int(it.get_tensor(index)[0, 0])
    if results != {True: -1, False: 0}:
        raise RuntimeError(f"kernel probe gave {results}, expected the "
                           "reference kernels to give -1 and the optimised "
                           "ones 0")


def _random_values(rng, shape, dtype):
    if np.issubdtype(dtype, np.floating):
        return (rng.standard_normal(shape) * 3).astype(dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(dtype)
    info = np.iinfo(dtype)
    low, high = max(info.min, -1000), min(info.max, 1000)
    return rng.integers(low, high + 1, shape).astype(dtype)


def _extreme_values(rng, shape, dtype):
    """Values at the ends of the range and around it, in random order."""
    if np.issubdtype(dtype, np.floating):
        pool = [-1e4, -6.0, -1.0, -0.5, -0.0, 0.0, 1e-30, 0.5, 1.0, 6.0, 1e4]
    elif dtype == np.bool_:
        pool = [0, 1]
    else:
        info = np.iinfo(dtype)
        low, high = max(info.min, -1000), min(info.max, 1000)
        pool = [low, low, low + 1, high - 1, high, high]
    return rng.choice(np.array(pool, dtype), shape)


def make_inputs(details, kind, cases, seed):
    """Inputs for every tensor in `details` (name, shape, dtype, zero point).

    `zero` is the real value 0, which an int8 tensor stores as its zero
    point.  `mixed` takes random, extreme and zero cases in turn.
    """
    rng = np.random.default_rng(seed)
    inputs = {}
    for number, (shape, dtype, zero_point) in enumerate(details):
        dtype = np.dtype(dtype)
        stack = []
        for case in range(cases):
            what = kind
            if kind == "mixed":
                what = ("random", "extreme", "random", "zero")[case % 4]
            if what == "random":
                value = _random_values(rng, shape, dtype)
            elif what == "extreme":
                value = _extreme_values(rng, shape, dtype)
            else:
                value = np.full(shape, zero_point, dtype)
            stack.append(value)
        inputs[f"input_{number}"] = np.stack(stack)
    return inputs


def input_details(it):
    """(shape, dtype, zero point) of each model input."""
    return [(tuple(int(n) for n in d["shape"]), d["dtype"],
             d["quantization"][1]) for d in it.get_input_details()]


def run(it, inputs):
    """Run every case; returns the outputs in the npz convention."""
    indices = [d["index"] for d in it.get_input_details()]
    outputs = [d["index"] for d in it.get_output_details()]
    cases = len(inputs["input_0"]) if inputs else 1
    rows = [[] for _ in outputs]
    for case in range(cases):
        for number, index in enumerate(indices):
            it.set_tensor(index, inputs[f"input_{number}"][case])
        it.invoke()
        for row, index in zip(rows, outputs):
            row.append(np.array(it.get_tensor(index)))
    return {f"output_{i}": np.stack(row) for i, row in enumerate(rows)}


def run_model(model_bytes, kind, cases, seed, inputs=None, shapes=None):
    """Run a model on `inputs`, made here if not given; returns both."""
    it = interpreter(model_bytes, shapes=shapes)
    check_no_delegate(it)
    if inputs is None:
        inputs = make_inputs(input_details(it), kind, cases, seed)
    return inputs, run(it, inputs)


def isolated(function, *args):
    """Call function(*args) in a child process; returns (result, error).

    LiteRT ends the whole process for some parameters it does not accept, and
    prints the reason to stderr only.  A child makes that an ordinary error.
    """
    read_end, write_end = os.pipe()
    with tempfile.TemporaryFile() as messages:
        child = os.fork()
        if child == 0:
            os.close(read_end)
            os.dup2(messages.fileno(), 2)
            try:
                answer = (function(*args), None)
            except Exception as e:  # any refusal is an answer here
                answer = (None, " ".join(str(e).split()) or repr(e))
            with os.fdopen(write_end, "wb") as f:
                pickle.dump(answer, f)
            os._exit(0)
        os.close(write_end)
        with os.fdopen(read_end, "rb") as f:
            data = f.read()
        os.waitpid(child, 0)
        if data:
            return pickle.loads(data)
        messages.seek(0)
        text = messages.read().decode(errors="replace")
        return None, "LiteRT ended the process: " + " ".join(text.split())


def litert_version():
    from importlib.metadata import version
    return version("ai-edge-litert")


def save_npz(path, arrays):
    np.savez_compressed(path, **arrays)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model", help="the .tflite file")
    parser.add_argument("--kind", choices=KINDS, default="mixed",
                        help="what inputs to make (default: mixed)")
    parser.add_argument("--cases", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--use-inputs", metavar="NPZ",
                        help="run these inputs instead of making some")
    parser.add_argument("--inputs", metavar="NPZ", help="inputs to write")
    parser.add_argument("--expect", metavar="NPZ", required=True,
                        help="outputs to write")
    args = parser.parse_args()
    verify_reference_kernels()
    with open(args.model, "rb") as f:
        it = interpreter(f.read())
    check_no_delegate(it)
    if args.use_inputs:
        with np.load(args.use_inputs) as stored:
            inputs = {k: stored[k] for k in stored.files}
    else:
        inputs = make_inputs(input_details(it), args.kind, args.cases,
                             args.seed)
    outputs = run(it, inputs)
    if args.inputs:
        save_npz(args.inputs, inputs)
    save_npz(args.expect, outputs)
    shapes = {k: v.shape for k, v in outputs.items()}
    cases = len(next(iter(outputs.values())))
    print(f"{args.model}: {cases} cases, LiteRT {litert_version()} "
          f"reference kernels, {shapes}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
