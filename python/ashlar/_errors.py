"""What goes wrong in a model or on a device. Mistakes of the caller are
Python's own exceptions: FileNotFoundError, TypeError, ValueError."""
from __future__ import annotations

import typing

MALFORMED, NOFIT = 20, 30  # ash_status


class AshlarError(Exception):
    """What went wrong. The text has the errors; `diagnostics` has every line
    that was said, oldest first, notes and warnings included; `status` is the
    library's (ash_status)."""

    def __init__(self, status: int, errors: typing.Sequence[str],
                 diagnostics: typing.Optional[typing.Sequence[str]] = None):
        super().__init__("; ".join(errors) or f"status {status}")
        self.status = status
        self.diagnostics = list(errors if diagnostics is None else diagnostics)

    def __reduce__(self):
        """Errors come back from other processes whole."""
        return (remade, (type(self), str(self), self.status,
                         self.diagnostics))


def remade(kind, text, status, diagnostics):
    """An error from its parts, whatever its constructor takes."""
    error = kind.__new__(kind)
    Exception.__init__(error, text)
    error.status, error.diagnostics = status, diagnostics
    return error


class NoFit(AshlarError):
    """Nothing is wrong, but the device has too little memory."""


class ModelError(AshlarError, ValueError):
    """A model, a target or a rule that says too little or contradicts itself."""

    def __init__(self, text: str):
        super().__init__(MALFORMED, [text])


class OptionError(AshlarError, ValueError):
    """An option with a value that the program does not take."""


class Unsupported(AshlarError, NotImplementedError):
    """The model is sound, but uses something that Ashlar does not have."""
