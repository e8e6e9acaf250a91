"""The build backend of pyproject.toml (PEP 517, 660): CMake builds library and
program, this packs them with the package. It needs nothing from PyPI, so that
`pip install .` works without a network. tools/make/wheel uses it for wheels
that run elsewhere."""
import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "ashlar"
# What a build needs: the contents of a source distribution.
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cli",
           "cmake", "docs/python.md", "include", "python", "runtime", "src",
           "tools/embed.c", "viewer")
DATE = (1980, 1, 1, 0, 0, 0)  # the same input makes the same bytes


# ---- what pyproject.toml says -------------------------------------------------

def field(name):
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return re.search(rf'^{name} = "(.*)"$', text, re.M)[1]


def stem():
    return f"{field('name')}-{field('version')}"


def metadata():
    return "\n".join([
        "Metadata-Version: 2.4", f"Name: {field('name')}",
        f"Version: {field('version')}", f"Summary: {field('description')}",
        f"License-Expression: {field('license')}", "License-File: LICENSE",
        f"Requires-Python: {field('requires-python')}",
        "Provides-Extra: pandas", 'Requires-Dist: pandas; extra == "pandas"',
        "Description-Content-Type: text/markdown", "",
        (ROOT / "docs" / "python.md").read_text(encoding="utf-8")])


def entry_points():
    return f"[console_scripts]\nashlar = {field('ashlar')}\n"


# ---- library and program --------------------------------------------------------

def cmake(out, *options):
    """Library and program in the folder `out`, each of which finds the other
    where it lies."""
    beside = "@loader_path" if sys.platform == "darwin" else "$ORIGIN"
    for step in (["-S", ROOT, "-B", out, "-DBUILD_SHARED_LIBS=ON",
                  "-DASHLAR_BUILD_TESTS=OFF", "-DASHLAR_INSTALL=OFF",
                  "-DCMAKE_BUILD_TYPE=Release",
                  "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON",
                  f"-DCMAKE_INSTALL_RPATH={beside}",
                  f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={out / 'bin'}",
                  *options],
                 ["--build", out, "--target", "ashlar", "ashlar-program",
                  "-j", str(os.cpu_count() or 2)]):
        try:
            subprocess.run(["cmake", *map(str, step)], check=True)
        except FileNotFoundError:
            sys.exit("ashlar: CMake is needed to build from source; `apt "
                     "install cmake libyaml-dev gcc`, or install a wheel")
        except subprocess.CalledProcessError:
            sys.exit("ashlar: CMake could not build the library; what it "
                     "needs is above")
    names = ("libashlar.so", "libashlar.dylib", "libashlar.dll", "ashlar.dll",
             "ashlar", "ashlar.exe")
    return [out / "bin" / n for n in names if (out / "bin" / n).is_file()]


# ---- archives ------------------------------------------------------------------

def package_files():
    return [p for p in sorted(PACKAGE.rglob("*"))
            if p.is_file() and p.suffix in (".py", ".typed")]


class Wheel:
    """A wheel under way: files, and the record of them."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, DATE)
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        self.record.append(
            f"{name},sha256={digest.decode().rstrip('=')},{len(data)}")

    def close(self, info):
        name = f"{info}/RECORD"
        text = "\n".join([*self.record, f"{name},,", ""])
        self.add(name, text.encode())
        self.zip.close()


def write_wheel(folder, tag, files, binaries, licences=()):
    """Writes the wheel; `files` are (name in it, bytes), `binaries` go into
    the package."""
    name = f"{stem()}-py3-none-{tag}.whl"
    wheel, info = Wheel(pathlib.Path(folder) / name), f"{stem()}.dist-info"
    for where, data in files:
        wheel.add(where, data)
    for path in binaries:
        wheel.add(f"ashlar/_bin/{path.name}", path.read_bytes(), 0o755)
    wheel.add(f"{info}/METADATA", metadata().encode())
    wheel.add(f"{info}/WHEEL", (
        "Wheel-Version: 1.0\nGenerator: ashlar_build\n"
        f"Root-Is-Purelib: false\nTag: py3-none-{tag}\n").encode())
    wheel.add(f"{info}/entry_points.txt", entry_points().encode())
    for path, called in [(ROOT / "LICENSE", "LICENSE"), *licences]:
        wheel.add(f"{info}/licenses/{called}", path.read_bytes())
    wheel.close(info)
    return name


def own_files():
    return [(f"ashlar/{p.relative_to(PACKAGE).as_posix()}", p.read_bytes())
            for p in package_files()]


# ---- the hooks -------------------------------------------------------------------

def own_tag():
    """The platform that runs this; built here, it need run nowhere else."""
    return re.sub(r"[-.]", "_", sysconfig.get_platform())


def built(folder, files):
    with tempfile.TemporaryDirectory() as work:
        return write_wheel(folder, own_tag(), files,
                           cmake(pathlib.Path(work) / "build"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return built(wheel_directory, own_files())


def build_editable(wheel_directory, config_settings=None,
                   metadata_directory=None):
    """The package stays in the tree, which needs its own build folders."""
    path = str(ROOT / "python") + "\n"
    return write_wheel(wheel_directory, own_tag(),
                       [("ashlar_editable.pth", path.encode())], [])


def source_files():
    for name in SOURCES:
        path = ROOT / name
        for found in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if found.is_file() and "__pycache__" not in found.parts and \
                    "_bin" not in found.parts:
                yield found


def build_sdist(sdist_directory, config_settings=None):
    name = f"{stem()}.tar.gz"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        def add(where, data, mode):
            info = tarfile.TarInfo(f"{stem()}/{where}")
            info.size, info.mode = len(data), mode
            archive.addfile(info, io.BytesIO(data))
        add("PKG-INFO", metadata().encode(), 0o644)
        for path in source_files():
            add(path.relative_to(ROOT).as_posix(), path.read_bytes(),
                0o755 if os.access(path, os.X_OK) else 0o644)
    with open(pathlib.Path(sdist_directory) / name, "wb") as out:
        with gzip.GzipFile("", "wb", 9, out, mtime=0) as file:
            shutil.copyfileobj(io.BytesIO(packed.getvalue()), file)
    return name
