#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures (once) and builds one preset: tools/build.sh PRESET [cmake --build options]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p build
if [ ! -f "build/$preset/build.ninja" ]; then
    cmake --preset "$preset" >"build/$preset.log" 2>&1 || { cat "build/$preset.log" >&2; exit 1; }
fi
# Ninja's own lines only when something is wrong.
cmake --build "build/$preset" "$@" >"build/$preset.log" 2>&1 || { grep -v '^\[' "build/$preset.log" | head -n 80 >&2; exit 1; }
