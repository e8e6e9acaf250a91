"""Keyword arguments as options of the program. PlanOptions has every option of
the commands that plan (docs/cli.md), `-` written as `_`."""
from __future__ import annotations

import difflib
import numbers
import os
import pathlib
import typing

if typing.TYPE_CHECKING:
    PathLike = typing.Union[str, "os.PathLike[str]"]
    Size = typing.Union[int, str]


class PlanOptions(typing.TypedDict, total=False):
    """What plan, compile, fit and explain take besides a model and a target."""
    set: "typing.Mapping[str, Size]"       # {"DTCM": 65536} or {"DTCM": "64K"}
    budget: "typing.Mapping[str, Size]"    # at most so many bytes of a memory
    rules: "typing.Union[PathLike, typing.Sequence[PathLike]]"  # YAML files
    rule: "typing.Union[str, typing.Sequence[str]]"  # "type=constant memory=X"
    input_shape: "typing.Mapping[str, typing.Sequence[int]]"
    input_type: "typing.Union[str, typing.Mapping[str, str]]"
    output_type: "typing.Union[str, typing.Mapping[str, str]]"
    constant: "typing.Mapping[str, typing.Sequence[float]]"
    custom: "typing.Union[str, typing.Sequence[str]]"
    state: "typing.Mapping[str, str]"      # {"present": "past"}: kept
    no_pass: "typing.Union[str, typing.Sequence[str]]"
    integers: bool
    order: str                             # auto, given, operators, rows
    moves: str                             # auto, never, fit, smallest
    order_ticks: int
    feed: "typing.Union[str, typing.Sequence[str]]"
    drain: "typing.Union[str, typing.Sequence[str]]"
    overlap: bool
    no_views: bool
    no_slices: bool
    no_in_place: bool
    no_concat: bool
    planner: str
    planner_timeout: int
    ticks: int
    seed: int
    kernels: str                           # auto, portable, cmsis-nn
    fast_math: bool
    cores: "typing.Union[int, str]"        # 2 or "all"
    default_memory: str
    io_memory: str
    buffering: "typing.Union[int, str]"
    no_residents: bool
    tile_search: str
    tile_alloc: str


def _wrong(name: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"{name} must be {wanted}, not "
                     f"{type(value).__name__} ({value!r})")


def _text(name, value):
    if not isinstance(value, str):
        raise _wrong(name, "a text", value)
    return [value]


def _number(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise _wrong(name, "an integer", value)
    if value < 0:
        raise ValueError(f"{name} must not be negative, it is {value}")
    return [str(int(value))]


def _text_or_number(name, value):
    return _text(name, value) if isinstance(value, str) else _number(
        name, value)


def _texts(name, value):
    values = [value] if isinstance(value, str) else value
    try:
        return [_text(name, v)[0] for v in values]
    except TypeError:
        raise _wrong(name, "a text or a list of texts", value) from None


def _files(name, value):
    values = [value] if isinstance(value, (str, os.PathLike)) else value
    try:
        return [str(existing(v, name)) for v in values]
    except TypeError:
        raise _wrong(name, "a path or a list of paths", value) from None


def _pairs(name, value, wanted, show):
    if not hasattr(value, "items"):
        raise _wrong(name, wanted, value)
    found = []
    for key, what in value.items():
        if not isinstance(key, str):
            raise _wrong(f"a key of {name}", "a text", key)
        found.append(f"{key}={show(f'{name}[{key!r}]', what)}")
    return found


def _sizes(name, value):
    return _pairs(name, value, "a dictionary like {'DTCM': 65536}",
                  lambda n, v: _text_or_number(n, v)[0])


def _values(name, value):
    def show(where, values):
        try:
            return ",".join(f"{v:g}" if isinstance(v, float) else str(int(v))
                            for v in values)
        except (TypeError, ValueError):
            raise _wrong(where, "a list of numbers", values) from None
    return _pairs(name, value, "a dictionary like {'input': [1, 3, 32, 32]}",
                  show)


def _types(name, value):
    if isinstance(value, str):
        return [value]
    return _pairs(name, value, "a type like 'int8', or a dictionary of them",
                  lambda n, v: _text(n, v)[0])


def _names(name, value):
    return _pairs(name, value, "a dictionary like {'present': 'past'}",
                  lambda n, v: _text(n, v)[0])


def _flag(name, value):
    if not isinstance(value, bool):
        raise _wrong(name, "True or False", value)
    return value


WRITERS: "dict[str, typing.Callable]" = {
    **dict.fromkeys(("set", "budget"), _sizes),
    **dict.fromkeys(("input_shape", "constant"), _values),
    **dict.fromkeys(("input_type", "output_type"), _types),
    **dict.fromkeys(("rule", "custom", "no_pass", "feed", "drain"), _texts),
    **dict.fromkeys(("ticks", "order_ticks", "seed", "planner_timeout",
                     "apply"),
                    _number),
    **dict.fromkeys(("integers", "overlap", "no_views", "no_slices",
                     "no_in_place", "no_concat", "no_residents", "residency",
                     "step"), _flag),
    "rules": _files, "state": _names, "buffering": _text_or_number,
    "cores": _text_or_number}


def arguments(what: str, options: "typing.Mapping[str, typing.Any]",
              allowed: "typing.Collection[str]" = ()) -> "list[str]":
    """The command line of keyword arguments; None is as if left out."""
    known = [*PlanOptions.__annotations__, *allowed]
    found: "list[str]" = []
    for name, value in options.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{what}() has no option {name!r}{hint}")
        if value is None:
            continue
        written = WRITERS.get(name, _text)(name, value)
        option = "--" + name.replace("_", "-")
        if written is True:
            found.append(option)
        elif written:
            found += [f"{option}={text}" for text in written]
    return found


def existing(path: "PathLike", what: str) -> pathlib.Path:
    """A file that is there, or Python's exception for one that is not."""
    found = pathlib.Path(path)
    with open(found, "rb"):  # FileNotFoundError, IsADirectoryError, ...
        return found


def target_argument(target: "PathLike") -> "list[str]":
    if not isinstance(target, (str, os.PathLike)):
        raise _wrong("target", "a device's name or a path", target)
    text = os.fspath(target)
    if text.endswith((".yaml", ".yml", ".json")) or "/" in text:
        existing(text, "target")
    return [f"--target={text}"]


def model_argument(model: object) -> "tuple[str, typing.Optional[bytes]]":
    """A model as the program takes it: a file's path, or bytes for its
    standard input: bytes, an open file, or an object of the package onnx."""
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(existing(model, "model"))
        return (path if os.sep in path else f".{os.sep}{path}"), None
    if isinstance(model, (bytes, bytearray, memoryview)):
        return "-", bytes(model)
    for method in ("SerializeToString", "read"):
        if hasattr(model, method):
            data = getattr(model, method)()
            if isinstance(data, bytes):
                return "-", data
            raise TypeError("the file must be opened in binary mode ('rb')")
    raise TypeError("a model is a path, bytes, a file that is open for "
                    "reading, or an onnx.ModelProto, not "
                    f"{type(model).__name__}")
