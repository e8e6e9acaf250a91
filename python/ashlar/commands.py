"""The commands that people use from Python: plan, compile, inspect, fit,
explain, targets. Answers are dictionaries and lists with the keys of the
program's JSON (docs/plan-format.md), which also draw themselves in notebooks.
"""
from __future__ import annotations

import dataclasses
import html
import json
import os
import pathlib
import re
import typing

from . import _program
from ._options import (PlanOptions, arguments, model_argument,
                       target_argument)

if typing.TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    PathLike = typing.Union[str, "os.PathLike[str]"]

NO_FIT = 20


class Table(list):
    """Rows as dictionaries: a table in notebooks, a DataFrame on request."""

    def to_pandas(self) -> "pandas.DataFrame":
        import pandas
        return pandas.DataFrame(list(self))

    def _columns(self) -> "list[str]":
        return list(dict.fromkeys(key for row in self for key in row))

    def _repr_html_(self) -> str:
        columns = [c for c in self._columns()
                   if not any(isinstance(r.get(c), (dict, list)) for r in self)]
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        rows = "".join("<tr>" + "".join(
            f"<td>{html.escape(str(row.get(c, '')))}</td>" for c in columns) +
            "</tr>" for row in self)
        return (f"<table><thead><tr>{head}</tr></thead>"
                f"<tbody>{rows}</tbody></table>")


class Plan(dict):
    """A plan, with the keys of docs/plan-format.md. In a notebook it shows the
    report. `diagnostics` has what was said while it was made."""

    diagnostics: "list[str]" = []

    @property
    def activations(self) -> int:
        """Bytes of the arenas for activations, of all memories."""
        return self._bytes("scratch")

    @property
    def constants(self) -> int:
        """Bytes of constants."""
        return self._bytes("constant")

    def _bytes(self, role: str) -> int:
        return sum(a["size"] for a in self["arenas"] if a["role"] == role)

    @property
    def verdict(self) -> str:
        """optimal, or what else was proved."""
        return self["verdict"]

    def arenas(self) -> Table:
        return Table(self["arenas"])

    def tensors(self) -> Table:
        return Table(self["tensors"])

    def report(self, path: "typing.Optional[PathLike]" = None) -> str:
        """The page of `ashlar view`; written to a file if one is named."""
        page, _ = _program.run("view", "-", "-o", "-",
                               data=json.dumps(self).encode())
        if path is not None:
            pathlib.Path(path).write_bytes(page)
        return page.decode()

    def _repr_html_(self) -> str:
        return ('<iframe style="width: 100%; height: 44em; border: 0" '
                f'srcdoc="{html.escape(self.report(), quote=True)}">'
                "</iframe>")

    def __repr__(self) -> str:
        arenas = ", ".join(f"{a['role']} {a['size']} bytes of {a['memory']}"
                           for a in self["arenas"])
        return f"<ashlar.Plan of {self['model']}: {arenas}; {self.verdict}>"


@dataclasses.dataclass(frozen=True)
class Module:
    """Generated C in a folder, and the plan that it was made by."""
    folder: pathlib.Path
    plan: Plan

    @property
    def files(self) -> "list[pathlib.Path]":
        """All files that are in the folder now."""
        return sorted(p for p in self.folder.rglob("*") if p.is_file())

    def _repr_html_(self) -> str:
        return self.plan._repr_html_()


def _made_plan(answer, said) -> Plan:
    made = Plan(answer)
    made.diagnostics = said
    return made


def plan(model: object, target: "PathLike" = "host", *,
         apply: typing.Optional[int] = None,
         timeout: typing.Optional[float] = None,
         **options: "Unpack[PlanOptions]") -> Plan:
    """Where the memory of a model goes on a device.

    `model` is a path, bytes, an open file or an onnx.ModelProto; `target` the
    name of a device (ashlar.targets()) or a YAML file. Options are those of
    `ashlar plan`: set={"DTCM": "64K"}, order="rows", feed="image",
    overlap=True ... `apply` takes a fix by the number that `ashlar plan` gives
    it where the model does not fit, else that of what explain() lists. Raises NoFit when the device has too little memory,
    ModelError for a model that is damaged, Unsupported for one that uses what
    Ashlar does not have, TimeoutError after `timeout` seconds."""
    path, data = model_argument(model)
    return _made_plan(*_program.run_json(
        "plan", path, "--json", "-", *target_argument(target),
        *arguments("plan", {"apply": apply}, {"apply"}),
        *arguments("plan", options), data=data, timeout=timeout))


def compile(model: object, output: "PathLike", target: "PathLike" = "host", *,
            prefix: typing.Optional[str] = None,
            module: typing.Optional[str] = None,
            module_version: typing.Optional[str] = None,
            constants: typing.Optional[str] = None,
            specialise: typing.Optional[str] = None,
            residency: bool = False, step: bool = False,
            apply: typing.Optional[int] = None,
            timeout: typing.Optional[float] = None,
            **options: "Unpack[PlanOptions]") -> Module:
    """Writes a model as C into the folder `output`. `module` is a packaging:
    plain, cmake, zephyr, arduino ... (docs/generated-code.md)."""
    if not isinstance(output, (str, os.PathLike)):
        raise TypeError("output must be the path of a folder, not "
                        f"{type(output).__name__}")
    path, data = model_argument(model)
    own = {"prefix": prefix, "module": module, "constants": constants,
           "module_version": module_version, "specialise": specialise,
           "residency": residency, "step": step, "apply": apply}
    made = _made_plan(*_program.run_json(
        "compile", path, "--json", "-", f"--output={os.fspath(output)}",
        *target_argument(target), *arguments("compile", own, own),
        *arguments("compile", options), data=data, timeout=timeout))
    return Module(pathlib.Path(output), made)


def inspect(model: object, *,
            input_shape: "typing.Optional[typing.Mapping[str, typing.Sequence[int]]]" = None,
            input_type: "typing.Union[str, typing.Mapping[str, str], None]" = None,
            output_type: "typing.Union[str, typing.Mapping[str, str], None]" = None,
            constant: "typing.Optional[typing.Mapping[str, typing.Sequence[float]]]" = None,
            timeout: typing.Optional[float] = None
            ) -> "dict[str, typing.Any]":
    """What a model is made of: inputs, outputs, tensors and operators, with
    the keys of `ashlar inspect --json`. The options say what a model leaves
    open."""
    path, data = model_argument(model)
    options = {"input_shape": input_shape, "input_type": input_type,
               "output_type": output_type, "constant": constant}
    return _program.run_json("inspect", path, "--json",
                             *arguments("inspect", options), data=data,
                             timeout=timeout)[0]


def targets() -> Table:
    """The built-in devices, with their memories."""
    return Table(_program.run_json("targets", "--json")[0])


def fit(model: object, target: "typing.Optional[PathLike]" = None, *,
        timeout: typing.Optional[float] = None,
        **options: "Unpack[PlanOptions]") -> Table:
    """Which devices a model fits: a row for each, or for `target` alone; what
    would make it fit is in `fits_with`."""
    path, data = model_argument(model)
    where = target_argument(target) if target is not None else []
    answer, _ = _program.run_json(
        "fit", path, "--json", *where, *arguments("fit", options), data=data,
        timeout=timeout, good=(0, NO_FIT))
    return Table(answer)


def explain(model: object, target: "PathLike" = "host", *,
            timeout: typing.Optional[float] = None,
            **options: "Unpack[PlanOptions]") -> Table:
    """Why the arenas of a model are as large as they are, a row for each
    memory; or what a diagnostic means: explain("ASH5200")."""
    if isinstance(model, str) and re.fullmatch(r"ASH\d{4}", model):
        return Table(_program.run_json("explain", model, "--json")[0])
    path, data = model_argument(model)
    return Table(_program.run_json(
        "explain", path, "--json", *target_argument(target),
        *arguments("explain", options), data=data, timeout=timeout)[0])
