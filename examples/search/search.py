#!/usr/bin/env python3
"""search.py [--count N] [--workers N] - plans thousands of candidate networks
and keeps those that fit a device: what a network search asks of a planner.

Candidates are int8 networks of separable convolutions in the textual form
(docs/ir.md), random in width, depth and resolution; no framework is needed. A
plan is made in a child process, so threads are enough to use all processors.
Prints one line per width of the pool, and the best candidates.
"""
import argparse
import concurrent.futures
import os
import random
import time

import ashlar


class Network:
    """Lines of the textual form, tensor by tensor."""

    def __init__(self, size, pick):
        self.pick = pick
        self.lines, self.tensors, self.ops, self.macs = [], 0, 0, 0
        self.size, self.channels = size, 3
        self.last = self.tensor(f"input int8[1,{size},{size},3] axis 0 scale "
                                '[0.05] zero [-128] "image"')

    def tensor(self, text):
        self.lines.append(f"tensor %{self.tensors} {text}")
        self.tensors += 1
        return self.tensors - 1

    def activation(self, size, channels):
        return self.tensor(f"activation int8[1,{size},{size},{channels}] axis "
                           f'0 scale [0.05] zero [-128] "t{self.tensors}"')

    def weights(self, shape, channels):
        count = shape[0] * shape[1] * shape[2] * shape[3]
        w = self.tensor(f"constant int8[{','.join(map(str, shape))}] axis 0 "
                        f'scale [0.01] zero [0] "w{self.tensors}" data '
                        + self.pick.getrandbits(8 * count).to_bytes(
                            count, "little").hex())
        self.tensor(f"constant int32[{channels}] axis 0 scale [0.0005] zero "
                    f'[0] "b{self.tensors}" data ' + "10000000" * channels)
        return w

    def layer(self, kind, shape, channels, stride, more=""):
        w = self.weights(shape, channels)
        size = -(-self.size // stride)
        out = self.activation(size, channels)
        kernel = shape[1]
        pad = max(0, (size - 1) * stride + kernel - self.size)
        self.lines.append(
            f"op {kind}_{self.ops} {self.ops} {kind}(%{self.last}, %{w}, "
            f"%{w + 1}) -> (%{out}) stride_h={stride} stride_w={stride} "
            f"dilation_h=1 dilation_w=1 pad_top={pad // 2} "
            f"pad_bottom={pad - pad // 2} pad_left={pad // 2} "
            f'pad_right={pad - pad // 2} {more}act="relu"')
        self.macs += size * size * channels * kernel * kernel * shape[3] // (
            channels if more else 1)
        self.ops += 1
        self.last, self.size, self.channels = out, size, channels

    def conv(self, channels, kernel, stride):
        self.layer("conv_2d", (channels, kernel, kernel, self.channels),
                   channels, stride)

    def separable(self, channels, stride):
        self.layer("depthwise_conv_2d", (1, 3, 3, self.channels),
                   self.channels, stride, "multiplier=1 ")
        self.conv(channels, 1, 1)

    def text(self):
        return "\n".join(['graph "candidate"', *self.lines, "inputs (%0)",
                          f"outputs (%{self.last})", ""]).encode()


def candidate(seed):
    """Resolution, width and depth by chance, the same for the same seed."""
    pick = random.Random(seed)
    network = Network(pick.choice([64, 80, 96, 112, 128]), pick)
    width = pick.choice([4, 8, 12, 16])
    network.conv(width, 3, 2)
    for _ in range(pick.randint(2, 5)):
        width = min(128, width * pick.choice([1, 2]))
        network.separable(width, 2 if network.size > 6 else 1)
        for _ in range(pick.randint(0, 2)):
            network.separable(width, 1)
    return network


def judge(seed, target):
    """(seed, multiply-accumulates, bytes of activations, bytes of constants);
    None for the bytes if it does not fit."""
    network = candidate(seed)
    try:
        plan = ashlar.plan(network.text(), target=target)
        return seed, network.macs, plan.activations, plan.constants
    except ashlar.NoFit:
        return seed, network.macs, None, None


def search(count, workers, target):
    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(lambda seed: judge(seed, target), range(count)))
    return found, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--target", default="microbit")
    args = parser.parse_args()
    found, seconds = search(args.count, args.workers, args.target)
    fitting = [row for row in found if row[2] is not None]
    print(f"{args.count} candidates, {args.workers} at once: {seconds:.1f} s, "
          f"{args.count / seconds:.0f} a second; {len(fitting)} fit "
          f"{args.target}")
    for seed, macs, ram, flash in sorted(fitting, key=lambda r: -r[1])[:5]:
        print(f"  candidate {seed}: {macs} multiply-accumulates, {ram} bytes "
              f"of activations, {flash} of constants")


main()
