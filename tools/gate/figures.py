"""figures.py - tables of measurements in pages that are otherwise written by
hand, from the files that bench/devices and bench/compare write:

  examples/firmware/README.md   bench/devices.csv, bench/profiles.csv
  docs/kernels.md               bench/compare.csv, cycles.csv, layers.csv
  docs/comparison.md            these, bench/results.csv, bench/packing.csv
  README.md                     the first table, bench/devices.csv, live.csv
"""
import csv
import math
import re

from pages import ROOT, fill, table

MODELS = {"ad01": "ad01_int8", "kws": "kws_ref_model_int8",
          "vww": "vww_96_int8", "ic (ResNet-8)": "ic_resnet8_int8"}
M4, M55, RV64 = "mps2-an386", "mps3-an547", "riscv-virt64"
BOARDS = {"Cortex-M4": M4, "Cortex-M55": M55}
# Of TFLite Micro with CMSIS-NN: instructions, flash of image and model, arena,
# on Cortex-M4 (gcc 12 -O2) and Cortex-M55 (clang 19 -O3).
THEIRS = {
    "ad01": {M4: (582864, 306416, 2580), M55: (64625, 298440, 9268)},
    "kws": {M4: (7699733, 108144, 22820), M55: (1756556, 99464, 27348)},
    "vww": {M4: (24101542, 387496, 100708), M55: (6264001, 378816, 100772)},
    "ic (ResNet-8)": {M4: (29863146, 150504, 54996),
                      M55: (4576677, 140776, 55028)}}


def rows_of(name):
    with open(ROOT / "bench" / name, newline="") as f:
        return list(csv.DictReader(f))


def grouped(number):
    """Blanks between thousands."""
    return f"{int(number):,}".replace(",", " ")


def devices():
    return {(r["board"], r["model"], r["compiler"]): r
            for r in rows_of("devices.csv")}


def live():
    """Instructions by board of vww with every channel alive."""
    return {r["board"]: r["instructions"] for r in rows_of("live.csv")}


def instructions():
    ours = devices()
    rows = []
    for name, model in MODELS.items():
        counts = [ours[M4, model, "gcc"]["instructions"], THEIRS[name][M4][0],
                  ours[M55, model, "clang"]["instructions"],
                  THEIRS[name][M55][0],
                  ours[RV64, model, "clang"]["instructions"]]
        rows.append([name, *map(grouped, counts)])
        if name == "vww":
            counts[::2] = [live()[board] for board in (M4, M55, RV64)]
            rows.append(["vww, all channels alive", *map(grouped, counts)])
    return table(["model", "M4, ours", "M4, theirs", "M55, ours",
                  "M55, theirs", "RV64GCV, clang"], rows)


def memory():
    ours = devices()
    rows = []
    for name, model in MODELS.items():
        cells = [name]
        for board, compiler in ((M4, "gcc"), (M55, "clang")):
            row = ours[board, model, compiler]
            _, flash, arena = THEIRS[name][board]
            cells += map(grouped, [row["flash"], flash, row["ram"], arena])
        rows.append(cells)
    head = ["model"]
    for core in ("M4", "M55"):
        head += [f"{core} flash, ours", "theirs", f"{core} RAM, ours",
                 "arena alone, theirs"]
    return table(head, rows)


def modelled():
    """Of bench/devices --cycles."""
    names = {model: name for name, model in MODELS.items()}
    rows = []
    for r in rows_of("cycles.csv"):
        core = "Cortex-M4" if r["board"] == M4 else "Cortex-M55"
        cells = [f"{core}, {names[r['model']]}"]
        for figure in ("cycles", "strict", "weight_bytes"):
            if figure == "strict" and r["board"] == M4:
                cells += ["", "", ""]
                continue
            ours, theirs = int(r[figure]), int(r["their_" + figure])
            cells += [grouped(ours), grouped(theirs), f"{ours / theirs:.2f}"]
        rows.append(cells)
    return table(["core, model", "cycles", "CMSIS-NN", "ratio",
                  "cycles, late operands", "CMSIS-NN", "ratio",
                  "bytes of constants loaded", "CMSIS-NN", "ratio"], rows)


def profiles():
    levels = ("-Os", "-O2", "-O3")
    ours = {(r["board"], r["compiler"], r["level"]): r
            for r in rows_of("profiles.csv")
            if r["model"] == MODELS["ic (ResNet-8)"]}
    rows = []
    for core, board in BOARDS.items():
        for compiler in ("gcc", "clang"):
            rows.append([f"{core}, {compiler}"] + [
                grouped(ours[board, compiler, level][column])
                for column in ("instructions", "flash") for level in levels])
    return table(["board, compiler", "instructions -Os", "-O2", "-O3",
                  "flash -Os", "-O2", "-O3"], rows)


def by_kind():
    """Of bench/compare with the compiler that is best for each board; what
    costs most comes first."""
    best = {M4: "gcc", M55: "clang"}
    kinds = {}
    for r in rows_of("compare.csv"):
        if best[r["board"]] == r["compiler"]:
            kinds.setdefault(r["kind"], {})[r["board"]] = r
    rows = []
    for kind, on in sorted(kinds.items(),
                           key=lambda k: -int(k[1][M4]["theirs"])):
        cells = [kind.replace("_2d", "").replace("_", " "), on[M4]["layers"]]
        for board in (M4, M55):
            ratio = int(on[board]["ours"]) / int(on[board]["theirs"])
            cells += [f"{ratio:.2f}", on[board]["worst"]]
        rows.append(cells)
    return table(["kind", "layers", "Cortex-M4, gcc", "worst layer",
                  "Cortex-M55, clang", "worst layer"], rows)


def front(stored):
    """The opening of README.md: visual wake words on a Cortex-M4. `stored` is
    the bytes of constants in the model's file."""
    ours = devices()[M4, MODELS["vww"], "gcc"]
    instructions, flash, arena = THEIRS["vww"][M4]
    rows = [
        ["RAM, bytes", f"**{grouped(ours['ram'])}**: arenas, context and stack",
         f"{grouped(arena)}: the arena alone"],
        ["instructions of a run", f"**{grouped(ours['instructions'])}**",
         grouped(instructions)],
        ["the same, were all channels alive", f"{grouped(live()[M4])}",
         grouped(instructions)],
        ["flash, weights included, bytes", f"**{grouped(ours['flash'])}**",
         grouped(flash)],
        ["constants, bytes", f"**{grouped(ours['constants'])}**: weights that "
         "cannot change the result are removed", grouped(stored)],
        ["smallest possible arena", "proved", "not known"]]
    return table(["MLPerf Tiny visual wake words, int8, Cortex-M4", "Ashlar",
                  "TFLite Micro with CMSIS-NN"], rows)


def planners():
    """Of bench/run: portable kernels, the host's one memory."""
    rows = [[r["model"], *(grouped(r[k]) for k in (
        "arena", "bound", "first_fit", "greedy", "naive"))]
        for r in rows_of("results.csv")]
    return table(["model", "Ashlar", "lower bound", "largest first",
                  "greedy (heliaAOT's way)",
                  "no sharing"], rows)


def packing():
    """Of bench/packing.sh: MiniMalloc's own instances, at their capacity."""
    rows = [[r["instance"].split(".")[0], grouped(r["height"]), r["verdict"],
             r["seconds_at_capacity"], r["minimalloc_seconds"]]
            for r in rows_of("packing.csv") if r["minimalloc_seconds"]]
    return table(["instance", "smallest height", "verdict",
                  "Ashlar at capacity, s", "MiniMalloc at capacity, s"], rows)


def random_kind(layer):
    """What comes before the shape."""
    return re.match(r"(int16 )?\D*", layer)[0].strip()


def ratios(rows):
    """Layers, their geometric mean, the worst, how many above 1."""
    found = [int(r["ours"]) / int(r["theirs"]) for r in rows]
    if not found:
        return ["", "", ""]
    average = math.exp(sum(map(math.log, found)) / len(found))
    return [f"{average:.2f}", f"{max(found):.2f}",
            str(sum(x > 1 for x in found))]


def random_layers():
    """Of bench/layers, of layers that CMSIS-NN has a kernel for."""
    kinds = {"all": {M4: [], M55: []}}
    for r in rows_of("layers.csv"):
        if r["theirs"]:
            kind = kinds.setdefault(random_kind(r["layer"]), {M4: [], M55: []})
            kind[r["board"]].append(r)
            kinds["all"][r["board"]].append(r)
    rows = [[kind, str(len(on[M4])), *ratios(on[M4]), *ratios(on[M55])]
            for kind, on in sorted(kinds.items(),
                                   key=lambda k: (-len(k[1][M4]), k[0]))]
    return table(["kind", "layers", "Cortex-M4, gcc", "worst", "above 1",
                  "Cortex-M55, clang", "worst", "above 1"], rows)


PARTS = {"planners": planners, "packing": packing, "instructions": instructions, "memory": memory, "profiles": profiles,
         "layers against CMSIS-NN": by_kind, "modelled cycles": modelled,
         "random layers": random_layers}


def page(name):
    """The page with its tables as the measurements say."""
    return fill((ROOT / name).read_text(), lambda part, _: PARTS[part]())
