#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes build/venv with the package in python/ installed in place; "test" adds python/requirements-test.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
venv=build/venv
if [ ! -x $venv/bin/python ]; then
    "$python" -m venv $venv || { echo "python3 -m venv failed: apt-get install python3-venv" >&2; exit 1; }
fi
if [ -d python/gristmill ]; then
    # A path file, so that the tree's package is what runs and nothing is fetched.
    site=$($venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
    line="$PWD/python"
    [ "$(cat "$site/gristmill.pth" 2>/dev/null)" = "$line" ] || echo "$line" >"$site/gristmill.pth"
fi
# Stubs and the list of stages come from the library's tables.
lib=build/lib/libgristmill.so
if [ -f tools/gen_python.py ] && [ -e $lib ] && [ ! python/gristmill/_stages.json -nt $lib ]; then
    $venv/bin/python tools/gen_python.py $lib
fi
if [ "${1:-}" = test ] && [ -f python/requirements-test.txt ]; then
    sum=$(sha256sum <python/requirements-test.txt)
    if [ "$(cat $venv/.test 2>/dev/null)" != "$sum" ]; then
        echo "venv: installing python/requirements-test.txt (pip)"
        $venv/bin/pip install -q --disable-pip-version-check -r python/requirements-test.txt >build/pip.log 2>&1 || {
            tail -n 8 build/pip.log >&2
            echo "pip could not install python/requirements-test.txt. Check the network and pip's index, then run this again." >&2
            exit 1
        }
        echo "$sum" >$venv/.test
    fi
fi
