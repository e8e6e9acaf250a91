"""cycles.py - cycles of one inference, modelled from what was executed.

An emulator counts instructions, not cycles. This model takes the executed
paths (bench/paths.c), the disassembly of the image, and the latencies of
bench/latencies.csv, whose rows name their sources. Memory answers at once; a
board with wait states is slower by what it loads (`loads`). What the core does
in parallel beyond that table is left out: a model compares programs, it is not
a clock.
"""
import bisect
import csv
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CORES = {"mps2-an386": "cortex-m4", "mps3-an547": "cortex-m55"}
LINE = 64  # bytes, as in paths.c

BRANCH = re.compile(r"(b|bl|bx|blx|cbn?z|tb[bh])(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|"
                    r"hi|ls|ge|lt|gt|le)?(\.[nw])?$")
LOOP = re.compile(r"letp|le|lctp")
MANY = re.compile(r"(ldm|stm|push|pop|ldrd|strd|vldm|vstm|vpush|vpop)")
LOAD = re.compile(r"(ldr|vldr)")
STORE = re.compile(r"(str|vstr)")
CHAIN = re.compile(r"vf?n?m[la][as]?\.f")
VECTOR_MEMORY = re.compile(r"v(ld|st)")
VECTOR_MAC = re.compile(r"v(r?mul|r?ml|qr?dm[ul]|fm)")


def latencies(core):
    with open(HERE / "latencies.csv", newline="") as f:
        return {r["class"]: float(r["cycles"]) for r in csv.DictReader(f)
                if r["core"] == core}


def registers_of(mnemonic, operands):
    """How many words LDM and its relatives move."""
    if "{" not in operands:
        return 2  # LDRD, STRD
    count = 0
    for part in operands.split("{")[1].split("}")[0].split(","):
        ends = [int(x) for x in re.findall(r"\b[rsd](\d+)", part)]
        count += ends[1] - ends[0] + 1 if len(ends) == 2 else 1
    return count * (2 if re.search(r"{d\d", operands) else 1)


def vector_group(mnemonic, operands):
    """Of an instruction of 128 bits, else None. VPST and VCTP only set masks."""
    if not mnemonic.startswith("v") or not re.search(r"\bq\d", operands):
        return None
    if VECTOR_MEMORY.match(mnemonic):
        return "memory"
    return "mac" if VECTOR_MAC.match(mnemonic) else "alu"


class Instruction:
    """One line of the disassembly, with its cycles where it stands alone."""

    def __init__(self, core, mnemonic, operands):
        self.group = vector_group(mnemonic, operands)
        self.kind, self.taken = "scalar", False
        vectors = re.findall(r"\bq\d", operands)
        self.loads = vectors[:1] if self.group == "memory" and \
            mnemonic.startswith("vld") else []
        self.reads = vectors if self.group == "mac" else []
        if self.group:
            self.cycles, self.kind = core["vector"], "vector"
        elif LOOP.fullmatch(mnemonic) and "loop" in core:
            self.cycles = core["loop"]
        elif re.fullmatch(r"it[te]*", mnemonic):
            self.cycles = core["condition"]
        elif re.match(r"[su]div", mnemonic):
            self.cycles = core["division"]
        elif re.match(r"v(div|sqrt)", mnemonic):
            self.cycles = core["float division"]
        elif CHAIN.match(mnemonic):
            self.cycles = core["float chain"]
        elif MANY.match(mnemonic):
            self.cycles = core["many"] + core["each register"] * \
                registers_of(mnemonic, operands)
            self.taken = "pc" in operands.split("{")[-1]
        elif LOAD.match(mnemonic):
            self.cycles, self.kind = core["load"], "load"
            self.taken = operands.startswith("pc")
        elif STORE.match(mnemonic):
            self.cycles, self.kind = core["store"], "store"
        else:
            self.cycles = core["scalar"]
            self.taken = bool(BRANCH.fullmatch(mnemonic))


class Code:
    """The instructions of an image by address."""

    def __init__(self, core, text):
        self.core = core
        self.at, self.items = [], []
        for line in text.splitlines():
            cells = line.split("\t")
            if len(cells) < 3 or not re.fullmatch(r" *[0-9a-f]+:", cells[0]):
                continue
            operands = cells[3].split(";")[0].split("@")[0] \
                if len(cells) > 3 else ""
            mnemonic = cells[2].split()[0] if cells[2].split() else ""
            self.at.append(int(cells[0].strip(" :"), 16))
            self.items.append(Instruction(core, mnemonic, operands))

    def after(self, address):
        at = bisect.bisect_right(self.at, address)
        return self.at[at] if at < len(self.at) else None

    def block(self, first, last):
        a = bisect.bisect_left(self.at, first)
        b = bisect.bisect_left(self.at, last)
        if b == len(self.at) or self.at[a] != first or self.at[b] != last:
            raise ValueError(f"no instructions from {first:x} to {last:x}")
        return self.items[a:b + 1]


def cost(core, before, block, taken):
    """Cycles of a block after another, and those with late operands."""
    group = next((i.group for i in reversed(before) if i.group), None)
    last = before[-1] if before else None
    cycles = core["taken"] if taken and last and last.taken else 0
    late = 0
    for i in block:
        if i.group:
            pairs = group is not None and group != i.group
            cycles += core["other vector"] if pairs else i.cycles
            late += core["late operand"] * bool(
                last and set(last.loads) & set(i.reads))
            group = i.group
        elif i.kind == "load" and last and last.kind in ("load", "store"):
            cycles += core["next load"]
        else:
            cycles += i.cycles
        last = i
    return cycles, cycles + late


def model(core, disassembly, recorded):
    """Instructions, cycles, cycles with late operands, and bytes by line."""
    code = Code(latencies(core), disassembly)
    made, loads = {}, {}
    total = [0, 0.0, 0.0]
    for line in recorded.splitlines():
        words = line.split()
        if words[0] == "loads":
            loads[int(words[1], 16)] = int(words[2])
            continue
        first, last, to, end = (int(w, 16) for w in words[1:5])
        count = int(words[5])
        for key in ((first, last), (to, end)):
            if key not in made:
                made[key] = code.block(*key) if key[1] else []
        before, block = made[first, last], made[to, end]
        taken = bool(last) and code.after(last) != to
        cycles, strict = cost(code.core, before, block, taken)
        total[0] += count * len(block)
        total[1] += count * cycles
        total[2] += count * strict
    return total[0], round(total[1]), round(total[2]), loads


def loaded(loads, begin, size):
    """Bytes loaded from a range, of the lines that it touches."""
    return sum(n for line, n in loads.items()
               if begin - LINE < line < begin + size)


def build_plugin(folder):
    plugin = pathlib.Path(folder) / "paths.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
                    "-o", str(plugin), str(HERE / "paths.c")], check=True)
    return plugin


def plugin_options(plugin, out, cases):
    """For QEMU: the call of examples/firmware that is counted, not the ones
    that compare outputs and paint the stack."""
    return f"-plugin {plugin},out={out},function=model_run,call={cases + 2}"


def of_image(board, elf, recorded):
    """A row of figures of an image that was run with the plugin."""
    text = subprocess.run(
        ["arm-none-eabi-objdump", "-d", "-m", "armv8.1-m.main", str(elf)]
        if CORES[board] == "cortex-m55" else
        ["arm-none-eabi-objdump", "-d", str(elf)],
        check=True, text=True, capture_output=True).stdout
    count, cycles, strict, loads = model(CORES[board], text, recorded)
    symbols = subprocess.run(["arm-none-eabi-nm", "-S", "--defined-only",
                              str(elf)], check=True, text=True,
                             capture_output=True).stdout
    bytes_read = 0
    for line in symbols.splitlines():
        words = line.split()
        if len(words) == 4 and re.fullmatch(r"model_arena_const.*__blob",
                                            words[3]):
            bytes_read += loaded(loads, int(words[0], 16), int(words[1], 16))
    return {"instructions": count, "cycles": cycles, "strict": strict,
            "weight_bytes": bytes_read}
