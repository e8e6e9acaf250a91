#!/usr/bin/env python3
"""Compares the reference interpreter and generated code with TensorFlow Lite
Micro where LiteRT has no kernel: LSTM with int16 data.

    tools/check_tflm.py [--bin build/bin] [--count 40] [--seed 1]

Needs the PyPI package tflite-micro; says "skipped" without it. Outputs must be
the same bytes. The exit code is 1 when one is not.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import make_type_models
from make_layer_models import Case

ROOT = pathlib.Path(__file__).resolve().parent.parent


def expected(data, inputs, runtime):
    """One fresh interpreter a case: states start from nothing."""
    rows = []
    for x in inputs:
        it = runtime.Interpreter.from_bytes(data)
        it.set_input(x, 0)
        it.invoke()
        rows.append(it.get_output(0))
    return np.stack(rows)


def ours(args, engine, folder, inputs):
    np.savez(folder / "in.npz", input_0=inputs)
    out = folder / "out.npz"
    out.unlink(missing_ok=True)
    done = subprocess.run(
        [str(args.bin / "ashlar"), "test", str(folder / "m.tflite"), "--inputs",
         str(folder / "in.npz"), "--engine", engine, "--save", str(out), "-q"],
        capture_output=True, text=True)
    if not out.exists():
        raise RuntimeError(done.stderr.strip())
    with np.load(out) as f:
        return f[f.files[0]]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    p.add_argument("--count", type=int, default=40)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    try:
        from tflite_micro.python.tflite_micro import runtime
    except ImportError:
        print("skipped: tflite-micro is not here")
        return 0
    values = wrong = 0
    for k in range(args.count):
        rng = np.random.default_rng([args.seed, k])
        case = Case(rng, "UNIDIRECTIONAL_SEQUENCE_LSTM", "int16")
        make_type_models.lstm(case)
        data = case.model.to_bytes()
        shape = case.model.main.tensors[0].shape
        reach = 2 ** int(rng.integers(8, 16))
        inputs = rng.integers(-reach, reach, (1,) + tuple(shape)).astype(
            np.int16)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.tflite").write_bytes(data)
            want = expected(data, inputs, runtime)
            for engine in ("reference", "generated"):
                got = ours(args, engine, folder, inputs).reshape(want.shape)
                values += got.size
                wrong += int(np.count_nonzero(got != want))
                if (got != want).any():
                    print(f"case {k} {engine}: {want.ravel()[:6]} "
                          f"{got.ravel()[:6]}")
    print(f"{args.count} models, {values} values, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
