#!/bin/sh
# packing.sh BUILD - the packing solver on every instance we have, one thread,
# beside the peers that are on the PATH (minimalloc of others, idealloc). Prints
# a table; writes bench/packing.csv without times, which differ by machine.
cd "$(dirname "$0")/.." || exit 1
exec python3 bench/packing.py "$@"
