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
sum=$(sha256sum <bench/requirements.txt)
if [ "$(cat $venv/.done 2>/dev/null)" != "$sum" ]; then
    echo "bench: installing bench/requirements.txt (pip; Spark is 450 MB)"
    mkdir -p build
    "${PYTHON:-python3}" -m venv $venv
    $venv/bin/pip install -q --disable-pip-version-check -r bench/requirements.txt >build/bench-pip.log 2>&1 || {
        tail -n 8 build/bench-pip.log >&2
        echo "pip could not install bench/requirements.txt. Check the network and pip's index, then run this again." >&2
        exit 1
    }
    echo "$sum" >$venv/.done
fi
$venv/bin/python bench/gen.py $data
# These force one BLAS kernel and cache size for all machines; a peer is timed with what fits this one.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
exec $venv/bin/python bench/run.py --data $data "$@"
