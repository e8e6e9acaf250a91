"""libyaml's source, for builds that cannot use this machine's library: from
$LIBYAML_SOURCE, or from the Debian mirror that this machine uses."""
import hashlib
import os
import pathlib
import subprocess
import tarfile
import urllib.request

VERSION = "0.2.5"
SHA256 = "fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e"
SOURCES = ("api", "loader", "parser", "reader", "scanner")


class Missing(Exception):
    """It cannot be had here; the text says why."""


def address():
    """Where this machine's mirror keeps the source."""
    try:
        done = subprocess.run(
            ["apt-get", "download", "--print-uris", "libyaml-dev"],
            capture_output=True, text=True)
    except OSError:
        raise Missing("libyaml's source is fetched with apt-get, which is not "
                      "here: set LIBYAML_SOURCE to its folder") from None
    if done.returncode:
        raise Missing("apt-get does not know libyaml-dev: " + done.stderr)
    uri = done.stdout.split("'")[1]
    return uri.rsplit("/", 1)[0] + f"/libyaml_{VERSION}.orig.tar.gz"


def source(work):
    """The folder of the source, fetched into `work` where it is not there."""
    given = os.environ.get("LIBYAML_SOURCE")
    folder = work / f"libyaml-{VERSION}"
    if given or folder.exists():
        return pathlib.Path(given or folder)
    packed = work / "libyaml.tar.gz"
    try:
        with urllib.request.urlopen(address(), timeout=60) as answer:
            packed.write_bytes(answer.read())
    except OSError as why:
        raise Missing(f"libyaml's source cannot be fetched: {why}") from None
    if hashlib.sha256(packed.read_bytes()).hexdigest() != SHA256:
        raise Missing("the source of libyaml is not the one we know")
    with tarfile.open(packed) as archive:
        archive.extractall(work)
    return folder


def flags(folder):
    """What its files are compiled with."""
    major, minor, patch = VERSION.split(".")
    return ["-w", "-I", folder / "include",
            f'-DYAML_VERSION_STRING="{VERSION}"',
            f"-DYAML_VERSION_MAJOR={major}", f"-DYAML_VERSION_MINOR={minor}",
            f"-DYAML_VERSION_PATCH={patch}"]
