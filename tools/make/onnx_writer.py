"""Writes ONNX models from Python without the onnx package: what tests need of
nodes, attributes, nested graphs and initialisers. The same calls give the same
bytes.

    g = Graph("relu")
    g.input("x", np.float32, (1, 4))
    g.node("Relu", ["x"], ["y"])
    g.output("y", np.float32, (1, 4))
    save(g, "relu.onnx", opset=13)
"""
import struct

import numpy as np

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5,
         "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
         "uint32": 12, "uint64": 13}


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def typed(array):
    """The values in the field that belongs to their type."""
    kind, flat = array.dtype.name, array.ravel()
    if kind == "float32":
        return block(4, flat.tobytes())
    if kind == "float64":
        return block(10, flat.tobytes())
    if kind == "float16":
        flat = flat.view(np.uint16)
    field = {"int64": 7, "uint32": 11, "uint64": 11}.get(kind, 5)
    return block(field, b"".join(varint(int(v)) for v in flat))


def tensor(name, array, how="raw"):
    """`how`: raw, typed, or (file, offset) for data beside the model."""
    array = np.asarray(array, order="C")  # a scalar stays one
    head = (b"".join(number(1, d) for d in array.shape)
            + number(2, TYPES[array.dtype.name]) + block(8, name))
    if how == "raw":
        return head + block(9, array.tobytes())
    if how == "typed":
        return head + typed(array)
    entries = {"location": how[0], "offset": str(how[1]),
               "length": str(array.nbytes)}
    return (head + b"".join(block(13, block(1, k) + block(2, v))
                            for k, v in entries.items()) + number(14, 1))


def value_info(name, dtype, shape):
    """A shape of None is left open, and so is a dimension of None."""
    if shape is None:
        kind = number(1, TYPES[np.dtype(dtype).name])
        return block(1, name) + block(2, block(1, kind))
    dims = b"".join(block(1, b"" if d is None else block(2, d)
                          if isinstance(d, str) else number(1, d))
                    for d in shape)
    kind = number(1, TYPES[np.dtype(dtype).name]) + block(2, dims)
    return block(1, name) + block(2, block(1, kind))


class Ref:
    """In functions: the caller's attribute of this name and kind of value."""

    def __init__(self, name, kind):
        self.name, self.kind = name, {float: 1, int: 2, str: 3}[kind]


def attribute(name, value):
    if isinstance(value, Ref):
        body, kind = block(21, value.name), value.kind
    elif isinstance(value, Graph):
        body, kind = block(6, value.bytes()), 5
    elif isinstance(value, (bool, int, np.integer)):
        body, kind = number(3, int(value)), 2
    elif isinstance(value, float):
        body, kind = varint(2 << 3 | 5) + struct.pack("<f", value), 1
    elif isinstance(value, str):
        body, kind = block(4, value), 3
    elif isinstance(value, np.ndarray):
        body, kind = block(5, tensor("", value)), 4
    elif value and isinstance(value[0], float):
        body = b"".join(varint(7 << 3 | 5) + struct.pack("<f", v)
                        for v in value)
        kind = 6
    elif value and isinstance(value[0], str):
        body, kind = b"".join(block(9, v) for v in value), 8
    else:
        body, kind = b"".join(number(8, int(v)) for v in value), 7
    return block(1, name) + body + number(20, kind)


class Graph:
    def __init__(self, name="g"):
        self.name = name
        self.nodes, self.constants, self.ins, self.outs = [], [], [], []
        self.names = 0

    def input(self, name, dtype, shape):
        self.ins.append((name, np.dtype(dtype), tuple(shape)))
        return name

    def output(self, name, dtype, shape):
        shape = None if shape is None else tuple(shape)
        self.outs.append((name, np.dtype(dtype), shape))
        return name

    def constant(self, array, name=None, how="raw"):
        name = name or f"c{len(self.constants)}"
        self.constants.append((name, np.asarray(array), how))
        return name

    def node(self, kind, inputs, outputs=None, domain="", **attributes):
        """The name of the first output."""
        if outputs is None:
            outputs = [f"t{self.names}"]
            self.names += 1
        data = b"".join(block(1, i) for i in inputs)
        data += b"".join(block(2, o) for o in outputs)
        data += block(3, f"n{len(self.nodes)}") + block(4, kind)
        data += b"".join(block(5, attribute(k, v))
                         for k, v in attributes.items())
        self.nodes.append(data + (block(7, domain) if domain else b""))
        return outputs[0]

    def bytes(self):
        return (b"".join(block(1, n) for n in self.nodes) + block(2, self.name)
                + b"".join(block(5, tensor(*c)) for c in self.constants)
                + b"".join(block(11, value_info(*i)) for i in self.ins)
                + b"".join(block(12, value_info(*o)) for o in self.outs))


class Function(Graph):
    """Nodes that stand for a node of this name; inputs and outputs are names."""

    def __init__(self, name, inputs, outputs, attributes=(), domain="local"):
        super().__init__(name)
        self.formal = (inputs, outputs, attributes)
        self.domain = domain

    def bytes(self, opset):
        inputs, outputs, attributes = self.formal
        return (block(1, self.name) + b"".join(block(4, i) for i in inputs)
                + b"".join(block(5, o) for o in outputs)
                + b"".join(block(6, a) for a in attributes)
                + b"".join(block(7, n) for n in self.nodes)
                + block(9, block(1, "") + number(2, opset))
                + block(9, block(1, self.domain) + number(2, 1))
                + block(10, self.domain))


def model(graph, opset=13, domains=("com.microsoft",), ir=8, functions=()):
    sets = block(8, block(1, "") + number(2, opset))
    domains = list(domains) + sorted({f.domain for f in functions})
    for domain in domains:  # a name, or a name and a version
        name, version = ((domain, 1) if isinstance(domain, str) else domain)
        sets += block(8, block(1, name) + number(2, version))
    return (number(1, ir) + block(7, graph.bytes()) + sets
            + b"".join(block(25, f.bytes(opset)) for f in functions))


def save(graph, path, **options):
    with open(path, "wb") as f:
        f.write(model(graph, **options))
