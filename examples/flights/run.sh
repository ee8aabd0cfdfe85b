#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on real data (make demo): the plan, training with metrics on held-out days, what the model weighs, and
# predictions for a few new flights. Model and report land in build/demo.
set -euo pipefail
cd "$(dirname "$0")/../.."
gristmill=${GRISTMILL_BIN:-build/bin/gristmill}
model=build/demo/late.gm
report=build/demo/late.html
mkdir -p build/demo

show() { # prints a command as one would type it, and runs it
    local word line='$'
    for word; do
        case $word in
        *' '*) line+=" \"$word\"" ;;
        *) line+=" $word" ;;
        esac
    done
    printf '\n%s\n' "$line"
    "$@"
}

show "$gristmill" train examples/flights/flights.yaml --model $model --report $report
show "$gristmill" inspect $model --coefficients 12
show "$gristmill" predict $model examples/flights/new.csv -o build/demo/scored.parquet
show "$gristmill" sql "SELECT date, flight, origin, dest, hour, round(probability[2], 3) AS chance_of_late, prediction
    FROM 'build/demo/scored.parquet' ORDER BY chance_of_late DESC"

printf '\nmodel: %s   report, for a browser: %s   pipeline: examples/flights/flights.yaml\n' $model $report
