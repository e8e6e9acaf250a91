#!/usr/bin/env python3
"""Random test models for the operators beyond make_op_models.py.

The same options and files as make_op_models.py; the families are others.
Types: int8, uint8 and float32 where an operator computes; int32, int64 and
bool where models use them for sizes, indices and masks.
"""

import sys

import numpy as np

import litert_run
import make_op_models
from make_op_models import broadcast_shapes

BOTH = ("int8", "float32")
QUANT = ("int8", "uint8", "float32")


def data(c, shape, dtype=None):
    """Random constants of any type."""
    dtype = dtype or c.dtype
    if dtype == "float32":
        return c.rng.standard_normal(shape).astype(np.float32)
    if dtype == "bool":
        return c.rng.integers(0, 2, shape).astype(bool)
    low, high = {"int8": (-128, 128), "uint8": (0, 256)}.get(dtype,
                                                             (-50, 51))
    return c.rng.integers(low, high, shape).astype(dtype)


def nonzero_inputs(c, shapes, zero_points, cases=6):
    """Inputs in which the last tensor never means zero."""
    inputs = {}
    for k, shape in enumerate(shapes):
        values = np.stack([data(c, shape) for _ in range(cases)])
        if k == len(shapes) - 1:  # LiteRT also refuses a stored 0
            zero = zero_points[k] if c.dtype in ("int8", "uint8") else 0
            other = values.dtype.type(3 if zero != 3 else 4)
            values = np.where((values == 0) | (values == zero), other, values)
        inputs[f"input_{k}"] = values
    c.inputs = inputs


# ---- pairs -----------------------------------------------------------------

def pair(op, y_scale, out=None, same=False, act=False, safe=False):
    """Builder of a binary operator; `y_scale` gives the output's scale."""
    def build(c):
        a_shape, b_shape, y_shape = broadcast_shapes(c)
        a_quant = c.quant()
        b_quant = a_quant if same else c.quant()
        y_quant = a_quant if same else c.quant(
            y_scale(c, float(a_quant[0]), float(b_quant[0])))
        a = c.tensor("a", a_shape, a_quant)
        b = c.tensor("b", b_shape, b_quant)
        y = c.tensor("y", y_shape, y_quant, dtype=out)
        options = {}
        if act and c.dtype not in ("int32", "int64"):
            options["activation"] = c.activation()
        c.model.add_op(op, [a, b], [y], **options)
        if safe:
            zero = b_quant[1] + (128 if c.dtype == "uint8" else 0)
            nonzero_inputs(c, [a_shape, b_shape], [0, zero])
        return c.finish([a, b], [y])
    return build


def add_like(c, a, b):
    return 2.0 ** c.rng.uniform(-1, 1) * max(a, b)


def square_like(c, a, b):
    return 2.0 ** c.rng.uniform(3, 9) * max(a, b) ** 2


def div_like(c, a, b):
    return 2.0 ** c.rng.uniform(-5, 3) * a / b


def div_quantised(c):
    """Quotients of one half and more: below, LiteRT shifts by more than 31
    bits, which is undefined and gives arbitrary results."""
    a_shape, b_shape, y_shape = broadcast_shapes(c)
    a_quant, b_quant = c.quant(), c.quant()
    a_quant = (a_quant[0], int(c.rng.choice([-128, 127])))
    b_quant = (b_quant[0], int(c.rng.integers(-60, 61)))
    y_quant = c.quant(float(a_quant[0]) / float(b_quant[0])
                      * 2.0 ** c.rng.uniform(-3, 0.9))
    a = c.tensor("a", a_shape, a_quant)
    b = c.tensor("b", b_shape, b_quant)
    y = c.tensor("y", y_shape, y_quant)
    c.model.add_op("DIV", [a, b], [y], activation=c.activation())
    shift = 128 if c.dtype == "uint8" else 0
    far = c.rng.integers(64, 256, (6,) + a_shape)
    near = c.rng.integers(1, 60, (6,) + b_shape)
    near *= c.rng.choice([-1, 1], near.shape)
    left = a_quant[1] + far * (1 if a_quant[1] < 0 else -1) + shift
    right = b_quant[1] + near + shift
    right = np.where(right == 0, 2 * b_quant[1] + shift + 1, right)
    c.inputs = {"input_0": left.astype(c.dtype),
                "input_1": right.astype(c.dtype)}
    return c.finish([a, b], [y])


def div(c):
    if c.dtype in ("int8", "uint8"):
        return div_quantised(c)
    return pair("DIV", div_like, act=True, safe=True)(c)


def prelu(c):
    shape = c.shape(4, 1, 4)
    slopes = tuple(n if c.rng.random() < 0.7 else 1 for n in shape[1:])
    x_quant = c.quant()
    a_quant = (np.float32(2.0 ** c.rng.uniform(-10, -6)), c.quant()[1])
    y_quant = c.quant(float(x_quant[0]) * 2.0 ** c.rng.uniform(-1, 1))
    x = c.tensor("x", shape, x_quant)
    a = c.tensor("a", slopes, a_quant, data(c, slopes))
    y = c.tensor("y", shape, y_quant)
    c.model.add_op("PRELU", [x, a], [y])
    return c.finish([x], [y])


def compare(op):
    def build(c):
        a_shape, b_shape, y_shape = broadcast_shapes(c)
        a_quant, b_quant = (c.quant(2.0 ** c.rng.uniform(-8, -0.1))
                            for _ in range(2))
        if c.rng.random() < 0.5:
            b_quant = a_quant
        a = c.tensor("a", a_shape, a_quant)
        b = c.tensor("b", b_shape, b_quant)
        y = c.tensor("y", y_shape, dtype="bool")
        c.model.add_op(op, [a, b], [y])
        return c.finish([a, b], [y])
    return build


def logical_not(c):
    shape = c.shape(3)
    x, y = c.tensor("x", shape), c.tensor("y", shape)
    c.model.add_op("LOGICAL_NOT", [x], [y])
    return c.finish([x], [y])


# ---- one value at a time ---------------------------------------------------

def unary(op, x_scale, y_quant, inputs=None, **options):
    """Builder; `x_scale(c)`, `y_quant(c, x_quant)`, `inputs(c, shape, zero)`."""
    def build(c):
        shape = c.shape(int(c.rng.integers(1, 5)), 1, 5)
        x_quant = c.quant(x_scale(c))
        x = c.tensor("x", shape, x_quant)
        y = c.tensor("y", shape, y_quant(c, x_quant))
        values = {k: v(c) for k, v in options.items()}
        c.model.add_op(op, [x], [y], **values)
        if inputs:
            c.inputs = {"input_0": inputs(c, (6,) + shape, x_quant[1])}
        return c.finish([x], [y])
    return build


def power(low, high):
    return lambda c: 2.0 ** c.rng.uniform(low, high)


def near(low, high):
    """Output quantised around the input's scale."""
    return lambda c, x: c.quant(float(x[0]) * 2.0 ** c.rng.uniform(low, high))


def fixed(scale, zero):
    return lambda c, x: (np.float32(scale), zero)


def free(low, high):
    return lambda c, x: c.quant(2.0 ** c.rng.uniform(low, high))


def equal_or_near(c, x):
    if c.rng.random() < 0.4:
        return (x[0], c.quant()[1])
    return near(-1, 1)(c, x)


def positive(c, shape, zero):
    """Values that mean zero and more, and some more than that in float."""
    if c.dtype == "float32":
        return (c.rng.random(shape) * 10 + 1e-3).astype(np.float32)
    return c.rng.integers(zero, 128, shape).astype(np.int8)


def small(c, shape, zero):
    """For exp: not so large that LiteRT's conversion overflows."""
    if c.dtype == "float32":
        return (c.rng.standard_normal(shape) * 3).astype(np.float32)
    return data(c, shape)


def slope(c):
    return float(np.float32(c.rng.choice([0.01, 0.1, 0.2, 0.3, 1.5])))


ARITHMETIC = ("int8", "uint8", "float32", "int32")
COMPARED = ("int8", "uint8", "float32", "int32", "int64")
FAMILIES = [
    ("SUB", pair("SUB", add_like, act=True), ARITHMETIC + ("int64",)),
    ("DIV", div, ARITHMETIC),
    ("MINIMUM", pair("MINIMUM", None, same=True), ARITHMETIC),
    ("MAXIMUM", pair("MAXIMUM", None, same=True), ARITHMETIC),
    ("SQUARED_DIFFERENCE", pair("SQUARED_DIFFERENCE", square_like),
     ("int8", "float32", "int32")),
    ("FLOOR_DIV", pair("FLOOR_DIV", None, same=True, safe=True),
     ("float32", "int32")),
    ("FLOOR_MOD", pair("FLOOR_MOD", None, same=True, safe=True),
     ("float32", "int32", "int64")),
    ("PRELU", prelu, QUANT),
    ("EQUAL", compare("EQUAL"), COMPARED + ("bool",)),
    ("NOT_EQUAL", compare("NOT_EQUAL"), COMPARED + ("bool",)),
    ("LESS", compare("LESS"), COMPARED),
    ("LESS_EQUAL", compare("LESS_EQUAL"), COMPARED),
    ("GREATER", compare("GREATER"), COMPARED),
    ("GREATER_EQUAL", compare("GREATER_EQUAL"), COMPARED),
    ("LOGICAL_AND", compare("LOGICAL_AND"), ("bool",)),
    ("LOGICAL_OR", compare("LOGICAL_OR"), ("bool",)),
    ("LOGICAL_NOT", logical_not, ("bool",)),
    ("ABS", unary("ABS", power(-8, 0), equal_or_near),
     ("int8", "float32", "int32")),
    ("NEG", unary("NEG", power(-8, 0), near(-1, 1)),
     ("float32", "int32", "int64")),
    ("SIGN", unary("SIGN", power(-8, 0), near(-1, 1)), ("float32", "int32")),
    ("SQUARE", unary("SQUARE", power(-8, 0), near(-1, 1)), ("float32",)),
    ("SQRT", unary("SQRT", power(-8, 0), free(-8, -3), positive), BOTH),
    ("RSQRT", unary("RSQRT", power(-6, 2), free(-8, -3), positive), BOTH),
    ("EXP", unary("EXP", power(-8, -4.5), free(-6, 2), small), BOTH),
    ("LOG", unary("LOG", power(-8, 2), free(-6, -3), positive), BOTH),
    ("SIN", unary("SIN", power(-8, 0), near(-1, 1)), ("float32",)),
    ("COS", unary("COS", power(-8, 0), near(-1, 1)), ("float32",)),
    ("FLOOR", unary("FLOOR", power(-8, 0), near(-1, 1)), ("float32",)),
    ("CEIL", unary("CEIL", power(-8, 0), near(-1, 1)), ("float32",)),
    ("ROUND", unary("ROUND", power(-8, 0), near(-1, 1)), ("float32",)),
    ("RELU_0_TO_1", unary("RELU_0_TO_1", power(-8, -2), near(-1, 1)), QUANT),
    ("LEAKY_RELU", unary("LEAKY_RELU", power(-8, 0), near(-1, 1),
                         alpha=slope), QUANT),
    ("ELU", unary("ELU", power(-6, 0), near(-2, 1)), BOTH),
    ("GELU", unary("GELU", power(-6, 0), near(-2, 1),
                   approximate=lambda c: bool(c.rng.random() < 0.5)), QUANT),
    ("HARD_SWISH", unary("HARD_SWISH", power(-7, 1), near(-2, 2)), QUANT),
    ("LOG_SOFTMAX", unary("LOG_SOFTMAX", power(-7, 1), fixed(1 / 16, 127)),
     QUANT),
    ("L2_NORMALIZATION", unary("L2_NORMALIZATION", power(-7, 1),
                               fixed(1 / 128, 0)), QUANT),
]


# The reference resolver lacks these; the ordinary one has plain kernels.
NOT_IN_REFERENCE = {"CEIL", "ELU", "ROUND"}
REFERENCE_RUN = litert_run.run_model


def run_model(model_bytes, kind, cases, seed, inputs=None):
    """As in litert_run, for operators that the reference resolver lacks."""
    it = litert_run.interpreter(model_bytes, reference=False)
    litert_run.check_no_delegate(it)
    if inputs is None:
        inputs = litert_run.make_inputs(litert_run.input_details(it), kind,
                                        cases, seed)
    return inputs, litert_run.run(it, inputs)


def evaluate(case, seed, ordinary=make_op_models.evaluate):
    plain = case.op in NOT_IN_REFERENCE
    litert_run.run_model = run_model if plain else REFERENCE_RUN
    return ordinary(case, seed)


if __name__ == "__main__":
    make_op_models.FAMILIES[:] = FAMILIES
    make_op_models.evaluate = evaluate
    sys.exit(make_op_models.main())
