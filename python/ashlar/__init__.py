"""Ashlar from Python: place buffers, plan models, plan for other compilers.

    >>> import ashlar
    >>> ashlar.solve([(0, 2, 64), (1, 3, 32), (2, 4, 64)]).height
    96
    >>> ashlar.plan("digits.tflite", target="apollo510")["arenas"]

No build step: needs the shared library (cmake -DBUILD_SHARED_LIBS=ON), which
is found by the environment variable ASHLAR_LIBRARY or in the usual places.
"""
import dataclasses

from . import _native
from ._native import AshlarError, ModelError, NoFit
from .backend import (ArenaRole, ArenaUsage, AshlarPlanner, MemoryPlan,
                      TensorAllocation, TensorBinding, TensorLifetime)
from .models import ModelAdapter

__all__ = ["ArenaRole", "ArenaUsage", "AshlarError", "AshlarPlanner", "Buffer",
           "MemoryPlan", "ModelAdapter", "ModelError", "NoFit", "Solution",
           "TensorAllocation", "TensorBinding", "TensorLifetime", "plan",
           "solve", "version"]


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Bytes that are needed during [lower, upper)."""
    lower: int
    upper: int
    size: int
    alignment: int = 1
    offset: "int | None" = None  # fixed there


@dataclasses.dataclass(frozen=True)
class Solution:
    offsets: "list[int] | None"  # None: nothing fits, or nothing was found
    height: int
    lower_bound: int  # no placement is lower
    verdict: str      # optimal, feasible, infeasible, unknown
    ticks: int        # effort spent; the same everywhere


def solve(buffers, capacity=None, alignment=1, minimise=True, ticks=0, seed=0):
    """Places buffers: Buffer objects, or tuples (lower, upper, size[,
    alignment[, offset]]). `capacity` is a limit; without one the smallest
    height is looked for. The same input gives the same answer everywhere."""
    rows = []
    for b in buffers:
        b = b if isinstance(b, Buffer) else Buffer(*b)
        rows.append((b.lower, b.upper, b.size, max(b.alignment, alignment),
                     b.offset))
    return Solution(*_native.place(rows, capacity, minimise, ticks, seed))


def plan(model, target="host", planner=None, ticks=0, set=None):
    """The memory plan of a model file, as a dictionary (docs/plan-format.md).
    `set` changes sizes of memories: {"DTCM": 65536}. Raises NoFit when the
    device has too little memory."""
    return _native.plan_json(model, target, planner, ticks, set or {})


def version():
    """The library's version."""
    return _native.library().ash_version().decode()
