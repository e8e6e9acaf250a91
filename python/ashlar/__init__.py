"""Ashlar from Python: plan and compile models, place buffers, plan for other
compilers.

    >>> import ashlar
    >>> plan = ashlar.plan("digits.tflite", target="apollo510")
    >>> plan.activations
    3072
    >>> ashlar.solve([(0, 2, 64), (1, 3, 32), (2, 4, 64)]).height
    96

A wheel has the library and the program inside. In a source tree they are found
in its build folders; ASHLAR_LIBRARY and ASHLAR_PROGRAM name others.
"""
from ._errors import (AshlarError, ModelError, NoFit, OptionError,
                      Unsupported)
from ._native import version
from ._version import __version__
from .backend import (ArenaRole, ArenaUsage, AshlarPlanner, MemoryPlan,
                      TensorAllocation, TensorBinding, TensorLifetime)
from .commands import (Module, Plan, Table, compile, explain, fit, inspect,
                       plan, targets)
from .models import ModelAdapter
from .solver import Buffer, Solution, solve

__all__ = ["ArenaRole", "ArenaUsage", "AshlarError", "AshlarPlanner", "Buffer",
           "MemoryPlan", "ModelAdapter", "ModelError", "Module", "NoFit",
           "OptionError", "Plan", "Solution", "Table", "TensorAllocation",
           "TensorBinding", "TensorLifetime", "Unsupported", "__version__",
           "compile", "explain", "fit", "inspect", "plan", "solve", "targets",
           "version"]


def __dir__():
    return __all__
