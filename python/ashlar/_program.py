"""The program as a child process: a model's plan is made there, so that many
threads plan at once, a time limit can end one, and no model can harm the
caller. What the program complains of becomes an exception."""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import typing

from ._errors import (AshlarError, ModelError, NoFit, OptionError,
                      Unsupported, remade)

USAGE = 64
# Exit codes as the library's statuses: docs/cli.md, ash_status.
STATUSES = {20: 30, USAGE: 2, 65: 20, 69: 21, 70: 90, 74: 10}
KINDS = {20: NoFit, USAGE: OptionError, 65: ModelError, 69: Unsupported}
ERROR_LINE = re.compile(r"(^|: )error( ASH\d+)?: ")


def find_program() -> typing.Optional[str]:
    """The path of the program, or None. PATH comes last: it may have only
    this package's own command, which asks here."""
    here = pathlib.Path(__file__).resolve().parent
    name = "ashlar.exe" if os.name == "nt" else "ashlar"
    if os.environ.get("ASHLAR_PROGRAM"):
        return os.environ["ASHLAR_PROGRAM"]
    tree = here.parent.parent
    for folder in (here / "_bin", tree / "build-shared" / "bin",
                   tree / "build" / "bin"):
        if (folder / name).is_file():
            return str(folder / name)
    found = shutil.which("ashlar")
    own = pathlib.Path(sys.prefix)
    if found and own not in pathlib.Path(found).resolve().parents:
        return found
    return None


def program() -> str:
    path = find_program()
    if not path:
        raise ImportError(
            "the program ashlar was not found: install a wheel (make wheel), "
            "build it with make, or set ASHLAR_PROGRAM to its path")
    return path


def errors_in(lines: typing.Sequence[str]) -> "list[str]":
    """The lines that are errors, each with the hint that follows it."""
    found: "list[str]" = []
    for before, line in zip(["", *lines], lines):
        if ERROR_LINE.search(line) or line.startswith("ashlar"):
            found.append(line)
        elif found and before == found[-1] and line.startswith("  hint"):
            found[-1] += f" ({line.strip()})"
    return found


def failure(code: int, said: str) -> AshlarError:
    lines = said.splitlines()
    errors = errors_in(lines) or lines[-1:]
    if code < 0:
        errors = [f"the program was ended by signal {-code}", *errors]
    return remade(KINDS.get(code, AshlarError), "; ".join(errors),
                  STATUSES.get(code, 90), lines)


def run(command: str, *arguments: str, data: typing.Optional[bytes] = None,
        timeout: typing.Optional[float] = None,
        good: typing.Container[int] = (0,)) -> "tuple[bytes, list[str]]":
    """What the program printed, and the lines it said besides."""
    try:
        done = subprocess.run(
            [program(), command, *arguments], input=data,
            stdin=None if data is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
            env=dict(os.environ, NO_COLOR="1"))
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"ashlar {command} did not end within {timeout} "
                           "seconds") from None
    said = done.stderr.decode(errors="replace")
    if done.returncode not in good:
        raise failure(done.returncode, said)
    return done.stdout, said.splitlines()


def run_json(command: str, *arguments: str, **how: typing.Any):
    """The same, with the output read as JSON."""
    out, said = run(command, *arguments, **how)
    return json.loads(out), said


def main() -> typing.NoReturn:
    """The command `ashlar` of an installed wheel."""
    path = program()
    if os.name == "nt":
        sys.exit(subprocess.run([path, *sys.argv[1:]]).returncode)
    os.execv(path, ["ashlar", *sys.argv[1:]])
