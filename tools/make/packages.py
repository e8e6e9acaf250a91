"""Archives of a release: a .tar.gz to unpack anywhere and a Debian package,
from the same list of files. The same files make the same bytes: names are
sorted, owners and dates fixed."""
import gzip
import hashlib
import io
import pathlib
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATE = 315532800  # 1 January 1980
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}


def files(programs, licences):
    """[(name below the prefix, bytes, mode)]: programs, man pages and
    completions, kernels as sources, licences."""
    found = [(f"bin/{p.name}", p.read_bytes(), 0o755) for p in programs]
    for folder, where in (("share", "share"),
                          ("runtime", "share/ashlar/runtime")):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix != ".md":
                name = path.relative_to(ROOT / folder).as_posix()
                found.append((f"{where}/{name}", path.read_bytes(), 0o644))
    for path, called in [(ROOT / "LICENSE", "LICENSE"), *licences]:
        found.append((f"share/doc/ashlar/{called}", path.read_bytes(), 0o644))
    return sorted(found)


def folders(names):
    """Every folder on the way to these names, parents first."""
    return sorted({"/".join(name.split("/")[:k]) for name in names
                   for k in range(1, name.count("/") + 1)})


def tar_gz(root, members):
    """The bytes of an archive with everything below `root`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w",
                      format=tarfile.GNU_FORMAT) as archive:
        def add(name, data, mode, kind):
            info = tarfile.TarInfo(f"{root}/{name}")
            info.mtime, info.mode, info.type = DATE, mode, kind
            info.size, info.uname, info.gname = len(data), "root", "root"
            archive.addfile(info, io.BytesIO(data))
        for name in folders([name for name, _, _ in members]):
            add(name, b"", 0o755, tarfile.DIRTYPE)
        for name, data, mode in members:
            add(name, data, mode, tarfile.REGTYPE)
    return gzip.compress(packed.getvalue(), 9, mtime=0)


def control(version, machine, glibc, members):
    size = sum(len(data) for _, data, _ in members) // 1024 + 1
    return "\n".join([
        "Package: ashlar", f"Version: {version}",
        f"Architecture: {DEBIAN[machine]}",
        "Maintainer: The Ashlar authors <ashlar@example.com>",
        f"Depends: libc6 (>= {glibc})", f"Installed-Size: {size}",
        "Section: devel", "Priority: optional",
        "Description: compiler for neural networks on small devices",
        " Ashlar turns .tflite and .onnx models into C whose memory is planned",
        " ahead of time, and proves that no plan is smaller.", ""])


def deb(version, machine, glibc, members):
    """The bytes of a Debian package that installs below /usr."""
    under = [(f"usr/{name}", data, mode) for name, data, mode in members]
    sums = "".join(f"{hashlib.md5(data).hexdigest()}  {name}\n"
                   for name, data, _ in under)
    about = [("control", control(version, machine, glibc, members).encode(),
              0o644), ("md5sums", sums.encode(), 0o644)]
    out = b"!<arch>\n"
    for name, data in (("debian-binary", b"2.0\n"),
                       ("control.tar.gz", tar_gz(".", about)),
                       ("data.tar.gz", tar_gz(".", under))):
        out += f"{name:<16}{DATE:<12}0     0     100644  " \
               f"{len(data):<10}`\n".encode()
        out += data + b"\n" * (len(data) % 2)
    return out


def write(out, version, machine, glibc, members):
    """Both archives in the folder; returns their paths."""
    root = f"ashlar-{version}-linux-{machine}"
    made = []
    for name, data in (
            (f"{root}.tar.gz", tar_gz(root, members)),
            (f"ashlar_{version}_{DEBIAN[machine]}.deb",
             deb(version, machine, glibc, members))):
        made.append(out / name)
        made[-1].write_bytes(data)
    return made


def write_sums(out, paths):
    """SHA256SUMS, as `sha256sum -c` reads it."""
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n"
             for p in sorted(paths)]
    (out / "SHA256SUMS").write_text("".join(lines))
    return out / "SHA256SUMS"
