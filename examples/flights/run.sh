#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on real data, as `make demo`: plan, training with metrics on a held-out fifth, a few new rows.
set -euo pipefail
cd "$(dirname "$0")/../.."
gristmill=build/bin/gristmill
pipeline=examples/flights/pipeline.yaml
mkdir -p build/demo

show() { printf '\n$ %s\n' "$*"; "$@"; }

show $gristmill train $pipeline --explain
show $gristmill train $pipeline
show $gristmill inspect build/demo/late.gm --coefficients 12
show $gristmill predict build/demo/late.gm examples/flights/new.csv -o build/demo/new-scored.csv
show $gristmill sql "SELECT carrier, origin, dest, weekday, hour, prediction, probability FROM 'build/demo/new-scored.csv'"
printf '\nmodel: build/demo/late.gm   report: build/demo/late.html   pipeline: %s\n' "$pipeline"
