"""What the recorded inputs of Deeploy's networks hold, as options of `ashlar`.
Used by deeploy_networks and tile_sweep."""
import re
import subprocess

import numpy as np


def holds_integers(path):
    arrays = np.load(path)
    return all(np.array_equal(arrays[k], np.round(arrays[k]))
               for k in arrays.files)


def are_integers(folder):
    return (holds_integers(folder / "outputs.npz") and
            holds_integers(folder / "inputs.npz"))


def smallest_type(a):
    for integer in (np.int8, np.uint8, np.int16, np.int32):
        limits = np.iinfo(integer)
        if a.min() >= limits.min and a.max() <= limits.max:
            return str(limits.dtype)
    return None


def types_of(ends, path, option):
    arrays = np.load(path)
    options = []
    for i, (name, stored) in enumerate(ends):
        if stored not in ("float32", "int32", "int64") or i >= len(arrays.files):
            continue
        a = arrays[name if name in arrays.files else arrays.files[i]]
        if a.size and np.array_equal(a, np.round(a)) and smallest_type(a):
            options += [option, "%s=%s" % (name, smallest_type(a))]
    return options


def end_types(ashlar, folder):
    """--input-type and --output-type for what the network stores as float32 and
    what holds integers in the records: the smallest types, as Deeploy
    takes those of inputs from the records."""
    model = folder / "network.onnx"
    done = subprocess.run([ashlar, "inspect", str(model)],
                          capture_output=True, text=True)
    ends = re.findall(r"^  (input |output)  '(.*)' (\w+)\[", done.stdout, re.M)
    options = types_of([e[1:] for e in ends if e[0] == "input "],
                       folder / "inputs.npz", "--input-type")
    options += types_of([e[1:] for e in ends if e[0] == "output"],
                        folder / "outputs.npz", "--output-type")
    # The standard's average has a fraction, Deeploy's of integers is rounded.
    if b"ReduceMean" in model.read_bytes():
        options += ["--integers"]
    return options
