#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds dist/gristmill-VERSION-py3-none-PLATFORM.whl: the package of python/ with libgristmill.so, DuckDB and libyaml
# inside. The library is compiled for glibc 2.28 (preset wheel); the platform tag names the newest glibc that any of
# the three needs, read from their symbol versions, and 2.28 at least.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
PYTHON=$python tools/venv.sh
tools/deps.sh wheel
tools/build.sh wheel --target gristmill
[ -d python/gristmill ] || { echo "wheel: there is no package in python/gristmill" >&2; exit 1; }
mkdir -p dist
rm -f dist/gristmill-*.whl
build/venv/bin/python tools/wheel.py "$(sed -n 's/^project(gristmill VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
