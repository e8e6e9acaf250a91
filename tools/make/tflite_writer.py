#!/usr/bin/env python3
"""Write .tflite files from Python without TensorFlow.

The tests need hundreds of tiny models with exact control over every field
(odd scales, missing biases, several subgraphs, deliberately wrong values).
A converter cannot give that control, so this module writes the FlatBuffer
directly with flatbuffers.Builder.  The field numbers of the file format are
facts of the format; they are listed in the small tables below.

The same calls in the same order always give the same bytes.

Example:

    m = Model("relu")
    x = m.add_tensor("x", (1, 4), "int8", scale=0.1, zero_point=0)
    y = m.add_tensor("y", (1, 4), "int8", scale=0.1, zero_point=0)
    m.add_op("RELU", [x], [y])
    m.set_io([x], [y])
    m.save("relu.tflite")
"""

import argparse

import flatbuffers
import numpy as np

# Tensor element types: name -> number in the file.
TYPES = {
    "float32": 0, "float16": 1, "int32": 2, "uint8": 3, "int64": 4,
    "string": 5, "bool": 6, "int16": 7, "complex64": 8, "int8": 9,
    "float64": 10, "complex128": 11, "uint64": 12, "uint32": 15,
    "uint16": 16, "int4": 17, "resource": 13,
}

ACTIVATIONS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3,
               "TANH": 4, "SIGN_BIT": 5}
PADDINGS = {"SAME": 0, "VALID": 1}

# Builtin operator codes.
BUILTINS = {
    "ADD": 0, "AVERAGE_POOL_2D": 1, "CONCATENATION": 2, "CONV_2D": 3,
    "DEPTHWISE_CONV_2D": 4, "DEPTH_TO_SPACE": 5, "DEQUANTIZE": 6, "FLOOR": 8,
    "FULLY_CONNECTED": 9, "L2_NORMALIZATION": 11, "LOGISTIC": 14,
    "MAX_POOL_2D": 17, "MUL": 18, "RELU": 19, "RELU_N1_TO_1": 20, "RELU6": 21,
    "RESHAPE": 22, "RESIZE_BILINEAR": 23, "SOFTMAX": 25, "SPACE_TO_DEPTH": 26,
    "SVDF": 27, "TANH": 28, "CUSTOM": 32, "PAD": 34, "GATHER": 36,
    "BATCH_TO_SPACE_ND": 37, "SPACE_TO_BATCH_ND": 38, "TRANSPOSE": 39,
    "MEAN": 40, "SUB": 41, "DIV": 42, "SQUEEZE": 43, "STRIDED_SLICE": 45,
    "EXP": 47, "TOPK_V2": 48, "SPLIT": 49, "LOG_SOFTMAX": 50, "CAST": 53,
    "PRELU": 54, "MAXIMUM": 55, "ARG_MAX": 56, "MINIMUM": 57, "LESS": 58,
    "NEG": 59, "PADV2": 60, "GREATER": 61, "GREATER_EQUAL": 62,
    "LESS_EQUAL": 63, "SELECT": 64, "SLICE": 65, "SIN": 66,
    "TRANSPOSE_CONV": 67, "TILE": 69, "EXPAND_DIMS": 70, "EQUAL": 71,
    "NOT_EQUAL": 72, "LOG": 73, "SUM": 74, "SQRT": 75, "RSQRT": 76,
    "SHAPE": 77, "POW": 78, "ARG_MIN": 79, "REDUCE_PROD": 81, "REDUCE_MAX": 82,
    "PACK": 83, "LOGICAL_OR": 84, "LOGICAL_AND": 86, "LOGICAL_NOT": 87,
    "UNPACK": 88, "REDUCE_MIN": 89, "FLOOR_DIV": 90, "REDUCE_ANY": 91,
    "SQUARE": 92, "FILL": 94, "FLOOR_MOD": 95, "RESIZE_NEAREST_NEIGHBOR": 97,
    "LEAKY_RELU": 98, "SQUARED_DIFFERENCE": 99, "MIRROR_PAD": 100, "ABS": 101,
    "SPLIT_V": 102, "CEIL": 104, "REVERSE_V2": 105, "GATHER_ND": 107,
    "COS": 108, "ELU": 111, "QUANTIZE": 114, "ROUND": 116, "HARD_SWISH": 117,
    "SELECT_V2": 123, "BATCH_MATMUL": 126, "CUMSUM": 128, "BROADCAST_TO": 130,
    "CALL_ONCE": 129, "REDUCE_ALL": 140, "VAR_HANDLE": 142,
    "READ_VARIABLE": 143, "ASSIGN_VARIABLE": 144, "GELU": 150, "RELU_0_TO_1": 152, "SIGN": 158,
}
_EXTENDED_CODE_MARK = 127  # what the old one-byte field holds for codes >= 127

# Field kinds used by the option tables: (builder call, default conversion).
_ENUMS = {"act": ACTIVATIONS, "pad": PADDINGS, "type": TYPES}

# Builtin options: operator -> (union number, [(slot, name, kind, default)]).
# The default is the one of the format: a field holding it is not stored.
_CONV = [(0, "padding", "pad", 0), (1, "stride_w", "i32", 0),
         (2, "stride_h", "i32", 0), (3, "activation", "act", 0),
         (4, "dilation_w", "i32", 1), (5, "dilation_h", "i32", 1)]
_DEPTHWISE = [(0, "padding", "pad", 0), (1, "stride_w", "i32", 0),
              (2, "stride_h", "i32", 0), (3, "depth_multiplier", "i32", 0),
              (4, "activation", "act", 0), (5, "dilation_w", "i32", 1),
              (6, "dilation_h", "i32", 1)]
_POOL = [(0, "padding", "pad", 0), (1, "stride_w", "i32", 0),
         (2, "stride_h", "i32", 0), (3, "filter_w", "i32", 0),
         (4, "filter_h", "i32", 0), (5, "activation", "act", 0)]
_REDUCE = [(0, "keep_dims", "bool", 0)]
OPTIONS = {
    "CONV_2D": (1, _CONV),
    "DEPTHWISE_CONV_2D": (2, _DEPTHWISE),
    "AVERAGE_POOL_2D": (5, _POOL),
    "MAX_POOL_2D": (5, _POOL),
    "FULLY_CONNECTED": (8, [(0, "activation", "act", 0),
                            (1, "weights_format", "i8", 0),
                            (2, "keep_num_dims", "bool", 0),
                            (3, "asymmetric_quantize_inputs", "bool", 0)]),
    "SOFTMAX": (9, [(0, "beta", "f32", 0.0)]),
    "CONCATENATION": (10, [(0, "axis", "i32", 0),
                           (1, "activation", "act", 0)]),
    "ADD": (11, [(0, "activation", "act", 0),
                 (1, "pot_scale_int16", "bool", 1)]),
    "RESIZE_BILINEAR": (15, [(2, "align_corners", "bool", 0),
                             (3, "half_pixel_centers", "bool", 0)]),
    "RESHAPE": (17, [(0, "new_shape", "vec_i32", None)]),
    "SPACE_TO_DEPTH": (19, [(0, "block_size", "i32", 0)]),
    "MUL": (21, [(0, "activation", "act", 0)]),
    "PAD": (22, []),
    "GATHER": (23, [(0, "axis", "i32", 0), (1, "batch_dims", "i32", 0)]),
    "TRANSPOSE": (26, []),
    "MEAN": (27, _REDUCE),
    "SUM": (27, _REDUCE),
    "REDUCE_MAX": (27, _REDUCE),
    "SUB": (28, [(0, "activation", "act", 0),
                 (1, "pot_scale_int16", "bool", 1)]),
    "DIV": (29, [(0, "activation", "act", 0)]),
    "SQUEEZE": (30, [(0, "squeeze_dims", "vec_i32", None)]),
    "STRIDED_SLICE": (32, [(0, "begin_mask", "i32", 0),
                           (1, "end_mask", "i32", 0),
                           (2, "ellipsis_mask", "i32", 0),
                           (3, "new_axis_mask", "i32", 0),
                           (4, "shrink_axis_mask", "i32", 0),
                           (5, "offset", "bool", 0)]),
    "SPLIT": (35, [(0, "num_splits", "i32", 0)]),
    "DEQUANTIZE": (38, []),
    "MAXIMUM": (39, []),
    "MINIMUM": (39, []),
    "ARG_MAX": (40, [(0, "output_type", "type", 0)]),
    "PADV2": (43, []),
    "SLICE": (48, []),
    "TRANSPOSE_CONV": (49, [(0, "padding", "pad", 0),
                            (1, "stride_w", "i32", 0),
                            (2, "stride_h", "i32", 0),
                            (3, "activation", "act", 0)]),
    "EXPAND_DIMS": (52, []),
    "PACK": (59, [(0, "values_count", "i32", 0), (1, "axis", "i32", 0)]),
    "UNPACK": (64, [(0, "num", "i32", 0), (1, "axis", "i32", 0)]),
    "RESIZE_NEAREST_NEIGHBOR": (74, [(0, "align_corners", "bool", 0),
                                     (1, "half_pixel_centers", "bool", 0)]),
    "LEAKY_RELU": (75, [(0, "alpha", "f32", 0.0)]),
    "SPLIT_V": (79, [(0, "num_splits", "i32", 0)]),
    "QUANTIZE": (89, []),
    "HARD_SWISH": (91, []),
    "DEPTH_TO_SPACE": (94, [(0, "block_size", "i32", 0)]),
    "REDUCE_MIN": (27, _REDUCE),
    "REDUCE_PROD": (27, _REDUCE),
    "REDUCE_ANY": (27, _REDUCE),
    "REDUCE_ALL": (27, _REDUCE),
    "CAST": (37, [(0, "in_data_type", "type", 0),
                  (1, "out_data_type", "type", 0)]),
    "ARG_MIN": (57, [(0, "output_type", "type", 0)]),
    "MIRROR_PAD": (77, [(0, "mode", "i8", 0)]),
    "BATCH_MATMUL": (101, [(0, "adj_x", "bool", 0),
                           (1, "adj_y", "bool", 0),
                           (2, "asymmetric_quantize_inputs", "bool", 0)]),
    "CUMSUM": (102, [(0, "exclusive", "bool", 0),
                     (1, "reverse", "bool", 0)]),
    "GELU": (116, [(0, "approximate", "bool", 0)]),
    "L2_NORMALIZATION": (12, [(0, "activation", "act", 0)]),
    "SHAPE": (55, [(0, "out_type", "type", 0)]),
    "SVDF": (6, [(0, "rank", "i32", 0), (1, "activation", "act", 0),
                 (2, "asymmetric_quantize_inputs", "bool", 0)]),
    "CALL_ONCE": (103, [(0, "init_subgraph_index", "i32", 0)]),
    "VAR_HANDLE": (111, [(0, "container", "text", None),
                         (1, "shared_name", "text", None)]),
    "READ_VARIABLE": (112, []),
    "ASSIGN_VARIABLE": (113, []),
    # No options table at all: RELU, RELU6, RELU_N1_TO_1, LOGISTIC, TANH, ...
}

# Operator version written when the caller gives none: (float32, int8).
# The format asks for the lowest version that knows the types in use.
VERSIONS = {
    "CONV_2D": (1, 3), "DEPTHWISE_CONV_2D": (1, 3), "FULLY_CONNECTED": (1, 4),
    "ADD": (1, 2), "MUL": (1, 2), "SUB": (1, 2), "AVERAGE_POOL_2D": (1, 2),
    "MAX_POOL_2D": (1, 2), "MEAN": (1, 2), "SOFTMAX": (1, 2), "PAD": (1, 2),
    "PADV2": (1, 2), "CONCATENATION": (1, 2), "DEQUANTIZE": (2, 2),
    "RELU": (1, 2), "RELU6": (1, 2), "LOGISTIC": (1, 2), "TANH": (1, 2),
    "STRIDED_SLICE": (1, 2), "TRANSPOSE": (1, 2), "SPLIT": (1, 2),
}


class _Tensor:
    """One tensor; plain values, turned into a table by _write_tensor."""

    def __init__(self, name, shape, dtype, buffer, scales, zero_points, axis,
                 is_variable, shape_signature):
        self.name = name
        self.shape = shape
        self.dtype = dtype
        self.buffer = buffer
        self.scales = scales
        self.zero_points = zero_points
        self.axis = axis
        self.is_variable = is_variable
        self.shape_signature = shape_signature
        self.sparsity = None  # (order, axes of blocks, levels): _write_sparsity


class _Op:
    """One operator; `custom` is the raw option bytes of a custom operator."""

    def __init__(self, code_index, kind, inputs, outputs, options, custom):
        self.code_index = code_index
        self.kind = kind
        self.inputs = inputs
        self.outputs = outputs
        self.options = options
        self.custom = custom
        self.intermediates = []  # tensors that only this operator names


class Subgraph:
    """One graph of a model.  Tensors are referred to by their index."""

    def __init__(self, model, name):
        self.model = model
        self.name = name
        self.tensors = []
        self.ops = []
        self.inputs = []
        self.outputs = []

    def add_tensor(self, name, shape, dtype, data=None, scale=None,
                   zero_point=None, axis=0, is_variable=False,
                   shape_signature=None, buffer=None):
        """Add a tensor and return its index.

        `scale` and `zero_point` are numbers (per tensor) or sequences (one
        per channel along `axis`).  `dtype` is a name from TYPES, or a plain
        integer to write a type number the format does not define.  `buffer`
        overrides the buffer index, which only tests of broken files need.
        """
        scales = _as_list(scale)
        zero_points = _as_list(zero_point)
        if scales and not zero_points:
            zero_points = [0] * len(scales)
        if buffer is None:
            buffer = 0
            if data is not None:
                buffer = self.model.add_buffer(_to_bytes(data, dtype))
        self.tensors.append(_Tensor(name, [int(d) for d in shape], dtype,
                                    buffer, scales, zero_points, axis,
                                    is_variable, shape_signature))
        return len(self.tensors) - 1

    def add_op(self, kind, inputs, outputs, version=None, custom_code=None,
               custom_options=b"", **options):
        """Add an operator by builtin name; -1 marks an absent input.

        With `custom_code` the operator is written as CUSTOM and
        `custom_options` are its raw bytes.  `kind` may be an integer to
        write an operator code the table does not know.
        """
        _, fields = OPTIONS.get(kind, (0, []))
        known = {name for _, name, _, _ in fields}
        unknown = set(options) - known
        if unknown:
            raise ValueError(f"{kind} has no option {sorted(unknown)}")
        if version is None:
            version = self._default_version(kind, inputs, outputs)
        code = self.model.op_code(kind, version, custom_code)
        custom = bytes(custom_options) if custom_code is not None else None
        self.ops.append(_Op(code, kind, list(inputs), list(outputs), options,
                            custom))
        return len(self.ops) - 1

    def set_io(self, inputs, outputs):
        """Name the tensors that are the graph's inputs and outputs."""
        self.inputs = list(inputs)
        self.outputs = list(outputs)

    def _default_version(self, kind, inputs, outputs):
        used = [i for i in list(inputs) + list(outputs)
                if 0 <= i < len(self.tensors)]
        quantised = any(self.tensors[i].dtype == "int8" for i in used)
        return VERSIONS.get(kind, (1, 1))[1 if quantised else 0]


class Model:
    """A whole .tflite file.  Its own add_* calls go to the first subgraph."""

    def __init__(self, description="", name="main"):
        self.description = description
        self.buffers = [b""]  # the format reserves buffer 0 for "no data"
        self.codes = []
        self.subgraphs = []
        self.metadata = []
        self.main = self.add_subgraph(name)

    def add_subgraph(self, name):
        graph = Subgraph(self, name)
        self.subgraphs.append(graph)
        return graph

    def add_buffer(self, data):
        self.buffers.append(bytes(data))
        return len(self.buffers) - 1

    def add_metadata(self, name, data):
        self.metadata.append((name, self.add_buffer(data)))

    def op_code(self, kind, version, custom_code=None):
        """Index of the operator code entry, shared between equal ones."""
        if custom_code is not None:
            number = BUILTINS["CUSTOM"]
        else:
            number = kind if isinstance(kind, int) else BUILTINS[kind]
        entry = (number, version, custom_code)
        if entry not in self.codes:
            self.codes.append(entry)
        return self.codes.index(entry)

    def add_tensor(self, *args, **kwargs):
        return self.main.add_tensor(*args, **kwargs)

    def add_op(self, *args, **kwargs):
        return self.main.add_op(*args, **kwargs)

    def set_io(self, inputs, outputs):
        self.main.set_io(inputs, outputs)

    def to_bytes(self, identifier=b"TFL3"):
        """Serialise; the same model always gives the same bytes."""
        b = flatbuffers.Builder(1024)
        buffers = _offsets(b, [_write_buffer(b, d) for d in self.buffers])
        codes = _offsets(b, [_write_code(b, *c) for c in self.codes])
        graphs = _offsets(b, [_write_subgraph(b, g) for g in self.subgraphs])
        metadata = None
        if self.metadata:
            metadata = _offsets(b, [_write_metadata(b, *entry)
                                    for entry in self.metadata])
        description = b.CreateString(self.description)
        b.StartObject(8)
        b.PrependUint32Slot(0, 3, 0)  # schema version of every .tflite file
        b.PrependUOffsetTRelativeSlot(1, codes, 0)
        b.PrependUOffsetTRelativeSlot(2, graphs, 0)
        b.PrependUOffsetTRelativeSlot(3, description, 0)
        b.PrependUOffsetTRelativeSlot(4, buffers, 0)
        if metadata is not None:
            b.PrependUOffsetTRelativeSlot(6, metadata, 0)
        b.Finish(b.EndObject(), file_identifier=identifier)
        return bytes(b.Output())

    def save(self, path):
        with open(path, "wb") as f:
            f.write(self.to_bytes())


def _as_list(value):
    if value is None:
        return []
    return list(np.atleast_1d(value))


def _to_bytes(data, dtype):
    """Little-endian bytes of a constant; raw bytes pass through unchanged."""
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    array = np.ascontiguousarray(data, dtype=np.dtype(dtype))
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def _bytes_vector(b, data, alignment):
    b.StartVector(1, len(data), alignment)
    b.head = b.Head() - len(data)
    b.Bytes[b.Head():b.Head() + len(data)] = data
    return b.EndVector()


def _numbers(b, values, dtype):
    return b.CreateNumpyVector(np.array(values, dtype=dtype))


def _offsets(b, offsets):
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return b.EndVector()


def _write_buffer(b, data):
    vector = _bytes_vector(b, data, 16) if data else None
    b.StartObject(3)
    if vector is not None:
        b.PrependUOffsetTRelativeSlot(0, vector, 0)
    return b.EndObject()


def _write_code(b, number, version, custom_code):
    custom = b.CreateString(custom_code) if custom_code is not None else None
    b.StartObject(4)
    b.PrependInt8Slot(0, min(number, _EXTENDED_CODE_MARK), 0)
    if custom is not None:
        b.PrependUOffsetTRelativeSlot(1, custom, 0)
    b.PrependInt32Slot(2, version, 1)
    b.PrependInt32Slot(3, number, 0)
    return b.EndObject()


def _write_metadata(b, name, buffer):
    text = b.CreateString(name)
    b.StartObject(2)
    b.PrependUOffsetTRelativeSlot(0, text, 0)
    b.PrependUint32Slot(1, buffer, 0)
    return b.EndObject()


def _write_quantization(b, t):
    scales = _numbers(b, t.scales, np.float32)
    zero_points = _numbers(b, t.zero_points, np.int64)
    b.StartObject(7)
    b.PrependUOffsetTRelativeSlot(2, scales, 0)
    b.PrependUOffsetTRelativeSlot(3, zero_points, 0)
    b.PrependInt32Slot(6, t.axis, 0)
    return b.EndObject()


def _write_places(b, values):
    """A vector of the union of int32, uint16 and uint8: (number, offset)."""
    kind = (3, np.uint8) if max(values, default=0) < 256 else (2, np.uint16)
    vector = _numbers(b, values, kind[1])
    b.StartObject(1)
    b.PrependUOffsetTRelativeSlot(0, vector, 0)
    return kind[0], b.EndObject()


def _write_level(b, level):
    """A size, or the segments and indices of a compressed level."""
    if isinstance(level, int):
        b.StartObject(6)
        b.PrependInt32Slot(1, level, 0)
        return b.EndObject()
    (kind, segments), (other, places) = (_write_places(b, v) for v in level)
    b.StartObject(6)
    b.PrependInt8Slot(0, 1, 0)
    b.PrependInt8Slot(2, kind, 0)
    b.PrependUOffsetTRelativeSlot(3, segments, 0)
    b.PrependInt8Slot(4, other, 0)
    b.PrependUOffsetTRelativeSlot(5, places, 0)
    return b.EndObject()


def _write_sparsity(b, order, blocks, levels):
    tables = _offsets(b, [_write_level(b, level) for level in levels])
    blocks = _numbers(b, blocks, np.int32)
    order = _numbers(b, order, np.int32)
    b.StartObject(3)
    b.PrependUOffsetTRelativeSlot(0, order, 0)
    b.PrependUOffsetTRelativeSlot(1, blocks, 0)
    b.PrependUOffsetTRelativeSlot(2, tables, 0)
    return b.EndObject()


def _write_tensor(b, t):
    name = b.CreateString(t.name)
    shape = _numbers(b, t.shape, np.int32)
    signature = None
    if t.shape_signature is not None:
        signature = _numbers(b, t.shape_signature, np.int32)
    quantization = _write_quantization(b, t) if t.scales else None
    sparsity = _write_sparsity(b, *t.sparsity) if t.sparsity else None
    number = t.dtype if isinstance(t.dtype, int) else TYPES[t.dtype]
    b.StartObject(9)
    b.PrependUOffsetTRelativeSlot(0, shape, 0)
    b.PrependInt8Slot(1, number, 0)
    b.PrependUint32Slot(2, t.buffer, 0)
    b.PrependUOffsetTRelativeSlot(3, name, 0)
    if quantization is not None:
        b.PrependUOffsetTRelativeSlot(4, quantization, 0)
    b.PrependBoolSlot(5, t.is_variable, False)
    if sparsity is not None:
        b.PrependUOffsetTRelativeSlot(6, sparsity, 0)
    if signature is not None:
        b.PrependUOffsetTRelativeSlot(7, signature, 0)
    b.PrependBoolSlot(8, True, False)  # shape [] means scalar, not "unknown"
    return b.EndObject()


def _write_options(b, kind, values):
    """Write the options table of `kind`; returns (union number, offset)."""
    number, fields = OPTIONS.get(kind, (0, []))
    if number == 0:
        return 0, None
    vectors = {slot: _numbers(b, values[name], np.int32)
               for slot, name, what, _ in fields
               if what == "vec_i32" and values.get(name) is not None}
    vectors.update({slot: b.CreateString(values[name])
                    for slot, name, what, _ in fields
                    if what == "text" and values.get(name) is not None})
    b.StartObject(max([slot + 1 for slot, _, _, _ in fields], default=0))
    for slot, name, what, default in fields:
        if what in ("vec_i32", "text"):
            if slot in vectors:
                b.PrependUOffsetTRelativeSlot(slot, vectors[slot], 0)
            continue
        value = values.get(name, default)
        if isinstance(value, str):
            value = _ENUMS[what][value]
        if what == "i32":
            b.PrependInt32Slot(slot, value, default)
        elif what == "f32":
            b.PrependFloat32Slot(slot, value, default)
        elif what == "bool":
            b.PrependBoolSlot(slot, bool(value), bool(default))
        else:
            b.PrependInt8Slot(slot, value, default)
    return number, b.EndObject()


def _write_op(b, op):
    inputs = _numbers(b, op.inputs, np.int32)
    outputs = _numbers(b, op.outputs, np.int32)
    custom = None
    between = (_numbers(b, op.intermediates, np.int32)
               if op.intermediates else None)
    if op.custom is not None:
        union, options = 0, None
        custom = _bytes_vector(b, op.custom, 4)
    else:
        union, options = _write_options(b, op.kind, op.options)
    b.StartObject(9)
    b.PrependUint32Slot(0, op.code_index, 0)
    b.PrependUOffsetTRelativeSlot(1, inputs, 0)
    b.PrependUOffsetTRelativeSlot(2, outputs, 0)
    if options is not None:
        b.PrependUint8Slot(3, union, 0)
        b.PrependUOffsetTRelativeSlot(4, options, 0)
    if custom is not None:
        b.PrependUOffsetTRelativeSlot(5, custom, 0)
    if between is not None:
        b.PrependUOffsetTRelativeSlot(8, between, 0)
    return b.EndObject()


def _write_subgraph(b, g):
    tensors = _offsets(b, [_write_tensor(b, t) for t in g.tensors])
    ops = _offsets(b, [_write_op(b, op) for op in g.ops])
    inputs = _numbers(b, g.inputs, np.int32)
    outputs = _numbers(b, g.outputs, np.int32)
    name = b.CreateString(g.name)
    b.StartObject(5)
    b.PrependUOffsetTRelativeSlot(0, tensors, 0)
    b.PrependUOffsetTRelativeSlot(1, inputs, 0)
    b.PrependUOffsetTRelativeSlot(2, outputs, 0)
    b.PrependUOffsetTRelativeSlot(3, ops, 0)
    b.PrependUOffsetTRelativeSlot(4, name, 0)
    return b.EndObject()


def main():
    parser = argparse.ArgumentParser(
        description="Write a one-operator demonstration model (the module is "
                    "meant to be imported; see its docstring).")
    parser.add_argument("out", help="the .tflite file to write")
    args = parser.parse_args()
    m = Model("demonstration")
    x = m.add_tensor("x", (1, 4), "int8", scale=0.1, zero_point=0)
    y = m.add_tensor("y", (1, 4), "int8", scale=0.1, zero_point=0)
    m.add_op("RELU", [x], [y])
    m.set_io([x], [y])
    m.save(args.out)


if __name__ == "__main__":
    main()
