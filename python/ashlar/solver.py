"""Placing buffers, without a model: ashlar.solve."""
from __future__ import annotations

import dataclasses
import numbers
import typing

from . import _native


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Bytes that are needed during [lower, upper)."""
    lower: int
    upper: int
    size: int
    alignment: int = 1
    offset: typing.Optional[int] = None  # fixed there


FIELDS = tuple(f.name for f in dataclasses.fields(Buffer))


@dataclasses.dataclass(frozen=True)
class Solution:
    """Where the buffers are, and what is proved."""
    offsets: "typing.Optional[list[int]]"  # None: nothing fits, or none found
    height: int
    lower_bound: int  # no placement is lower
    verdict: str      # optimal, feasible, infeasible, unknown
    ticks: int        # effort spent; the same everywhere


def _is_missing(value: object) -> bool:
    return value is None or value != value  # NaN: pandas' empty cell


def _integer(value: object, where: str) -> int:
    if isinstance(value, bool) or not (
            isinstance(value, numbers.Integral) or
            isinstance(value, numbers.Real) and value == float(value) // 1):
        raise TypeError(f"{where} must be an integer, not "
                        f"{type(value).__name__} ({value!r})")
    return int(value)  # type: ignore[call-overload]


def _checked(row: int, buffer: Buffer) -> Buffer:
    where = f"buffer {row}"
    lower, upper, size, alignment = (
        _integer(getattr(buffer, name), f"{where}: {name}")
        for name in FIELDS[:4])
    offset = None if _is_missing(buffer.offset) else _integer(
        buffer.offset, f"{where}: offset")
    if size < 0:
        raise ValueError(f"{where}: a size of {size}; it cannot be negative")
    if upper <= lower:
        raise ValueError(f"{where}: lives during [{lower}, {upper}), which is "
                         "no time at all")
    if alignment < 1:
        raise ValueError(f"{where}: an alignment of {alignment}; it is at "
                         "least 1")
    return Buffer(lower, upper, size, alignment, offset)


def _rows(buffers: typing.Any) -> typing.Iterator[Buffer]:
    if hasattr(buffers, "to_dict") and hasattr(buffers, "columns"):
        missing = [c for c in FIELDS[:3] if c not in buffers.columns]
        if missing:
            raise ValueError(f"the table has no column {missing[0]!r}; the "
                             "columns are lower, upper, size and, if wanted, "
                             "alignment and offset")
        buffers = buffers[[c for c in FIELDS if c in buffers.columns]]
        buffers = buffers.to_dict("records")
    for row, b in enumerate(buffers):
        try:
            if not isinstance(b, Buffer):
                b = Buffer(**b) if hasattr(b, "keys") else Buffer(*b)
        except TypeError:
            raise TypeError(
                f"buffer {row} must be a Buffer or (lower, upper, size[, "
                f"alignment[, offset]]), not {b!r}") from None
        yield _checked(row, b)


def solve(buffers: typing.Any, capacity: typing.Optional[int] = None,
          alignment: int = 1, minimise: bool = True, ticks: int = 0,
          seed: int = 0) -> Solution:
    """Places buffers: Buffer objects, tuples (lower, upper, size[, alignment[,
    offset]]), dictionaries, rows of a numpy array, or a pandas DataFrame with
    these columns. `capacity` is a limit; without one the smallest height is
    looked for. The same input gives the same answer everywhere."""
    if capacity is not None and _integer(capacity, "capacity") < 0:
        raise ValueError(f"a capacity of {capacity}")
    rows = [(b.lower, b.upper, b.size, max(b.alignment, alignment), b.offset)
            for b in _rows(buffers)]
    return Solution(*_native.place(rows, capacity, minimise, ticks, seed))
