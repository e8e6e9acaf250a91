#!/usr/bin/env python3
"""best_fit.py - a planner backend as a program:

    ashlar plan model.tflite --target apollo510 \\
        --planner 'exec:python3 examples/planner/best_fit.py'

Reads a request from standard input and writes its answer to standard output,
both as docs/planners.md describes. Places tensors by size times duration, each
in the tightest gap between what lives at the same time.
"""
import json
import sys


def gaps(tensor, placed):
    """Free ranges at the times when the tensor is alive, the last one open."""
    busy = sorted((p["offset"], p["offset"] + p["size"]) for p in placed
                  if p["first_step"] <= tensor["last_step"]
                  and tensor["first_step"] <= p["last_step"])
    top = 0
    for low, high in busy:
        if low > top:
            yield top, low
        top = max(top, high)
    yield top, None


def find(tensor, placed, room):
    align = tensor["alignment"]
    best = None
    for low, high in gaps(tensor, placed):
        at = (low + align - 1) // align * align
        end = at + tensor["size"]
        if end > (room if high is None else min(high, room)):
            continue
        slack = float("inf") if high is None else high - end
        if best is None or slack < best[0]:
            best = slack, at
    return None if best is None else best[1]


def main():
    request = json.load(sys.stdin)
    if request["schema"] != "ashlar-plan-request-1":
        sys.exit("this is not a request I know")
    memories = {m["name"]: m for m in request["memories"]}
    first = request["default_memory"]
    order = [first] + [n for n, m in memories.items()
                       if m["automatic"] and n != first]
    placed = {name: [] for name in memories}

    def weight(t):
        return -t["size"] * (t["last_step"] - t["first_step"] + 1)

    for t in sorted(request["tensors"], key=weight):
        for name in [t["memory"]] if t["memory"] else order:
            at = find(t, placed[name], memories[name]["room"])
            if at is not None:
                placed[name].append(dict(t, memory=name, offset=at))
                break
        else:
            json.dump({"error": f"no room for {t['id']}",
                       "verdict": "infeasible"}, sys.stdout)
            return
    answer = [{"id": t["id"], "memory": t["memory"], "offset": t["offset"]}
              for name in placed for t in placed[name]]
    json.dump({"schema": "ashlar-plan-answer-1", "tensors": answer},
              sys.stdout)


main()
