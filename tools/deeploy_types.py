"""What the recorded inputs of Deeploy's networks hold, as options of `ashlar`.
Used by deeploy_networks and tile_sweep."""
import re
import subprocess

import numpy as np


def are_whole(path):
    arrays = np.load(path)
    return all(np.array_equal(arrays[k], np.round(arrays[k]))
               for k in arrays.files)


def are_integers(folder):
    return (are_whole(folder / "outputs.npz") and
            are_whole(folder / "inputs.npz"))


def smallest_type(a):
    for whole in (np.int8, np.uint8, np.int16, np.int32):
        limits = np.iinfo(whole)
        if a.min() >= limits.min and a.max() <= limits.max:
            return str(limits.dtype)
    return None


def input_types(ashlar, folder):
    """--input-type for each input that the network stores as float32 and that
    holds whole numbers here: the smallest type, as Deeploy takes it from the
    recorded inputs."""
    model = folder / "network.onnx"
    done = subprocess.run([ashlar, "inspect", str(model)],
                          capture_output=True, text=True)
    inputs = re.findall(r"^  input   '(.*)' (\w+)\[", done.stdout, re.M)
    arrays = np.load(folder / "inputs.npz")
    options = []
    for i, (name, stored) in enumerate(inputs):
        if stored != "float32" or i >= len(arrays.files):
            continue
        a = arrays[name if name in arrays.files else arrays.files[i]]
        if a.size and np.array_equal(a, np.round(a)) and smallest_type(a):
            options += ["--input-type", "%s=%s" % (name, smallest_type(a))]
    # The standard's average has a fraction, Deeploy's of integers is rounded.
    if b"ReduceMean" in model.read_bytes():
        options += ["--integers"]
    return options
