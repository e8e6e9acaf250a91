#!/usr/bin/env python3
"""Inputs and reference outputs of a model, as the raw bytes a board reads.

usage: record.py ASHLAR MODEL FOLDER [CASES]

Writes in.bin and want.bin: case after case, in each all inputs (or outputs) in
the model's order. Inputs are made up (the same on every machine); the outputs
are those of Ashlar's reference interpreter. For the example of this tree,
recorded digits are taken instead.
"""
import pathlib
import re
import struct
import subprocess
import sys
import zipfile

CODES = {"int8": ("|i1", 1), "uint8": ("|u1", 1), "int16": ("<i2", 2),
         "int32": ("<i4", 4), "float32": ("<f4", 4)}


def inputs_of(ashlar, model):
    """(type, shape) of each input, from `ashlar inspect`."""
    text = subprocess.run([ashlar, "inspect", model], text=True, check=True,
                          capture_output=True).stdout
    for line in text.splitlines():
        found = re.match(r"\s+input\s+'.*' (\w+)\[([\d,]*)\]", line)
        if found:
            yield found[1], [int(d) for d in found[2].split(",") if d]


def values(kind, count, state):
    """Pseudo-random elements: all bit patterns, or floats in [-1, 1)."""
    out = bytearray()
    for _ in range(count):
        word = 0
        for _ in range(4):
            state = (state * 1664525 + 1013904223) & 0xffffffff
            word = word << 8 | state >> 24
        if kind == "float32":
            out += struct.pack("<f", (word - 2**31) / 2**31)
        else:
            out += word.to_bytes(4, "little")[:CODES[kind][1]]
    return bytes(out), state


def npy(kind, shape, data):
    text = str({"descr": CODES[kind][0], "fortran_order": False,
                "shape": tuple(shape)}).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def arrays(path):
    """Array after array: (number of cases, bytes)."""
    with zipfile.ZipFile(path) as z:
        for name in z.namelist():
            raw = z.read(name)
            size = struct.unpack_from("<H", raw, 8)[0]
            head = eval(raw[10:10 + size], {"__builtins__": {}}, {})
            yield head["shape"][0], raw[10 + size:]


def flatten(path, to, cases):
    """The first cases of an .npz as raw bytes."""
    parts = [(data, len(data) // count) for count, data in arrays(path)]
    with open(to, "wb") as f:
        for case in range(cases):
            for data, n in parts:
                f.write(data[case * n:(case + 1) * n])


def main():
    ashlar, model, folder = sys.argv[1:4]
    cases = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    folder = pathlib.Path(folder)
    recorded = pathlib.Path(model[:-len(".tflite")] + "_test.npz")
    source = folder / "in.npz"
    if recorded.exists():
        source = recorded
    else:
        state = 12345
        with zipfile.ZipFile(source, "w") as z:
            for i, (kind, shape) in enumerate(inputs_of(ashlar, model)):
                count = cases
                for d in shape:
                    count *= d
                data, state = values(kind, count, state)
                z.writestr(f"input_{i}.npy", npy(kind, [cases, *shape], data))
    subprocess.run([ashlar, "test", model, "--engine", "reference", "--quiet",
                    "--inputs", source, "--save", folder / "want.npz"],
                   check=True)
    flatten(source, folder / "in.bin", cases)
    flatten(folder / "want.npz", folder / "want.bin", cases)


main()
