#!/bin/sh
# packing.sh BUILD - the packing solver on every instance we have, one thread,
# beside MiniMalloc when it is on the PATH. Prints a table and what was promised;
# writes bench/packing.csv.
cd "$(dirname "$0")/.." || exit 1
exec python3 bench/packing.py "$@"
