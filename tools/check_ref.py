#!/usr/bin/env python3
"""Compare the reference interpreter with LiteRT's reference kernels.

    tools/check_ref.py --program build/bin/run_ref MODEL.tflite ...

Integer outputs must be the same bytes; float outputs must agree within
--tolerance (relative to the larger magnitude, absolute below 1).  A model with
NAME.in.npz and NAME.out.npz beside it uses those; for any other model inputs
are made and LiteRT is run.  Prints one line a model that differs and a table
of totals; the exit code is 1 when anything differs.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np


def load(path):
    with np.load(path) as f:
        return {k: f[k] for k in f.files}


def expected(path, kind, cases, seed):
    """Inputs and LiteRT's outputs."""
    stem = os.path.splitext(path)[0]
    if os.path.exists(stem + ".in.npz") and os.path.exists(stem + ".out.npz"):
        return load(stem + ".in.npz"), load(stem + ".out.npz")
    import litert_run
    with open(path, "rb") as f:
        data = f.read()
    answer, error = litert_run.isolated(litert_run.run_model, data, kind,
                                        cases, seed)
    if error:
        raise RuntimeError("LiteRT: " + error)
    return answer


def numbered(arrays, what):
    return [arrays[f"{what}_{i}"] for i in range(len(arrays))]


def run_ours(program, path, inputs, like):
    """Our outputs, shaped as `like`."""
    cases = len(like[0])
    with tempfile.TemporaryDirectory() as folder:
        source, sink = folder + "/in", folder + "/out"
        with open(source, "wb") as f:
            for case in range(cases):
                for array in inputs:
                    f.write(np.ascontiguousarray(array[case]).tobytes())
        done = subprocess.run([program, path, source, sink],
                              capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or
                               f"exit code {done.returncode}")
        with open(sink, "rb") as f:
            data = f.read()
    outputs = [np.empty_like(a) for a in like]
    at = 0
    for case in range(cases):
        for out in outputs:
            size = out[case].nbytes
            piece = np.frombuffer(data[at:at + size], out.dtype)
            out[case] = piece.reshape(out[case].shape)
            at += size
    if at != len(data):
        raise RuntimeError(f"{len(data)} output bytes, expected {at}")
    return outputs


def differences(ours, theirs, tolerance):
    """Number of elements that differ, and the largest difference."""
    if theirs.dtype.kind != "f":
        wrong = ours != theirs
        if not wrong.any():
            return 0, 0
        return int(wrong.sum()), int(np.abs(
            ours.astype(np.int64) - theirs.astype(np.int64)).max())
    both = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(ours.astype(float) - theirs.astype(float))
        error /= np.maximum(1, np.abs(theirs.astype(float)))
    wrong = ~both & ~(error <= tolerance)
    return int(wrong.sum()), float(np.nanmax(np.where(both, 0, error),
                                             initial=0))


def check(options, path, totals):
    inputs, outputs = expected(path, options.kind, options.cases,
                               options.seed)
    inputs, outputs = numbered(inputs, "input"), numbered(outputs, "output")
    ours = run_ours(options.program, path, inputs, outputs)
    good = True
    for number, (a, b) in enumerate(zip(ours, outputs)):
        wrong, worst = differences(a, b, options.tolerance)
        kind = "float" if b.dtype.kind == "f" else "integer"
        entry = totals.setdefault(kind, [0, 0, 0])
        entry[0] += b.size
        entry[1] += wrong
        entry[2] = max(entry[2], worst)
        if wrong:
            good = False
            print(f"{path}: output {number}: {wrong} of {b.size} differ, "
                  f"by up to {worst}")
    return good


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", required=True, help="run_ref, as built")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--kind", default="mixed")
    parser.add_argument("--cases", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("model", nargs="+")
    options = parser.parse_args()
    totals, bad, failed = {}, 0, 0
    for path in options.model:
        try:
            bad += not check(options, path, totals)
        except RuntimeError as e:
            failed += 1
            print(f"{path}: {e}")
    for kind, (count, wrong, worst) in sorted(totals.items()):
        print(f"{kind}: {count} values, {wrong} differ, largest {worst:.3g}")
    print(f"{len(options.model)} models, {bad} differ, {failed} not run")
    return 1 if bad or failed else 0


if __name__ == "__main__":
    sys.exit(main())
