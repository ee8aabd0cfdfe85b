#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All lints, one line each with its time; the findings of those that fail. tools/lint.sh [--quick]
# --quick leaves out what needs a build or minutes (clang-tidy, cppcheck). BASE=REV: clang-tidy looks at what changed.
# --tidy-all is clang-tidy over all files, and nothing else.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export PATH=$PWD/.deps/venv/bin:$PATH
quick=${1:-}
bad=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

step() { # NAME COMMAND...
    local name=$1 t0=$SECONDS
    shift
    if "$@" >"$log" 2>&1; then
        printf 'lint %-10s ok    %3ds\n' "$name" $((SECONDS - t0))
        grep -i 'warning' "$log" | head -n 12
    else
        printf 'lint %-10s FAIL  %3ds\n' "$name" $((SECONDS - t0))
        head -n 60 "$log"
        bad=1
    fi
    return 0
}
have() { command -v "$1" >/dev/null || { echo "lint: $1 is not here (tools/deps.sh lint brings it)"; bad=1; return 1; }; }
ours() { git ls-files -co --exclude-standard -- "$@" | sort -u | while read -r f; do [ -f "$f" ] && printf '%s\n' "$f"; done; }

layout() { # a warning for now: names the files that clang-format would change
    local names n
    names=$(ours 'src/*.[ch]' 'cmd/*.[ch]' 'include/*.h' 'tests/*.[ch]' 'examples/*.c' |
        xargs -r -n 8 -P "$(nproc)" clang-format --dry-run 2>&1 | sed -n 's/^\([^ :]*\):[0-9].*clang-format.*/\1/p' | sort -u)
    n=$(grep -c . <<<"$names")
    [ "$n" = 0 ] || { echo "warning: the layout of $n files differs (make format):" && head -n 5 <<<"$names" | sed 's/^/  /'; }
}
spelling() { ours '*.c' '*.h' '*.md' '*.py' '*.sh' '*.yaml' | grep -vE "$foreign" | xargs -r codespell -L "$words"; }
foreign='^tests/(golden|fuzz/corpus)/|stop_words[.](c|py)$'
words=nnumber,ois,nd,te,fo,ue,hist,ans,inout,fpr,tpr,sting,mis,nto,ot,wil,thre,ser,statics,indx
shells() { ours '*.sh' .ci/run | xargs -r shellcheck -S warning; }
cppcheck_all() {
    local files
    files=$(ours 'src/*.c' 'cmd/*.c')
    [ -z "$files" ] && return 0
    # shellcheck disable=SC2086
    cppcheck -q -j "$(nproc)" --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 \
        --suppress=missingIncludeSystem --suppress=unknownMacro --suppress=preprocessorErrorDirective \
        --suppress=varFuncNullUB --suppress=invalidPointerCast --suppress=nullPointerRedundantCheck --suppress='*:*/.deps/*' \
        --cppcheck-build-dir=build/cppcheck -DGM_ISA=base -DGM_ISA_base=1 -Isrc -Iinclude $files
}
tidy() {
    local files base=${BASE:-}
    if [ -z "$base" ]; then base=$(git merge-base HEAD main 2>/dev/null || true); fi
    [ -n "$base" ] && [ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse -q --verify HEAD~1 || true)
    files=$({ [ -n "$base" ] && git diff --name-only --diff-filter=d "$base" -- 'src/*.c' 'cmd/*.c'; git ls-files -o --exclude-standard -- 'src/*.c' 'cmd/*.c'; } | grep -v '_isa\.c$' | sort -u | head -n 40)
    [ -z "$files" ] && return 0
    [ -f build/release/build.ninja ] || cmake --preset release >/dev/null || return 1
    clang_tidy 90 "$files"
}
tidy_all() {
    [ -f build/release/build.ninja ] || cmake --preset release >/dev/null || return 1
    clang_tidy 900 "$(ours 'src/*.c' 'cmd/*.c' | grep -v '_isa\.c$')"
}
clang_tidy() { # SECONDS FILES: one file after another, so that those not reached in time can be named
    local done_with code
    done_with=$(mktemp)
    # shellcheck disable=SC2016
    timeout "$1" xargs -P "$(nproc)" -n 1 sh -c \
        'clang-tidy --quiet -p build/release --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null; s=$?; echo "$1" >>"$0"; exit $s' \
        "$done_with" <<<"$2"
    code=$?
    [ $code = 124 ] && code=0 # the findings so far have been printed, and count
    comm -23 <(sort <<<"$2") <(sort "$done_with") | sed 's/^/warning: not reached in time: /'
    [ $code = 0 ] && ! grep -q ': error:' "$log" || code=1
    rm -f "$done_with"
    return $code
}

if [ "$quick" = --tidy-all ]; then
    have clang-tidy && step tidy-all tidy_all
    exit $bad
fi
for name in layers banned sizes text lists; do
    step $name python3 tools/lint_$name.py
done
have clang-format && step layout layout
have codespell && step spelling spelling
have shellcheck && step shell shells
have ruff && [ -n "$(ours '*.py')" ] && step ruff ruff check -q
if [ "$quick" != --quick ]; then
    mkdir -p build/cppcheck
    have cppcheck && step cppcheck cppcheck_all
    have clang-tidy && step tidy tidy
fi
exit $bad
