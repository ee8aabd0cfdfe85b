#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the C tests of one preset: tools/ctest.sh PRESET [-j N] [ctest options]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
jobs=()
if [ "${1:-}" = -j ]; then
    jobs=(-j "$2")
    shift 2
fi
# The build may have been configured before the test library was there.
cache=build/$preset/CMakeCache.txt
if [ -f "$cache" ] && ! grep -q '^cmocka_FOUND:INTERNAL=1' "$cache"; then
    cmake --preset "$preset" >"build/$preset.log" 2>&1 || { cat "build/$preset.log" >&2; exit 1; }
fi
tools/build.sh "$preset" "${jobs[@]}"
tools/build.sh "$preset" "${jobs[@]}" --target tests
ctest --test-dir "build/$preset" --output-on-failure --no-tests=ignore "${jobs[@]}" "$@" >"build/$preset.ctest.log" 2>&1 || {
    cat "build/$preset.ctest.log"
    exit 1
}
grep -E 'tests passed|No tests' "build/$preset.ctest.log" || true
