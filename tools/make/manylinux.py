"""The manylinux tag (PEP 600) that is true for ELF files: the newest version of
glibc whose symbols they want, and no library that a system may lack."""
import re
import struct

# Libraries that PEP 600 lets a wheel expect (those of glibc).
ALLOWED = re.compile(r"(lib(c|m|dl|pthread|rt|util)\.so\.\d+"
                     r"|ld-linux-[\w-]+\.so\.\d+)$")
MACHINES = {62: "x86_64", 183: "aarch64"}
SHT_DYNAMIC, SHT_VERNEED, DT_NEEDED = 6, 0x6ffffffe, 1


class Refused(Exception):
    """No tag is true for the file."""


class Elf:
    """Sections of a 64-bit little-endian ELF file."""

    def __init__(self, path):
        self.path, self.bytes = path, path.read_bytes()
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise Refused(f"{path}: not a 64-bit little-endian ELF file")
        self.machine = self.at("<H", 18)[0]
        start, = self.at("<Q", 40)
        size, count = self.at("<HH", 58)
        self.sections = [self.at("<IIQQQQIIQQ", start + i * size)
                         for i in range(count)]

    def at(self, form, offset):
        return struct.unpack_from(form, self.bytes, offset)

    def text(self, table, index):
        start = self.sections[table][4] + index
        return self.bytes[start:self.bytes.index(b"\0", start)].decode()

    def of_type(self, kind):
        return [s for s in self.sections if s[1] == kind]


def needed(elf):
    """Names of the libraries that the file wants."""
    names = []
    for section in elf.of_type(SHT_DYNAMIC):
        for at in range(section[4], section[4] + section[5], 16):
            tag, value = elf.at("<qQ", at)
            if tag == DT_NEEDED:
                names.append(elf.text(section[6], value))
    return names


def versions(elf):
    """(library, version) of the symbols that the file wants."""
    found = set()
    for section in elf.of_type(SHT_VERNEED):
        at = section[4]
        for _ in range(section[7]):
            _, count, name, first, after = elf.at("<HHIII", at)
            entry = at + first
            for _ in range(count):
                _, _, _, version, following = elf.at("<IHHII", entry)
                found.add((elf.text(section[6], name),
                           elf.text(section[6], version)))
                entry += following
            at += after
    return found


def tag(paths):
    """The tag of a wheel that holds these files."""
    newest, machines = (2, 17), set()
    own = {p.name for p in paths}
    for path in paths:
        elf = Elf(path)
        machines.add(MACHINES.get(elf.machine, f"machine {elf.machine}"))
        for name in needed(elf):
            if name not in own and not ALLOWED.match(name):
                raise Refused(f"{path}: wants {name}, which manylinux does not "
                              "promise; link it statically")
        for library, version in versions(elf):
            match = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version)
            if not match:
                raise Refused(f"{path}: wants {version} of {library}")
            newest = max(newest, (int(match[1]), int(match[2])))
    if len(machines) != 1:
        raise Refused(f"files for several machines: {sorted(machines)}")
    return "manylinux_{}_{}_{}".format(*newest, machines.pop())
