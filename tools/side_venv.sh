#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A virtual environment beside the package's own, for what only some tests need: tools/side_venv.sh NAME FILE...
# makes build/NAME-venv with what the requirement files list, once for each content of theirs.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/$1-venv
shift
sum=$(cat "$@" | sha256sum)
[ "$(cat "$venv/.done" 2>/dev/null)" = "$sum" ] && exit 0
echo "${venv#build/}: installing $* (pip)"
mkdir -p build
"${PYTHON:-python3}" -m venv "$venv"
wanted=()
for file in "$@"; do wanted+=(-r "$file"); done
"$venv/bin/pip" install -q --disable-pip-version-check "${wanted[@]}" >"$venv.log" 2>&1 || {
    tail -n 8 "$venv.log" >&2
    echo "pip could not install $*. Check the network and pip's index, then run this again." >&2
    exit 1
}
echo "$sum" >"$venv/.done"
