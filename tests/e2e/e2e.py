"""What the scripts of this folder share: result lines, temporary folders,
commands, arrays. Standard library only.

A script is a list of functions named test_...; their docstrings are the names
of the tests. They raise Failure or Skip, or return.
"""
import array
import ast
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(os.environ.get(
    "ROOT", pathlib.Path(__file__).resolve().parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build"))
ASHLAR = os.environ.get("ASHLAR", str(BUILD / "bin" / "ashlar"))
HERE = ROOT / "tests" / "e2e"
DIGITS = ROOT / "examples" / "digits" / "digits.tflite"
STRICT = ["-std=c99", "-ffreestanding", "-O2", "-Wall", "-Wextra",
          "-Wpedantic", "-Werror", "-ffp-contract=off"]


class Failure(Exception):
    """The test failed; the text says how."""


class Skip(Exception):
    """The test cannot run here; the text says why."""


def run(command, cwd=None, data=None, code=0, env=None):
    """Runs a command that must end with `code`; returns (out, err), bytes."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, input=data,
                          capture_output=True, env=env, timeout=600)
    if code is not None and done.returncode != code:
        raise Failure("exit code %d, not %d: %s\n%s\n%s" % (
            done.returncode, code, " ".join(str(c) for c in command),
            done.stdout[-3000:].decode(errors="replace"),
            done.stderr[-3000:].decode(errors="replace")))
    return done.stdout, done.stderr


def ashlar(*args, code=0):
    """Runs ashlar; returns what it printed and what it complained, as text."""
    out, err = run([ASHLAR, *args], code=code)
    return out.decode(), err.decode()


def need(program):
    """The path of a program, or the test is skipped."""
    path = shutil.which(program)
    if not path:
        raise Skip(f"{program} is not installed")
    return path


def python_with(*modules, registries=False):
    """The path of a Python that has these modules, or the test is skipped."""
    done = subprocess.run([ROOT / "tools" / "oracle-python",
                           *(["--registries"] if registries else []),
                           *modules], capture_output=True, text=True)
    if done.returncode:
        raise Skip(done.stderr.strip())
    return done.stdout.strip()


def shared_build():
    """Library and program of the Python package, in build-shared: built as for
    a wheel, and named for whoever imports the package."""
    sys.path.insert(0, str(ROOT / "python"))
    import ashlar_build
    import fcntl
    with open(ROOT / "build-shared.log", "w+b") as log:
        fcntl.flock(log, fcntl.LOCK_EX)  # several tests build it
        kept = os.dup(1)
        os.dup2(log.fileno(), 1)
        try:
            found = ashlar_build.cmake(ROOT / "build-shared")
        finally:
            os.dup2(kept, 1)
            os.close(kept)
    for path in found:
        kind = "PROGRAM" if path.stem == "ashlar" else "LIBRARY"
        os.environ["ASHLAR_" + kind] = str(path)
    return found


def check(condition, text):
    if not condition:
        raise Failure(text)


def load_npz(path):
    """{name: (shape, bytes)} of a .npz file."""
    arrays = {}
    with zipfile.ZipFile(path) as z:
        for name in z.namelist():
            f = io.BytesIO(z.read(name))
            check(f.read(6) == b"\x93NUMPY", f"{path}: {name} is no array")
            major = f.read(2)[0]
            size = int.from_bytes(f.read(2 if major == 1 else 4), "little")
            head = ast.literal_eval(f.read(size).decode("latin1"))
            arrays[name[:-4]] = (head["shape"], f.read())
    return arrays


def digits_record():
    """Inputs and expected outputs of the example, case after case."""
    folder = ROOT / "examples" / "digits"
    return (load_npz(folder / "digits_test.npz")["input_0"][1],
            load_npz(folder / "digits_expect.npz")["output_0"][1])


def main_flags(prefix):
    """Flags for model_main.c, the program that runs any module."""
    return [f"-DMODEL={prefix}", f"-DMODEL_UPPER={prefix.upper()}",
            f'-DMODEL_HEADER="{prefix}.h"']


def build_host(folder, sources, flags=(), program="program", cc="gcc"):
    """Compiles and links for this machine; returns the program's path."""
    path = pathlib.Path(folder) / program
    run([cc, "-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra",
         "-Wpedantic", "-Werror", *flags, f"-I{folder}", *sources, "-o", path,
         "-lm"])
    return path


def check_digits(program, what="the program"):
    """Runs a digits program over the record; all bytes must be equal."""
    given, expected = digits_record()
    got, _ = run([program], data=given)
    check(got == expected, f"{what} gave other outputs than recorded")


def to_float(data):
    values = array.array("f")
    values.frombytes(data)
    return values


def main(tests):
    """Runs every test_ function, in the order of the file."""
    failed = False
    only = sys.argv[1:]
    unknown = [name for name in only if name not in tests]
    if unknown:
        print(f"no test is called {', '.join(unknown)}", file=sys.stderr)
        return 64
    for key, test in list(tests.items()):
        if not key.startswith("test_") or (only and key not in only):
            continue
        name = " ".join((test.__doc__ or key).split())
        with tempfile.TemporaryDirectory(prefix="ashlar-e2e-") as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok {name}", flush=True)
            except Skip as why:
                print(f"skipped {name}: {why}", flush=True)
            except Exception as why:  # a bug of the script fails as well
                failed = True
                print(f"FAILED {name}", flush=True)
                print(f"{type(why).__name__}: {why}", file=sys.stderr)
    return 1 if failed else 0
