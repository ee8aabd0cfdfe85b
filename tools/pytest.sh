#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs pytest over a folder with build/venv and the built library: tools/pytest.sh FOLDER [pytest options]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
if [ -z "$(find "$folder" -name 'test_*.py' -print -quit 2>/dev/null)" ]; then
    echo "$folder: no tests"
    exit 0
fi
tools/venv.sh test
export GRISTMILL_BIN=${GRISTMILL_BIN:-$PWD/build/bin/gristmill} PYTHONDONTWRITEBYTECODE=1
build/venv/bin/python -m pytest -q -p no:cacheprovider "$folder" "$@"
