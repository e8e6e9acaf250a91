#!/usr/bin/env python3
"""make_big_plan.py BUFFERS FILE - writes a synthetic plan to try the viewer on.

A chain of steps, each of which makes one tensor and frees older ones; first
fit finds the offsets, so the plan is right and looks like a real one. The same
count gives the same file.
"""
import bisect
import json
import sys


def lifetimes(count):
    """(first, last, size): mostly short, some long, deterministic."""
    state = 12345
    for step in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        length = 1 + state % 3 + (40 + state % 200 if state % 97 == 0 else 0)
        yield step, min(step + length, count - 1), 64 * (1 + state // 7 % 160)


def place(lives):
    """First fit in order of birth; returns offsets and the height."""
    live, offsets, height = [], [], 0
    for first, last, size in lives:
        live = [block for block in live if block[2] >= first]
        at = 0
        for low, high, _ in live:
            if at + size <= low:
                break
            at = max(at, high)
        bisect.insort(live, (at, at + size, last))
        offsets.append(at)
        height = max(height, at + size)
    return offsets, height


def main():
    count, path = int(sys.argv[1]), sys.argv[2]
    lives = list(lifetimes(count))
    offsets, height = place(lives)
    change = [0] * (count + 1)
    for first, last, size in lives:
        change[first] += size
        change[last + 1] -= size
    bound = alive = 0
    for value in change:
        alive += value
        bound = max(bound, alive)
    tensors = [
        {"id": str(i), "name": f"block_{i // 10}/layer_{i}", "type": "int8",
         "shape": [1, 1, 1, life[2]], "role": "scratch", "memory": "SRAM",
         "source_memory": "SRAM", "offset": offset, "size": life[2],
         "alignment": 16, "first_step": life[0], "last_step": life[1],
         "alias_of": None}
        for i, (life, offset) in enumerate(zip(lives, offsets))]
    steps = [
        {"step": i, "ops": [{"id": f"conv_2d_{i}", "kind": "conv_2d",
                             "source_index": i,
                             "inputs": [str(i - 1)] if i else [],
                             "outputs": [str(i)], "macs": 1000 + i % 77}]}
        for i in range(count)]
    plan = {"schema": "ashlar-plan-1", "model": f"synthetic_{count}",
            "target": "synthetic", "planner": "first-fit",
            "verdict": "optimal" if bound == height else "feasible",
            "plan_hash": "0" * 16, "tensor_layout_hash": "0" * 16, "ticks": 0,
            "inputs": ["0"], "outputs": [str(count - 1)],
            "arenas": [{"region_id": 0, "role": "scratch", "memory": "SRAM",
                        "source_memory": "SRAM", "size": height,
                        "total_size": 2 * height, "alignment": 16,
                        "is_staged": False, "lower_bound": bound,
                        "verdict": "optimal" if bound == height
                        else "feasible"}],
            "tensors": tensors, "steps": steps}
    with open(path, "w", encoding="utf-8") as out:
        json.dump(plan, out, indent=1)


main()
