"""Reads what a test needs of ONNX files: names and types of a model's ends, and
tensors. Standard library and numpy only."""
import struct

import numpy as np

TYPES = {1: "<f4", 2: "u1", 3: "i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<i8",
         9: "?", 10: "<f2", 11: "<f8", 12: "<u4", 13: "<u8", 16: "<u2"}
BFLOAT16 = 16


def fields(data):
    """(number, wire type, value) of each field of a message."""
    at, end = 0, len(data)

    def varint():
        nonlocal at
        result = shift = 0
        while True:
            byte = data[at]
            at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    while at < end:
        key = varint()
        wire = key & 7
        if wire == 0:
            value = varint()
        elif wire == 1:
            value, at = data[at:at + 8], at + 8
        elif wire == 2:
            size = varint()
            value, at = data[at:at + size], at + size
        else:
            value, at = data[at:at + 4], at + 4
        yield key >> 3, wire, value


def packed(value, wire):
    """Varints of a repeated field, packed or not."""
    if wire == 0:
        return [value]
    out, at = [], 0
    while at < len(value):
        result = shift = 0
        while True:
            byte = value[at]
            at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        out.append(result)
    return out


def signed(numbers):
    return [n - (1 << 64) if n >> 63 else n for n in numbers]


def tensor(data):
    """A TensorProto as (array, name); the array is None for other types.
    bfloat16 comes as its 16 bits in uint16."""
    dims, kind, name, raw, numbers = [], 0, "", None, []
    for number, wire, value in fields(data):
        if number == 1:
            dims += signed(packed(value, wire))
        elif number == 2:
            kind = value
        elif number == 4:
            numbers += struct.unpack("<%df" % (len(value) // 4), value)
        elif number in (5, 7, 11):
            numbers += signed(packed(value, wire))
        elif number == 8:
            name = value.decode()
        elif number == 9:
            raw = value
        elif number == 10:
            numbers += struct.unpack("<%dd" % (len(value) // 8), value)
    if kind not in TYPES:
        return None, name
    dtype = np.dtype(TYPES[kind])
    if raw is not None:
        array = np.frombuffer(raw, dtype)
    elif kind in (10, 16):
        array = np.array(numbers, np.uint16).view(dtype)
    elif kind in (12, 13):
        array = np.array([n & ((1 << 64) - 1) for n in numbers], dtype)
    else:
        array = np.array(numbers, dtype)
    return array.reshape(dims), name


def value(data, form):
    """What a file of test data holds: an array, a list of arrays for a
    sequence, None for an optional value without any. `form` is that of
    value_info."""
    if form.startswith("optional "):
        held = [v for n, _, v in fields(data) if n in (3, 5)]
        return value(held[0], form[9:]) if held else None
    if form == "sequence":
        return [tensor(v)[0] for n, _, v in fields(data) if n == 3]
    return tensor(data)[0]


def type_info(data):
    """(form, element type, dims): the form is "tensor", "sequence", "optional
    tensor" or "optional sequence", "" for others."""
    form, kind, dims = "", 0, []
    for number, _, v in fields(data):
        if number == 1:
            form = "tensor"
            for k, _, x in fields(v):
                if k == 1:
                    kind = x
                elif k == 2:
                    dims = [dim(d) for i, _, d in fields(x) if i == 1]
        elif number in (4, 9):
            inner = [type_info(x) for k, _, x in fields(v) if k == 1]
            held, kind, dims = inner[0] if inner else ("", 0, [])
            form = ("sequence" if number == 4 and held == "tensor" else
                    "optional " + held if number == 9 else "")
    return form, kind, dims


def value_info(data):
    """(name, element type, dims, form) of a ValueInfoProto."""
    name, form, kind, dims = "", "", 0, []
    for number, _, v in fields(data):
        if number == 1:
            name = v.decode()
        elif number == 2:
            form, kind, dims = type_info(v)
    return name, kind, dims, form


def dim(data):
    for number, _, value in fields(data):
        return value if number == 1 else value.decode()
    return None


def ends(data):
    """Inputs that are no initialisers, outputs, and operator types."""
    inputs, outputs, given, ops = [], [], set(), []
    for number, _, value in fields(data):
        if number != 7:
            continue
        for n, _, v in fields(value):
            if n == 1:
                ops += [x.decode() for k, _, x in fields(v) if k == 4]
            elif n == 5:
                given |= {x.decode() for k, _, x in fields(v) if k == 8}
            elif n == 11:
                inputs.append(value_info(v))
            elif n == 12:
                outputs.append(value_info(v))
    return [i for i in inputs if i[0] not in given], outputs, ops
