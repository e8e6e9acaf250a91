"""The library through ctypes: structures, and calls that raise on failure.

Nothing is built: the shared library is looked for in ASHLAR_LIBRARY, inside
the package, in the build folder of a source tree, and where the system keeps
libraries.
"""
import ctypes
import ctypes.util
import os
import pathlib

from ._errors import NOFIT, AshlarError, NoFit

FREE_OFFSET = -2**63
VERDICTS = ("unknown", "feasible", "optimal", "infeasible")
ERROR = 2                  # ash_severity
NVM = 1                    # ash_memory_kind


class _Buffer(ctypes.Structure):
    _fields_ = [("lower", ctypes.c_int64), ("upper", ctypes.c_int64),
                ("size", ctypes.c_uint64), ("alignment", ctypes.c_uint64),
                ("offset", ctypes.c_int64), ("hint", ctypes.c_int64),
                ("gaps", ctypes.c_void_p), ("gap_count", ctypes.c_size_t)]


class _Problem(ctypes.Structure):
    _fields_ = [("buffers", ctypes.POINTER(_Buffer)),
                ("buffer_count", ctypes.c_size_t),
                ("relations", ctypes.c_void_p),
                ("relation_count", ctypes.c_size_t),
                ("capacity", ctypes.c_uint64), ("minimise", ctypes.c_bool)]


class _PlaceOptions(ctypes.Structure):
    """The first fields; struct_bytes says how many there are."""
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("ticks", ctypes.c_uint64),
                ("seed", ctypes.c_uint64)]


class _Result(ctypes.Structure):
    _fields_ = [("verdict", ctypes.c_int), ("reason", ctypes.c_int),
                ("height", ctypes.c_uint64), ("lower_bound", ctypes.c_uint64),
                ("offsets", ctypes.POINTER(ctypes.c_int64)),
                ("ticks", ctypes.c_uint64), ("witness_time", ctypes.c_int64),
                ("witness", ctypes.POINTER(ctypes.c_uint32)),
                ("witness_count", ctypes.c_size_t)]


class _Loc(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("line", ctypes.c_uint32),
                ("op", ctypes.c_uint32), ("op_kind", ctypes.c_char_p),
                ("op_name", ctypes.c_char_p), ("tensor", ctypes.c_uint32),
                ("tensor_name", ctypes.c_char_p), ("byte", ctypes.c_uint64)]


class _Diag(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_int), ("code", ctypes.c_int),
                ("id", ctypes.c_uint32), ("loc", _Loc),
                ("message", ctypes.c_char_p), ("hint", ctypes.c_char_p)]


class _Memory(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("description", ctypes.c_char_p),
                ("bytes", ctypes.c_uint64), ("kind", ctypes.c_int),
                ("base", ctypes.c_uint64),
                ("neighbours", ctypes.POINTER(ctypes.c_uint32)),
                ("neighbour_count", ctypes.c_uint32),
                ("alignment", ctypes.c_uint32),
                ("reserve_bytes", ctypes.c_uint64),
                ("reach_cpu", ctypes.c_bool), ("reach_dma", ctypes.c_bool),
                ("read_cost", ctypes.c_uint32),
                ("write_cost", ctypes.c_uint32),
                ("bank_bytes", ctypes.c_uint64),
                ("section_zeroed", ctypes.c_char_p),
                ("section_initialised", ctypes.c_char_p),
                ("section_code", ctypes.c_char_p),
                ("linkable", ctypes.c_bool), ("line", ctypes.c_uint32),
                ("is_set", ctypes.c_bool)]


class _Device(ctypes.Structure):
    """The first fields of a device, which are only read."""
    _fields_ = [("name", ctypes.c_char_p), ("description", ctypes.c_char_p),
                ("cpu", ctypes.c_char_p), ("features", ctypes.c_bool * 5),
                ("cores", ctypes.c_uint32), ("mhz", ctypes.c_uint32),
                ("alignment", ctypes.c_uint32),
                ("memories", ctypes.POINTER(_Memory)),
                ("memory_count", ctypes.c_uint32),
                ("default_memory", ctypes.c_uint32),
                ("compute_memory", ctypes.c_uint32),
                ("constant_memory", ctypes.c_uint32),
                ("order", ctypes.POINTER(ctypes.c_uint32)),
                ("order_count", ctypes.c_uint32)]


def find_library():
    """The path of libashlar, or None."""
    here = pathlib.Path(__file__).resolve().parent
    names = ("libashlar.so", "libashlar.dylib", "ashlar.dll")
    if os.environ.get("ASHLAR_LIBRARY"):
        return os.environ["ASHLAR_LIBRARY"]
    for folder in (here / "_bin", here.parent.parent / "build-shared" / "bin"):
        for name in names:
            if (folder / name).exists():
                return str(folder / name)
    return ctypes.util.find_library("ashlar")


_library = None


def library():
    """The loaded library; raises ImportError with what to do."""
    global _library
    if _library is None:
        path = find_library()
        if not path:
            raise ImportError(
                "libashlar was not found: install a wheel (make wheel), build "
                "it with cmake -DBUILD_SHARED_LIBS=ON, or set ASHLAR_LIBRARY "
                "to its path")
        _library = ctypes.CDLL(path)
        _library.ash_version.restype = ctypes.c_char_p
        _library.ash_ctx_diags.restype = ctypes.POINTER(_Diag)
        _library.ash_ctx_free.argtypes = [ctypes.c_void_p]
        _library.ash_ctx_free.restype = None
        _library.ash_diag_format.restype = ctypes.c_size_t
    return _library


class Context:
    """One context of the library; everything made in it dies with it."""

    def __init__(self):
        self.lib = library()
        self.handle = ctypes.c_void_p()
        status = self.lib.ash_ctx_new(ctypes.byref(self.handle), None)
        if status:
            raise MemoryError("libashlar: no memory")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.ash_ctx_free(self.handle)
        self.handle = None

    def diagnostics(self):
        """(is it an error, text) of every message, oldest first."""
        count = ctypes.c_size_t()
        diags = self.lib.ash_ctx_diags(self.handle, ctypes.byref(count))
        text = ctypes.create_string_buffer(2048)
        found = []
        for i in range(count.value):
            self.lib.ash_diag_format(text, ctypes.c_size_t(len(text)),
                                     ctypes.byref(diags[i]))
            found.append((diags[i].severity == ERROR,
                          text.value.decode(errors="replace")))
        return found

    def call(self, name, *args):
        """Calls a function that takes the context first."""
        status = getattr(self.lib, name)(self.handle, *args)
        if status:
            said = self.diagnostics()
            raise (NoFit if status == NOFIT else AshlarError)(
                status, [text for error, text in said if error],
                [text for _, text in said])


def place(buffers, capacity, minimise, ticks, seed):
    """(offsets or None, height, bound, verdict, ticks) of a problem. Each
    buffer: (lower, upper, size, alignment, offset or None)."""
    array = (_Buffer * max(1, len(buffers)))()
    for slot, (lower, upper, size, alignment, offset) in zip(array, buffers):
        slot.lower, slot.upper, slot.size = lower, upper, size
        slot.alignment = alignment
        slot.offset = FREE_OFFSET if offset is None else offset
        slot.hint = FREE_OFFSET
    problem = _Problem(array, len(buffers), None, 0, capacity or 0, minimise)
    options = _PlaceOptions(ctypes.sizeof(_PlaceOptions), ticks, seed)
    result = _Result()
    with Context() as ctx:
        ctx.call("ash_place", ctypes.byref(result), ctypes.byref(problem),
                 ctypes.byref(options))
        offsets = result.offsets[:len(buffers)] if result.offsets else None
        return (offsets, result.height, result.lower_bound,
                VERDICTS[result.verdict], result.ticks)


def device(name):
    """A device of the library, or a YAML file: what a target has."""
    with Context() as ctx:
        found = ctypes.POINTER(_Device)()
        ctx.call("ash_device_load", ctypes.byref(found), os.fsencode(name))
        d = found.contents
        memories = [d.memories[i] for i in range(d.memory_count)]
        names = [m.name.decode() for m in memories]
        return {"name": d.name.decode(),
                "memories": {n: max(0, m.bytes - m.reserve_bytes)
                             for n, m in zip(names, memories)},
                "read_only": {n for n, m in zip(names, memories)
                              if m.kind == NVM},
                "preferred_memory_order": [names[d.order[i]]
                                           for i in range(d.order_count)],
                "min_alignment": d.alignment}


def version() -> str:
    """The library's version."""
    return library().ash_version().decode()
