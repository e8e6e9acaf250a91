#!/usr/bin/env python3
"""Make broken .tflite files for testing how the reader refuses them.

Each file is a valid model with one thing wrong, and its name says what:

    bad_*    must be refused with an error message
    flip_*   random bit flips: may be refused or accepted, must not crash
    maybe_*  legal in the format, a matter of policy: a dynamic dimension in
             shape_signature with a concrete shape, as many converters write
    valid_*  (with --seeds) unbroken tiny models, seeds for a fuzzer

The damage is done in place: a small navigator finds the field in the
FlatBuffer and overwrites it, so everything else stays exactly right.  The
base is the digits example, or a tiny two-operator model (--tiny), which
keeps the files small enough to commit.
"""

import argparse
import os
import struct
import sys

import numpy as np

import tflite_writer

HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = os.path.join(HERE, "..", "examples", "digits", "digits.tflite")

# Field slots used below (see tflite_writer.py for the rest of the format).
MODEL_VERSION, MODEL_CODES, MODEL_GRAPHS, MODEL_BUFFERS = 0, 1, 2, 4
GRAPH_TENSORS, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_OPS = 0, 1, 2, 3
TENSOR_SHAPE, TENSOR_TYPE, TENSOR_BUFFER, TENSOR_NAME = 0, 1, 2, 3
TENSOR_QUANT = 4
QUANT_SCALE, QUANT_ZERO = 2, 3
OP_CODE, OP_INPUTS, OP_OUTPUTS, OP_UNION, OP_OPTIONS = 0, 1, 2, 3, 4
CODE_OLD, CODE_VERSION, CODE_NEW = 0, 2, 3


class Missing(Exception):
    """The base model does not store this field."""


class Image:
    """A FlatBuffer as bytes, with functions to find positions in it."""

    def __init__(self, data):
        self.data = bytearray(data)

    def u32(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def put(self, at, kind, value):
        struct.pack_into("<" + kind, self.data, at, value)

    def root(self):
        return self.u32(0)

    def vtable(self, table):
        return table - struct.unpack_from("<i", self.data, table)[0]

    def field(self, table, slot):
        """Position of a field's value inside a table."""
        vtable = self.vtable(table)
        size = struct.unpack_from("<H", self.data, vtable)[0]
        if 4 + 2 * slot >= size:
            raise Missing
        offset = struct.unpack_from("<H", self.data, vtable + 4 + 2 * slot)[0]
        if offset == 0:
            raise Missing
        return table + offset

    def follow(self, at):
        """The place an offset stored at `at` points to."""
        return at + self.u32(at)

    def vector(self, table, slot):
        """Position of a vector's length."""
        return self.follow(self.field(table, slot))

    def child(self, table, slot, index):
        """A table that is an element of a vector of tables."""
        return self.follow(self.vector(table, slot) + 4 + 4 * index)

    def graph(self):
        return self.child(self.root(), MODEL_GRAPHS, 0)

    def tensor(self, index):
        return self.child(self.graph(), GRAPH_TENSORS, index)

    def op(self, index):
        return self.child(self.graph(), GRAPH_OPS, index)

    def op_count(self):
        return self.u32(self.vector(self.graph(), GRAPH_OPS))

    def options(self, index):
        return self.follow(self.field(self.op(index), OP_OPTIONS))

    def first(self, table, slot):
        """Position of the first element of a vector of numbers."""
        return self.vector(table, slot) + 4

    def op_input(self, op, position):
        return self.u32(self.first(self.op(op), OP_INPUTS) + 4 * position)

    def quant(self, tensor):
        return self.follow(self.field(self.tensor(tensor), TENSOR_QUANT))


DAMAGES = {}


def damage(name):
    """Register a function that breaks an Image in one way."""
    def register(function):
        DAMAGES[name] = function
        return function
    return register


def number(name, find, kind, value):
    """Register a damage that overwrites one number."""
    DAMAGES[name] = lambda m: m.put(find(m), kind, value)


def weights(m):
    return m.op_input(0, 1)


def graph_input(m):
    return m.u32(m.first(m.graph(), GRAPH_INPUTS))


def register_numbers():
    """The damages that are one wrong number, in one table each."""
    counts = {
        "codes": lambda m: m.vector(m.root(), MODEL_CODES),
        "subgraphs": lambda m: m.vector(m.root(), MODEL_GRAPHS),
        "buffers": lambda m: m.vector(m.root(), MODEL_BUFFERS),
        "tensors": lambda m: m.vector(m.graph(), GRAPH_TENSORS),
        "operators": lambda m: m.vector(m.graph(), GRAPH_OPS),
        "graph_inputs": lambda m: m.vector(m.graph(), GRAPH_INPUTS),
        "op_inputs": lambda m: m.vector(m.op(0), OP_INPUTS),
        "shape": lambda m: m.vector(m.tensor(0), TENSOR_SHAPE),
        "name": lambda m: m.vector(m.tensor(0), TENSOR_NAME),
        "scales": lambda m: m.vector(m.quant(0), QUANT_SCALE),
        "weights_data": lambda m: m.vector(
            m.child(m.root(), MODEL_BUFFERS, m.u32(m.field(
                m.tensor(weights(m)), TENSOR_BUFFER))), 0),
    }
    for name, find in counts.items():
        number(f"count_{name}_4g", find, "I", 0xFFFFFFFF)
        number(f"count_{name}_1g", find, "I", 0x40000000)
    for name in ("codes", "subgraphs", "buffers", "tensors", "operators",
                 "graph_inputs", "op_inputs"):
        number(f"count_{name}_zero", counts[name], "I", 0)
    number("weights_data_length_1", counts["weights_data"], "I", 1)

    offsets = {
        "root": lambda m: 0,
        "subgraphs": lambda m: m.field(m.root(), MODEL_GRAPHS),
        "subgraph": lambda m: m.first(m.root(), MODEL_GRAPHS),
        "tensors": lambda m: m.field(m.graph(), GRAPH_TENSORS),
        "tensor": lambda m: m.first(m.graph(), GRAPH_TENSORS),
        "operator": lambda m: m.first(m.graph(), GRAPH_OPS),
        "shape": lambda m: m.field(m.tensor(0), TENSOR_SHAPE),
        "options": lambda m: m.field(m.op(0), OP_OPTIONS),
        "quantisation": lambda m: m.field(m.tensor(0), TENSOR_QUANT),
    }
    for name, find in offsets.items():
        number(f"offset_{name}_past_end", find, "I", 0x7FFFFFF0)
        number(f"offset_{name}_wraps", find, "I", 0xFFFFFFFC)
        number(f"offset_{name}_self", find, "I", 0)
        number(f"offset_{name}_unaligned", find, "I", 3)

    number("index_op_input_999", lambda m: m.first(m.op(0), OP_INPUTS), "i",
           999)
    number("index_op_input_minus_7", lambda m: m.first(m.op(0), OP_INPUTS),
           "i", -7)
    number("index_op_input_absent", lambda m: m.first(m.op(0), OP_INPUTS),
           "i", -1)
    number("index_op_output_999", lambda m: m.first(m.op(0), OP_OUTPUTS), "i",
           999)
    number("index_op_output_minus_1", lambda m: m.first(m.op(0), OP_OUTPUTS),
           "i", -1)
    number("index_graph_input_999",
           lambda m: m.first(m.graph(), GRAPH_INPUTS), "i", 999)
    number("index_graph_output_minus_2",
           lambda m: m.first(m.graph(), GRAPH_OUTPUTS), "i", -2)
    number("index_opcode_999", lambda m: m.field(m.op(1), OP_CODE), "I", 999)
    number("index_buffer_999",
           lambda m: m.field(m.tensor(weights(m)), TENSOR_BUFFER), "I", 999)
    number("weights_without_data",
           lambda m: m.field(m.tensor(weights(m)), TENSOR_BUFFER), "I", 0)

    def dim(m):
        return m.first(m.tensor(graph_input(m)), TENSOR_SHAPE) + 4
    number("dim_zero", dim, "i", 0)
    number("dim_negative", dim, "i", -8)
    number("dim_minus_one", dim, "i", -1)
    number("dim_2g", dim, "i", 0x7FFFFFFF)
    number("dim_disagrees_with_output", dim, "i", 57)
    number("weights_shape_larger_than_data",
           lambda m: m.first(m.tensor(weights(m)), TENSOR_SHAPE), "i", 64)
    number("weights_shape_overflows_32_bits",
           lambda m: m.first(m.tensor(weights(m)), TENSOR_SHAPE), "i",
           0x10000001)

    def type_of(index):
        return lambda m: m.field(m.tensor(index(m)), TENSOR_TYPE)
    number("type_string", type_of(graph_input), "b", 5)
    number("type_complex64", type_of(graph_input), "b", 8)
    number("type_undefined_99", type_of(graph_input), "b", 99)
    number("type_weights_float32", type_of(weights), "b", 0)

    number("scale_zero", lambda m: m.first(m.quant(0), QUANT_SCALE), "f", 0.0)
    number("scale_negative", lambda m: m.first(m.quant(0), QUANT_SCALE), "f",
           -0.5)
    number("scale_nan", lambda m: m.first(m.quant(0), QUANT_SCALE), "f",
           float("nan"))
    number("scale_infinite", lambda m: m.first(m.quant(0), QUANT_SCALE), "f",
           float("inf"))
    number("zero_point_1000", lambda m: m.first(m.quant(0), QUANT_ZERO), "q",
           1000)
    number("zero_point_64_bits", lambda m: m.first(m.quant(0), QUANT_ZERO),
           "q", 1 << 40)
    number("scales_fewer_than_channels",
           lambda m: m.vector(m.quant(weights(m)), QUANT_SCALE), "I", 2)

    number("stride_zero", lambda m: m.field(m.options(0), 1), "i", 0)
    number("stride_negative", lambda m: m.field(m.options(0), 1), "i", -1)
    number("padding_undefined", lambda m: m.field(m.options(0), 0), "b", 77)
    number("activation_undefined", lambda m: m.field(m.options(0), 3), "b",
           99)
    number("options_of_other_operator", lambda m: m.field(m.op(0), OP_UNION),
           "B", 9)
    number("operator_version_99", lambda m: m.field(
        m.child(m.root(), MODEL_CODES, 0), CODE_VERSION), "i", 99)
    number("schema_version_99", lambda m: m.field(m.root(), MODEL_VERSION),
           "I", 99)
    number("vtable_outside", lambda m: m.root(), "i", 0x7FFFFFF0)
    number("vtable_self", lambda m: m.root(), "i", 0)
    number("vtable_size_zero", lambda m: m.vtable(m.root()), "H", 0)
    number("vtable_size_odd", lambda m: m.vtable(m.root()), "H", 7)
    number("vtable_size_64k", lambda m: m.vtable(m.root()), "H", 0xFFFE)
    number("field_outside_table", lambda m: m.vtable(m.graph()) + 4, "H",
           0xFFF0)


register_numbers()


@damage("identifier_wrong")
def identifier_wrong(m):
    m.data[4:8] = b"TFL9"


@damage("identifier_zero")
def identifier_zero(m):
    m.data[4:8] = bytes(4)


@damage("operator_unknown_999")
def operator_unknown(m):
    code = m.child(m.root(), MODEL_CODES, 0)
    m.put(m.field(code, CODE_OLD), "b", 127)
    m.put(m.field(code, CODE_NEW), "i", 999)


@damage("operator_negative")
def operator_negative(m):
    code = m.child(m.root(), MODEL_CODES, 0)
    m.put(m.field(code, CODE_OLD), "b", -3)
    m.put(m.field(code, CODE_NEW), "i", -3)


@damage("subgraph_is_the_model")
def subgraph_is_the_model(m):
    """The list's first graph points at the table the list belongs to."""
    at = m.first(m.root(), MODEL_GRAPHS)
    m.put(at, "I", (m.root() - at) & 0xFFFFFFFF)


@damage("reads_tensor_made_later")
def reads_tensor_made_later(m):
    """The first operator reads the last one's output: a cycle."""
    last = m.u32(m.first(m.op(m.op_count() - 1), OP_OUTPUTS))
    m.put(m.first(m.op(0), OP_INPUTS), "i", last)


@damage("reads_own_output")
def reads_own_output(m):
    m.put(m.first(m.op(0), OP_INPUTS), "i",
          m.u32(m.first(m.op(0), OP_OUTPUTS)))


@damage("two_operators_write_one_tensor")
def two_writers(m):
    m.put(m.first(m.op(1), OP_OUTPUTS), "i",
          m.u32(m.first(m.op(0), OP_OUTPUTS)))


@damage("writes_graph_input")
def writes_graph_input(m):
    m.put(m.first(m.op(1), OP_OUTPUTS), "i", graph_input(m))


@damage("writes_constant")
def writes_constant(m):
    m.put(m.first(m.op(1), OP_OUTPUTS), "i", weights(m))


def tiny_model(**overrides):
    """CONV_2D (per channel) and RELU, int8: the base for small files."""
    m = tflite_writer.Model("tiny")
    x = m.add_tensor("x", (1, 3, 3, 1), "int8", scale=0.05, zero_point=-3,
                     shape_signature=overrides.get("signature"))
    w = m.add_tensor("w", (3, 2, 2, 1), "int8", np.arange(12) * 10 - 60,
                     [0.01, 0.02, 0.03], [0, 0, 0])
    b = m.add_tensor("b", (3,), "int32", np.array([10, -20, 30]),
                     np.float32([0.0005, 0.001, 0.0015]), [0, 0, 0])
    h = m.add_tensor("h", (1, 2, 2, 3), "int8", scale=0.04, zero_point=5)
    y = m.add_tensor("y", (1, 2, 2, 3), "int8", scale=0.04, zero_point=-128)
    m.add_op("CONV_2D", [x, w, b], [h], padding="VALID", stride_h=1,
             stride_w=1, activation="RELU6")
    m.add_op("RELU", [h], [y])
    m.set_io([x], [y])
    return m


def seed_models():
    """Six valid tiny models that differ in structure."""
    yield "conv_relu_int8", tiny_model()

    m = tflite_writer.Model("dense", name="float")
    x = m.add_tensor("x", (2, 3), "float32")
    w = m.add_tensor("w", (4, 3), "float32", np.arange(12) / 8 - 0.5)
    h = m.add_tensor("h", (2, 4), "float32")
    y = m.add_tensor("y", (2, 4), "float32")
    m.add_op("FULLY_CONNECTED", [x, w, -1], [h], activation="RELU")
    m.add_op("SOFTMAX", [h], [y], beta=1.0)
    m.set_io([x], [y])
    yield "dense_softmax_float32", m

    m = tflite_writer.Model("broadcast")
    a = m.add_tensor("a", (1, 2, 3), "int8", scale=0.1, zero_point=0)
    s = m.add_tensor("s", (), "int8", np.array(7), 0.2, -1)
    b = m.add_tensor("b", (3,), "int8", scale=0.3, zero_point=2)
    h = m.add_tensor("h", (1, 2, 3), "int8", scale=0.2, zero_point=1)
    y = m.add_tensor("y", (1, 2, 3), "int8", scale=0.3, zero_point=0)
    m.add_op("MUL", [a, s], [h])
    m.add_op("ADD", [h, b], [y], activation="RELU_N1_TO_1")
    m.set_io([a, b], [h, y])
    yield "broadcast_two_outputs_int8", m

    m = tflite_writer.Model("pools")
    x = m.add_tensor("x", (1, 4, 4, 2), "int8", scale=0.1, zero_point=4)
    names = {}
    for kind in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
        names[kind] = m.add_tensor(kind, (1, 2, 2, 2), "int8", scale=0.1,
                                   zero_point=4)
        m.add_op(kind, [x], [names[kind]], padding="SAME", stride_h=2,
                 stride_w=2, filter_h=2, filter_w=2)
    c = m.add_tensor("c", (1, 2, 2, 4), "int8", scale=0.1, zero_point=4)
    m.add_op("CONCATENATION", list(names.values()), [c], axis=-1)
    axes = m.add_tensor("axes", (2,), "int32", np.array([1, 2]))
    y = m.add_tensor("y", (1, 4), "int8", scale=0.1, zero_point=4)
    m.add_op("MEAN", [c, axes], [y], keep_dims=False)
    m.set_io([x], [y])
    yield "pools_concatenation_mean_int8", m

    m = tflite_writer.Model("float in and out")
    x = m.add_tensor("x", (1, 6), "float32")
    q = m.add_tensor("q", (1, 6), "int8", scale=0.1, zero_point=0)
    pads = m.add_tensor("pads", (2, 2), "int32", np.array([[0, 0], [1, 1]]))
    p = m.add_tensor("p", (1, 8), "int8", scale=0.1, zero_point=0)
    r = m.add_tensor("r", (2, 4), "int8", scale=0.1, zero_point=0)
    y = m.add_tensor("y", (2, 4), "float32")
    m.add_op("QUANTIZE", [x], [q])
    m.add_op("PAD", [q, pads], [p])
    m.add_op("RESHAPE", [p], [r], new_shape=[2, 4])
    m.add_op("DEQUANTIZE", [r], [y])
    m.set_io([x], [y])
    m.add_metadata("min_runtime_version", b"1.5.0\0")
    yield "quantize_pad_reshape_metadata", m

    m = tflite_writer.Model("depthwise")
    x = m.add_tensor("x", (1, 4, 4, 2), "int8", scale=0.05, zero_point=0)
    w = m.add_tensor("w", (1, 3, 3, 4), "int8", np.arange(36) * 3 - 50,
                     [0.01, 0.02, 0.03, 0.04], [0] * 4, axis=3)
    h = m.add_tensor("h", (1, 2, 2, 4), "int8", scale=0.04, zero_point=0)
    y = m.add_tensor("y", (1, 2, 2, 4), "int8", scale=1 / 256,
                     zero_point=-128)
    m.add_op("DEPTHWISE_CONV_2D", [x, w], [h], padding="SAME", stride_h=2,
             stride_w=2, depth_multiplier=2)
    m.add_op("LOGISTIC", [h], [y])
    m.set_io([x], [y])
    yield "depthwise_logistic_int8", m


def built_models():
    """Broken models that need a field the base does not have."""
    m = tiny_model()
    m.main.ops.reverse()
    yield "operators_in_wrong_order", m

    m = tiny_model()
    m.main.tensors[3].shape = [1, 2, 2, 4]
    yield "output_shape_wrong", m

    m = tiny_model()
    m.main.tensors[1].axis = 7
    yield "quantised_axis_7", m

    m = tiny_model()
    m.main.tensors[0].zero_points = []
    yield "zero_points_missing", m

    m = tiny_model()
    m.main.tensors[0].scales = []
    yield "int8_without_scale", m

    m = tiny_model()
    m.main.tensors[2].dtype = "int8"
    yield "bias_wrong_type", m

    m = tiny_model()
    m.subgraphs.clear()
    yield "no_subgraph", m

    m = tiny_model()
    m.main.tensors[0].shape = []
    yield "conv_input_scalar", m

    m = tiny_model()
    m.main.tensors[0].shape = [1] * 70
    yield "rank_70", m

    m = tiny_model()
    m.main.ops[0].inputs = [0]
    yield "conv_without_weights", m

    m = tflite_writer.Model("custom")
    x = m.add_tensor("x", (1, 4), "float32")
    y = m.add_tensor("y", (1, 4), "float32")
    m.add_op("CUSTOM", [x], [y], custom_code="NoSuchOperator",
             custom_options=b"\1\2\3")
    m.set_io([x], [y])
    yield "custom_operator", m


def lengths(size, count):
    """Truncation lengths: the first bytes one by one, then spread out."""
    spread = np.linspace(0, size - 1, count).astype(int)
    return sorted({*range(0, min(12, size)), *(int(n) for n in spread)})


def all_files(base, truncations, flips, seed):
    """Yield (name, bytes) of every broken file for one base model."""
    yield "bad_empty", b""
    for length in lengths(len(base), truncations)[1:]:
        yield f"bad_truncated_at_{length}", base[:length]
    skipped = []
    for name, function in DAMAGES.items():
        image = Image(base)
        try:
            function(image)
        except Missing:
            skipped.append(name)
            continue
        yield f"bad_{name}", bytes(image.data)
    for name, model in built_models():
        yield f"bad_{name}", model.to_bytes()
    yield ("maybe_shape_signature_dynamic",
           tiny_model(signature=[-1, 3, 3, 1]).to_bytes())
    rng = np.random.default_rng(seed)
    for i in range(flips):
        data = bytearray(base)
        for _ in range(1 + i % 4):
            at = int(rng.integers(0, len(data)))
            data[at] ^= 1 << int(rng.integers(0, 8))
        yield f"flip_{i:04d}", bytes(data)
    if skipped:
        print("not possible with this base:", " ".join(skipped))


# What is committed as the fuzzer's first corpus.
CORPUS = """
bad_empty bad_truncated_at_8 bad_identifier_wrong bad_count_buffers_4g
bad_count_tensors_1g bad_count_weights_data_4g bad_offset_root_past_end
bad_offset_subgraph_self bad_offset_shape_wraps bad_subgraph_is_the_model
bad_vtable_size_odd bad_vtable_outside bad_index_op_input_999
bad_index_op_output_minus_1 bad_index_buffer_999 bad_dim_zero
bad_dim_negative bad_dim_2g maybe_shape_signature_dynamic
bad_operator_unknown_999 bad_custom_operator bad_type_string
bad_type_complex64 bad_weights_shape_larger_than_data
bad_weights_shape_overflows_32_bits bad_reads_tensor_made_later
bad_scale_nan bad_stride_zero
""".split()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], epilog=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outdir")
    parser.add_argument("--base", default=DIGITS,
                        help="the model to break (default: the digits one)")
    parser.add_argument("--tiny", action="store_true",
                        help="break a tiny two-operator model instead")
    parser.add_argument("--corpus", action="store_true",
                        help="the committed selection: tiny base, seeds too")
    parser.add_argument("--seeds", action="store_true",
                        help="also write the valid tiny models")
    parser.add_argument("--truncations", type=int, default=64)
    parser.add_argument("--flips", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.tiny or args.corpus:
        base = tiny_model().to_bytes()
    else:
        with open(args.base, "rb") as f:
            base = f.read()
    os.makedirs(args.outdir, exist_ok=True)
    files = dict(all_files(base, args.truncations, args.flips, args.seed))
    if args.corpus:
        files = {name: files[name] for name in CORPUS}
    if args.seeds or args.corpus:
        files.update((f"valid_{name}", model.to_bytes())
                     for name, model in seed_models())
    for name, data in files.items():
        with open(os.path.join(args.outdir, name + ".tflite"), "wb") as f:
            f.write(data)
    print(f"{len(files)} files, {sum(map(len, files.values()))} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
