#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the C tests counting lines; fails under FLOOR per cent. Report: build/cov/report.txt and .html
set -euo pipefail
cd "$(dirname "$0")/.."
floor=${FLOOR:-90}
tools/build.sh cov
find build/cov -name '*.gcda' -delete
tools/ctest.sh cov -j "$(nproc)"
set +e
gcovr -r . --filter src/ --object-directory build/cov --exclude-throw-branches --print-summary \
    --fail-under-line "$floor" --html-details build/cov/report.html --txt build/cov/report.txt build/cov \
    >build/cov/summary.txt 2>build/cov/gcovr.log
code=$?
set -e
grep '^lines' build/cov/summary.txt || tail -n 5 build/cov/gcovr.log
[ $code = 0 ] || { echo "coverage: under $floor % of lines, or gcovr failed (build/cov/gcovr.log)"; exit 1; }
