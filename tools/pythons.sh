#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests of the Python package on every CPython from 3.10 on that is here (make pythons): python3.10 to python3.15
# on the path, and those in PYTHONS="FILE ...". Says which it ran and which it did not find.
set -euo pipefail
cd "$(dirname "$0")/.."
found=() missing=() failed=()
version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }
for python in ${PYTHONS:-} python3.10 python3.11 python3.12 python3.13 python3.14 python3.15; do
    v=$(version "$python") || { missing+=("$python"); continue; }
    case $v in 2.* | 3.?) continue ;; esac
    [[ " ${found[*]} " == *" $v "* ]] && continue
    found+=("$v")
    PYTHON=$python tools/side_venv.sh "python$v" python/requirements-test.txt
    echo "CPython $v"
    GRISTMILL_BIN=$PWD/build/bin/gristmill PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 \
        "build/python$v-venv/bin/python" -m pytest -q -p no:cacheprovider tests/python "$@" || failed+=("$v")
done
echo "pythons: ran ${found[*]:-none}; not found: ${missing[*]:-none}${failed[*]:+; FAILED: ${failed[*]}}"
[ ${#found[@]} -gt 0 ] && [ ${#failed[@]} = 0 ]
