#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target for some seconds, from its corpus: tools/fuzz.sh SECONDS [NAME...]
# New inputs stay in build/fuzz/corpus; a crash is kept in build/fuzz/crash and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
tools/build.sh fuzz
tools/build.sh fuzz --target tests
bad=0
mkdir -p build/fuzz/crash
export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
for program in build/fuzz/tests/fuzz_*; do
    [ -x "$program" ] || continue
    name=$(basename "$program")
    name=${name#fuzz_}
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    mkdir -p "build/fuzz/corpus/$name"
    seeds=()
    [ -d "tests/fuzz/corpus/$name" ] && seeds=("tests/fuzz/corpus/$name")
    dict=()
    [ -f "tests/fuzz/$name.dict" ] && dict=("-dict=tests/fuzz/$name.dict")
    if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=65536 \
        -artifact_prefix="build/fuzz/crash/$name-" -print_final_stats=1 "${dict[@]}" \
        "build/fuzz/corpus/$name" "${seeds[@]}" >"build/fuzz/$name.log" 2>&1; then
        echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log") runs, no crash"
    else
        echo "fuzz $name: FAIL (build/fuzz/$name.log)"
        grep -E 'ERROR|SUMMARY|runtime error|#[0-9] ' "build/fuzz/$name.log" | head -n 15
        bad=1
    fi
done
exit $bad
