"""Seeded random packing problems beside OR-Tools' CP-SAT, one thread each: is
there one that CP-SAT proves and Ashlar does not in the same processor time?

    packing_cp_sat.py BUILD [COUNT]      COUNT problems of each feature (25)

CP-SAT gets SECONDS (2) of its deterministic time, about those of the processor:
its clock would starve it on a busy machine. Ashlar gets what CP-SAT took, and
at least a tenth of a second for the start of its process. Needs the Python
package ortools; without it the comparison is skipped.
"""
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

try:
    from ortools.sat.python import cp_model
except ImportError:
    print("skipped beside CP-SAT: this Python has no ortools "
          "(CP_SAT_PYTHON names one that has)")
    sys.exit(0)

ASHLAR = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")
             / "bin" / "ashlar")
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 25
SECONDS = float(os.environ.get("SECONDS", "2"))
FEATURES = ("above load", "alignment", "gaps", "pins")


def problem(r, feature):
    """Buffers under a constant load; those of one time cannot all be packed."""
    horizon, cap = r.choice([15, 20, 30]), r.choice([15, 20, 25, 30])
    sizes = r.choice([[2, 3, 5], [3, 4, 7], [1, 3, 4], [5, 6, 9]])
    load, rows = [0] * horizon, []
    for _ in range(3000):
        a = r.randrange(horizon)
        b = r.randint(a + 1, min(horizon, a + 1 + horizon // 2))
        size = r.choice(sizes)
        if len(rows) < 40 and all(load[t] + size <= cap for t in range(a, b)):
            row = {"lower": a, "upper": b, "size": size}
            if feature == "alignment":
                row["alignment"] = r.choice([1, 2, 4, 8])
            if feature == "gaps" and b - a >= 4 and r.random() < .5:
                begin = r.randint(a + 1, b - 3)
                row["gap"] = (begin, r.randint(begin + 1, b - 1))
            rows.append(row)
            for t in range(a, b):
                load[t] += size
    if feature == "pins":
        rows[r.randrange(len(rows))]["offset"] = r.randint(0, 12)
    return rows


def write(path, rows):
    with open(path, "w") as f:
        f.write("id,lower,upper,size,alignment,gaps,offset\n")
        for i, row in enumerate(rows):
            gap = "%d-%d" % row["gap"] if "gap" in row else ""
            f.write(f"{i},{row['lower']},{row['upper']},{row['size']},"
                    f"{row.get('alignment', 1)},{gap},{row.get('offset', '')}\n")


def cp_sat(rows):
    """(optimum or None, processor seconds)"""
    model = cp_model.CpModel()
    most = sum(row["size"] + row.get("alignment", 1) + row.get("offset", 0)
               for row in rows)
    height = model.new_int_var(0, most, "")
    times, bytes_ = [], []
    for row in rows:
        at = model.new_int_var(0, most, "")
        align = row.get("alignment", 1)
        if align > 1:
            model.add(at == align * model.new_int_var(0, most // align, ""))
        if "offset" in row:
            model.add(at == row["offset"])
        model.add(at + row["size"] <= height)
        gap = row.get("gap", (row["upper"], row["upper"]))
        for a, b in ((row["lower"], gap[0]), (gap[1], row["upper"])):
            if a < b:
                times.append(model.new_fixed_size_interval_var(a, b - a, ""))
                bytes_.append(
                    model.new_fixed_size_interval_var(at, row["size"], ""))
    model.add_no_overlap_2d(times, bytes_)
    model.minimize(height)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_deterministic_time = SECONDS
    before = time.process_time()
    proved = solver.solve(model) == cp_model.OPTIMAL
    return (int(solver.objective_value) if proved else None,
            time.process_time() - before)


def ashlar(path, seconds):
    """(optimum or None, processor seconds) within that many of them."""
    def limit():
        most = int(seconds + 1)
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run([ASHLAR, "solve", f"--input={path}", "--minimize",
                          "--json", "--quiet", "--ticks=1000000000"],
                         capture_output=True, preexec_fn=limit)
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    report = json.loads(run.stdout) if run.stdout else {"verdict": "unknown"}
    proved = report["verdict"] == "optimal" and took <= seconds
    return report["height"] if proved else None, took


def main():
    lost = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.csv"
        for feature in FEATURES:
            mine = theirs = only = 0
            for seed in range(COUNT):
                rows = problem(random.Random(f"{feature} {seed}"), feature)
                write(path, rows)
                best, seconds = cp_sat(rows)
                ours, _ = ashlar(path, max(seconds, .1))
                if best is not None and ours is not None and best != ours:
                    print(f"DIFFERENT {feature} {seed}: {ours}, {best}")
                    return 1
                mine += ours is not None
                theirs += best is not None
                only += best is not None and ours is None
            lost += only
            print(f"{feature:12} {COUNT} problems: Ashlar proves {mine}, "
                  f"CP-SAT {theirs}; {only} by CP-SAT alone", flush=True)
    print("kept   " if lost == 0 else "MISSED ",
          "CP-SAT proves nothing that Ashlar does not in the same time")
    return 0


sys.exit(main())
