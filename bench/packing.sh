#!/bin/sh
# packing.sh BUILD - the packing solver on every instance we have, one thread,
# beside MiniMalloc when it is on the PATH. Prints a table and what was promised;
# writes bench/packing.csv. Then random problems beside CP-SAT,
# where CP_SAT_PYTHON (python3) has the package ortools.
cd "$(dirname "$0")/.." || exit 1
python3 bench/packing.py "$@" || exit 1
exec "${CP_SAT_PYTHON:-python3}" bench/packing_cp_sat.py "$@"
