"""Makes the files next to it, with NumPy and zlib, for tests/unit/cli/test_npz.c.

usage: python3 make.py    (in this folder)
"""
import io
import struct
import zipfile
import zlib

import numpy as np


def ramp(dtype, shape):
    n = int(np.prod(shape))
    return (np.arange(n) % 100).reshape(shape).astype(dtype)


def types():
    arrays = {}
    for kind in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
        for order, name in (("<", "little"), (">", "big")):
            arrays[f"{kind}_{name}"] = ramp(order + kind, (2, 3))
    arrays["b1"] = np.array([True, False, True])
    arrays["scalar"] = np.array(-7, np.int32)
    arrays["empty"] = np.zeros((3, 0, 2), np.float32)
    arrays["fortran"] = np.asfortranarray(ramp(">i2", (2, 3, 4)))
    arrays["rank8"] = ramp("i1", (1, 2, 1, 2, 1, 2, 1, 2))
    np.savez("types.npz", **arrays)


def npy(array, version=(1, 0)):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def versions():
    for v in (1, 2, 3):
        with open(f"v{v}.npy", "wb") as f:
            f.write(npy(ramp("<f4", (5,)), (v, 0)))


def pattern():
    i = np.arange(3000, dtype=np.uint64)
    return ((i * i >> np.uint64(9)) & np.uint64(0x3F)).astype(np.uint8)


def zipped(path, members):
    """members: name, compressed bytes, method, content."""
    out, directory = b"", b""
    for name, packed, method, content in members:
        raw = name.encode()
        facts = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33,
                            zlib.crc32(content), len(packed), len(content),
                            len(raw), 0)
        directory += (b"PK\1\2" + struct.pack("<H", 20) + facts +
                      struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + raw)
        out += b"PK\3\4" + facts + raw + packed
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members),
                                  len(directory), len(out), 0)
    with open(path, "wb") as f:
        f.write(out + directory + end)


def deflated():
    content = npy(pattern())
    ways = {"stored": (0, zlib.Z_DEFAULT_STRATEGY),
            "fast": (1, zlib.Z_DEFAULT_STRATEGY),
            "best": (9, zlib.Z_DEFAULT_STRATEGY),
            "fixed": (9, zlib.Z_FIXED),
            "huffman": (9, zlib.Z_HUFFMAN_ONLY),
            "rle": (9, zlib.Z_RLE)}
    members = []
    for name, (level, strategy) in ways.items():
        c = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
        half = len(content) // 2
        packed = (c.compress(content[:half]) + c.flush(zlib.Z_FULL_FLUSH) +
                  c.compress(content[half:]) + c.flush())
        members.append((name + ".npy", packed, 8, content))
    zipped("deflated.npz", members)
    np.savez_compressed("zeros.npz", zeros=np.zeros(200000, np.int8))


class Pipe(io.RawIOBase):
    """A file that cannot seek: zipfile then writes data descriptors."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, b):
        self.data += bytes(b)
        return len(b)


def streamed():
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as z:
        with z.open("a.npy", "w") as f:
            f.write(npy(ramp("<i4", (7,))))
        z.comment = b"a comment"
    with open("streamed.npz", "wb") as f:
        f.write(pipe.data)


def zip64():
    limit = zipfile.ZIP64_LIMIT
    zipfile.ZIP64_LIMIT = 0
    with zipfile.ZipFile("zip64.npz", "w") as z:
        z.writestr("a.npy", npy(ramp("<i4", (7,))))
        z.writestr("b.npy", npy(ramp("<i2", (3,))))
        z.writestr("note.txt", b"not an array")
    zipfile.ZIP64_LIMIT = limit


types()
versions()
deflated()
streamed()
zip64()
