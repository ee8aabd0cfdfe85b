#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares every stage with Spark's, row by row (make peers): build/peers-venv has bench/requirements.txt, Spark is
# 450 MB. A Java runtime must be there (17 or later).
set -euo pipefail
cd "$(dirname "$0")/.."
command -v java >/dev/null || { echo "peers: Spark needs Java: apt-get install default-jre-headless" >&2; exit 1; }
tools/side_venv.sh peers bench/requirements.txt tests/peers/requirements.txt
# It ends by itself when Spark cannot start: that is tried three times, our own failures never are.
for _ in 1 2 3; do
    code=0
    PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 build/peers-venv/bin/python -m pytest -q -p no:cacheprovider tests/peers "$@" || code=$?
    [ $code = 3 ] || break
done
exit $code
