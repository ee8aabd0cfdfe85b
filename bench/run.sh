#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Timings against the peers (make bench): bench/run.sh [--rounds N] [--spark N] [--only PART,...], see bench/run.py.
# The peers live in build/bench-venv, the data in .data/bench, the results in bench/results/DATE.json.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/bench-venv
data=.data/bench
if [ ! -x build/bin/gristmill ]; then
    echo "bench: build first: make" >&2
    exit 1
fi
tools/side_venv.sh bench bench/requirements.txt
$venv/bin/python bench/gen.py $data
# These force one BLAS kernel and cache size for all machines; a peer is timed with what fits this one.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
exec $venv/bin/python bench/run.py --data $data "$@"
