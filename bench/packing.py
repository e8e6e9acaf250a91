"""The packing solver on the instances in ../shared/data/packing.

For the eleven of MiniMalloc: the time at the given capacity (compared with
MiniMalloc when another program of that name is on the PATH) and the time to the
proven optimum over several seeds. For all others: height, bound, verdict,
time, peak memory. Random instances of 10^4 to 10^6 buffers are made here. What
was promised is looked at below the tables.

All times are processor time of one thread. SEEDS=0 leaves the eleven out;
ONLY=D,J takes these of them alone; then the table is not written.
"""
import csv
import json
import math
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")
ASHLAR = str((BUILD / "bin" / "ashlar").resolve())
ONLY = [x for x in os.environ.get("ONLY", "").split(",") if x]
SEEDS = int(os.environ.get("SEEDS", "10"))
LIMIT = os.environ.get("LIMIT", "600s")
DATA = pathlib.Path(os.environ.get(
    "PACKING_DATA", ROOT / ".." / "shared" / "data" / "packing"))


def solve(path, *flags):
    """(report, seconds of processor time, peak KiB) of one run."""
    process = subprocess.Popen([ASHLAR, "solve", f"--input={path}", "--json",
                                "--quiet", f"--timeout={LIMIT}", *flags],
                               stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    out = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return json.loads(out), usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def peer(program):
    """Its path, if it is not ours."""
    path = shutil.which(program)
    if not path or os.path.realpath(path).startswith(str(BUILD.resolve())):
        return None
    return path


def peer_seconds(program, *arguments):
    if not peer(program):
        return None
    process = subprocess.Popen([peer(program), *arguments],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def show(value):
    return "-" if value is None else f"{value:.3f}"


PROMISES = []


def promise(text, kept):
    PROMISES.append((text, kept))


def optimum(path):
    """(best report, median seconds, how many proved) over the seeds."""
    runs = [solve(path, f"--seed={seed}") for seed in range(1, SEEDS + 1)]
    proved = [r for r in runs if r[0]["verdict"] == "optimal"]
    median = statistics.median(r[1] if r in proved else float("inf")
                               for r in runs)
    best = min((r[0] for r in runs), key=lambda r: r.get("height", 1 << 62))
    return best, median, len(proved)


def challenging(rows):
    print(f"{'instance':24}{'capacity':>12}{'s':>9}{'peer s':>9}{'optimum':>12}"
          f"{'bound':>12}  verdict     median s of {SEEDS} seeds")
    mine, theirs, slow = 0, 0, []
    for path in sorted((DATA / "minimalloc").glob("?.1048576.csv")):
        name = path.stem[0]
        if ONLY and name not in ONLY:
            continue
        _, at_capacity, _ = solve(path, "--capacity=1048576")
        other = peer_seconds("minimalloc", "--capacity=1048576",
                             f"--input={path}", "--output=/dev/null")
        best, median, proved = optimum(path)
        print(f"{path.stem:24}{1048576:>12}{at_capacity:>9.3f}{show(other):>9}"
              f"{best['height']:>12}{best['lower_bound']:>12}"
              f"  {best['verdict']:10}  {median:.3f} ({proved} proved)",
              flush=True)
        rows.append([path.stem, best["height"], best["lower_bound"],
                     best["verdict"], f"{median:.3f}", "",
                     f"{at_capacity:.3f}", show(other)])
        goal = {"D": 3, "J": 60}.get(name, 1)
        promise(f"{name} proved optimal in {median:.2f} s (median; "
                f"under {goal})", median < goal)
        if other is not None:
            mine, theirs = mine + at_capacity, theirs + other
            slow += [name] if at_capacity > other / 10 else []
    if theirs:
        promise(f"at the capacity {theirs / mine:.0f} times as fast as "
                "MiniMalloc (100)", theirs >= 100 * mine)
        promise("none slower than a tenth of MiniMalloc's time"
                + "".join(f", but {x}" for x in slow), not slow)


def with_alignment(path, folder):
    """heliaAOT's files name the alignment in a comment and end inclusively."""
    lines = path.read_text().splitlines()
    align = int(lines[0].split("align=")[1].split()[0])
    out = folder / path.parent.name / path.name
    out.parent.mkdir(exist_ok=True)
    with open(out, "w") as f:
        f.write("id,lower,upper,size,alignment\n")
        for row in csv.DictReader(lines[1:]):
            f.write(f"{row['id']},{row['first']},{int(row['last']) + 1},"
                    f"{row['size']},{align}\n")
    return out


def others(rows, folder):
    print(f"\n{'instance':50}{'height':>16}{'bound':>16}  {'verdict':10}"
          f"{'s':>9}{'MiB':>8}")
    names = sorted(p for d in ("idealloc", "iopddl", "synthetic", "deeploy",
                               "heliaaot") for p in (DATA / d).glob("*.csv"))
    names = [with_alignment(p, folder) if p.parent.name == "heliaaot" else p
             for p in names]
    groups = {}
    for path in names + made(folder):
        runs = [solve(path) for _ in range(3 if path.parent == folder else 1)]
        report, seconds, peak = min(runs, key=lambda r: r[1])
        group = "made" if path.parent == folder else path.parent.name
        name = f"{group}/{path.stem}"
        print(f"{name:50}{report.get('height', 0):>16}"
              f"{report['lower_bound']:>16}  {report['verdict']:10}"
              f"{seconds:>9.3f}{peak / 1024:>8.0f}", flush=True)
        rows.append([name, report.get("height", 0), report["lower_bound"],
                     report["verdict"], f"{seconds:.3f}",
                     f"{peak / 1024:.0f}", "", ""])
        groups.setdefault(group, []).append(
            (report["verdict"] == "optimal", seconds, peak / 1024))
    for group, runs in groups.items():
        judge(group, runs)


def judge(group, runs):
    limits = {"deeploy": (0.05, 500), "heliaaot": (0.05, 500),
              "made": (3, 600)}
    seconds, mebibytes = limits.get(group, (math.inf, 500))
    slowest, largest = max(r[1] for r in runs), max(r[2] for r in runs)
    promise(f"{group}: {sum(r[0] for r in runs)} of {len(runs)} proved optimal,"
            f" slowest {slowest:.3f} s, at most {largest:.0f} MiB",
            all(r[0] for r in runs) and slowest < seconds and
            largest < mebibytes)
    if group == "made":
        growth = (runs[-1][1] / runs[0][1] /
                  (100 * math.log(1_000_000) / math.log(10_000)))
        promise(f"10^4 to 10^6 buffers: {growth:.2f} times n log n (1.3)",
                growth < 1.3)


def made(folder):
    """Random lifetimes, sizes over four orders of magnitude."""
    paths = []
    for count in (10_000, 100_000, 1_000_000):
        rng = random.Random(count)
        path = folder / f"random_{count}.csv"
        with open(path, "w") as f:
            f.write("id,lower,upper,size\n")
            for i in range(count):
                lower = rng.randrange(10 * count)
                life = 1 + int(rng.expovariate(1 / 200))
                size = (16 << rng.randrange(13)) + 16 * rng.randrange(2)
                f.write(f"{i},{lower},{lower + life},{size}\n")
        paths.append(path)
    return paths


def published():
    """What others have published (bench/packing_published.csv)."""
    print()
    with open(ROOT / "bench" / "packing_published.csv") as f:
        for row in csv.DictReader(f):
            print(f"{row['instances']}: {row['who']}, {row['published']} "
                  f"[{row['source']}]")


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ashlar-packing-"))
    rows = []
    try:
        if DATA.exists() and SEEDS:
            challenging(rows)
        elif not DATA.exists():
            print("skipped the instances of others: ../shared/data is not here")
        if not ONLY:
            others(rows, folder)
    finally:
        shutil.rmtree(folder)
    published()
    print()
    for text, kept in PROMISES:
        print("kept   " if kept else "MISSED ", text)
    if DATA.exists() and SEEDS and not ONLY:
        with open(ROOT / "bench" / "packing.csv", "w", newline="") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(["instance", "height", "lower_bound", "verdict",
                             "seconds", "mib", "seconds_at_capacity",
                             "minimalloc_seconds"])
            writer.writerows(rows)
    return 0


sys.exit(main())
