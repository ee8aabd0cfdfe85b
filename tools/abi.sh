#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the library's ABI with abi/gristmill.abi; `tools/abi.sh update` writes that file anew.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v abidw >/dev/null || { echo "abi: abidw is not here (tools/deps.sh abi brings it)" >&2; exit 1; }
[ -f include/gristmill.h ] || { echo "abi: there is no public header yet"; exit 0; }
tools/build.sh abi --target gristmill
dump() {
    abidw --exported-interfaces-only --no-corpus-path --no-comp-dir-path --no-show-locs --no-architecture \
        --headers-dir include --drop-private-types --out-file "$1" build/abi/lib/libgristmill.so
    sed -i "s#'$PWD/#'#g" "$1" # sources are named from the root of the tree
}
case ${1:-} in
update)
    mkdir -p abi
    dump abi/gristmill.abi
    echo "abi: abi/gristmill.abi written"
    ;;
*)
    [ -f abi/gristmill.abi ] || { echo "abi: abi/gristmill.abi is missing: run tools/abi.sh update and commit it" >&2; exit 1; }
    dump build/abi/gristmill.abi
    set +e
    abidiff --headers-dir1 include --headers-dir2 include abi/gristmill.abi build/abi/gristmill.abi >build/abi/diff.txt 2>&1
    code=$?
    set -e
    # Bit 3: the change is incompatible; bit 2 alone: an addition, to be recorded.
    if [ $((code & 8)) != 0 ] || [ $((code & 3)) != 0 ]; then
        cat build/abi/diff.txt
        echo "abi: an incompatible change (or abidiff failed). If it is meant: tools/abi.sh update, and a line in CHANGELOG.md" >&2
        exit 1
    elif [ $code != 0 ]; then
        cat build/abi/diff.txt
        echo "abi: the ABI changed: run tools/abi.sh update and commit it" >&2
        exit 1
    fi
    echo "abi: as recorded"
    ;;
esac
