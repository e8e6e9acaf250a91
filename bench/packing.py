"""The packing solver on the instances in ../shared/data/packing.

For the eleven of MiniMalloc: the time at the given capacity (compared with
MiniMalloc when another program of that name is on the PATH) and the time to the
proven optimum over several seeds. For all others: height, bound, verdict,
time, peak memory. Random instances of 10^4 to 10^6 buffers are made here.
"""
import csv
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")
ASHLAR = str((BUILD / "bin" / "ashlar").resolve())
SEEDS = int(os.environ.get("SEEDS", "3"))
LIMIT = os.environ.get("LIMIT", "60s")
DATA = ROOT / ".." / "shared" / "data" / "packing"


def solve(path, *flags):
    """(report, seconds of processor time, peak KiB) of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([ASHLAR, "solve", f"--input={path}", "--json",
                                "--quiet", f"--timeout={LIMIT}", *flags],
                               stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    out = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    del before
    return json.loads(out), usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def peer_seconds(program, *arguments):
    path = shutil.which(program)
    if not path or os.path.realpath(path).startswith(str(BUILD.resolve())):
        return None
    start = time.perf_counter()
    subprocess.run([path, *arguments], capture_output=True, check=False)
    return time.perf_counter() - start


def show(value):
    return "-" if value is None else f"{value:.3f}"


def challenging(rows):
    print(f"{'instance':24}{'capacity':>12}{'s':>9}{'peer s':>9}{'optimum':>12}"
          f"{'bound':>12}  verdict     median s of {SEEDS} seeds")
    for path in sorted((DATA / "minimalloc").glob("?.1048576.csv")):
        _, at_capacity, _ = solve(path, "--capacity=1048576")
        peer = peer_seconds("minimalloc", "--capacity=1048576",
                            f"--input={path}", "--output=/dev/null")
        runs = [solve(path, f"--seed={seed}") for seed in range(1, SEEDS + 1)]
        median = statistics.median(r[1] for r in runs)
        best = min((r[0] for r in runs), key=lambda r: r.get("height", 1 << 62))
        print(f"{path.stem:24}{1048576:>12}{at_capacity:>9.3f}{show(peer):>9}"
              f"{best['height']:>12}{best['lower_bound']:>12}"
              f"  {best['verdict']:10}  {median:.3f}", flush=True)
        rows.append([path.stem, best["height"], best["lower_bound"],
                     best["verdict"]])


def others(rows, folder):
    print(f"\n{'instance':50}{'height':>16}{'bound':>16}  {'verdict':10}"
          f"{'s':>9}{'MiB':>8}")
    names = sorted(p for d in ("idealloc", "iopddl", "synthetic", "deeploy",
                               "heliaaot") for p in (DATA / d).glob("*.csv"))
    for path in names + made(folder):
        report, seconds, peak = solve(path)
        name = f"{path.parent.name}/{path.stem}"
        if path.parent == folder:
            name = f"made/{path.stem}"
        print(f"{name:50}{report.get('height', 0):>16}"
              f"{report['lower_bound']:>16}  {report['verdict']:10}"
              f"{seconds:>9.3f}{peak / 1024:>8.0f}", flush=True)
        rows.append([name, report.get("height", 0), report["lower_bound"],
                     report["verdict"]])


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


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ashlar-packing-"))
    rows = []
    try:
        if DATA.exists():
            challenging(rows)
        else:
            print("skipped the instances of others: ../shared/data is not here")
        others(rows, folder)
    finally:
        shutil.rmtree(folder)
    if DATA.exists():
        with open(ROOT / "bench" / "packing.csv", "w", newline="") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(["instance", "height", "lower_bound", "verdict"])
            writer.writerows(rows)
    return 0


sys.exit(main())
