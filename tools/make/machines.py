"""Compilers for the machines that wheels and releases are made for, and what
they need there: libyaml as an archive, so that nothing but glibc is wanted."""
import pathlib
import platform
import shutil
import subprocess

import libyaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# CMake's options with which no path of this machine gets into a program: names
# of files in messages are those in the tree. A compiler cache may rewrite paths
# before the compiler sees them.
SAME_BYTES = [f"-DCMAKE_C_FLAGS=-ffile-prefix-map={ROOT}/=",
              "-DCMAKE_C_COMPILER_LAUNCHER="]
MACHINES = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise libyaml.Missing(f"{command[0]}: {done.stdout[-3000:]}")


def compiler(machine):
    native = platform.machine() == machine
    name = "cc" if native else MACHINES[machine] + "-gcc"
    if not shutil.which(name):
        raise libyaml.Missing(f"{name} is not installed (tools/install-deps "
                              "test)")
    return name


def static_yaml(cc, work):
    """libyaml.a for the machine that `cc` compiles for."""
    source = libyaml.source(work)
    objects = []
    for name in libyaml.SOURCES:
        objects.append(work / f"{cc}-{name}.o")
        run(cc, "-O2", "-fPIC", "-fvisibility=hidden", *libyaml.flags(source),
            f"-ffile-prefix-map={source}=libyaml", "-c", source / "src" / f"{name}.c", "-o", objects[-1])
    archive = work / f"{cc}-libyaml.a"
    archive.unlink(missing_ok=True)
    run("ar", "rcsD", archive, *objects)
    return source, archive


def cross(machine, work):
    """CMake's options for another machine; the embedding runs on this one."""
    if platform.machine() == machine:
        return []
    embed = work / "ashlar_embed"
    run("cc", "-O1", ROOT / "tools" / "embed.c", "-o", embed)
    return ["-DCMAKE_SYSTEM_NAME=Linux", f"-DASHLAR_EMBED={embed}",
            f"-DCMAKE_SYSTEM_PROCESSOR={machine}"]
