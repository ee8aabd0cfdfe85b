#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on real data (make demo): plan, training with metrics on held-out days, what the model weighs, and
# predictions for a few new flights. Model and report land in build/demo.
set -euo pipefail
cd "$(dirname "$0")/../.."
gristmill=${GRISTMILL_BIN:-build/bin/gristmill}
out=build/demo
mkdir -p "$out"

say() { printf '\n\n== %s\n\n' "$1"; }

say "Train: gristmill train examples/flights/flights.yaml"
"$gristmill" train examples/flights/flights.yaml --model "$out/late.gm" --report "$out/late.html"

say "What it weighs: gristmill inspect $out/late.gm --coefficients 12"
"$gristmill" inspect "$out/late.gm" --coefficients 12 | sed -n '/^Coefficients/,/^the /p'

say "New flights: gristmill predict $out/late.gm examples/flights/new.csv -o $out/scored.parquet"
"$gristmill" predict "$out/late.gm" examples/flights/new.csv -o "$out/scored.parquet"
"$gristmill" sql "SELECT date, flight, origin, dest, hour, round(probability[2], 3) AS chance_of_late, prediction
    FROM '$out/scored.parquet' ORDER BY chance_of_late DESC"

printf '\nThe report is %s/late.html: open it in a browser.\n' "$out"
