#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build tree aside, then builds each examples/c/*.c against it as a user would, by pkg-config and by
# find_package, and runs it from the root of the tree: tools/check_install.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cmake --install "$build" --prefix "$here/usr" >"$here/install.log" 2>&1 || { cat "$here/install.log"; exit 1; }
export PKG_CONFIG_PATH=$here/usr/lib/pkgconfig LD_LIBRARY_PATH=$here/usr/lib
cc=${CC:-$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")}
# A sanitized library needs its runtime in the program too.
sanitize=$(sed -n 's/^GM_SANITIZE:STRING=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
for source in examples/c/*.c; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2046,SC2086
    "$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror $sanitize "$source" $(pkg-config --cflags --libs gristmill) -lm -o "$here/$name"
    (cd "$here" && GRISTMILL_EXAMPLES=$OLDPWD/examples timeout 100 "./$name" >"$name.out" 2>&1) ||
        { echo "$source failed:"; tail -n 20 "$here/$name.out"; exit 1; }
    echo "$name: ran"
done
# The header alone, as C99 and as C++ when there is a compiler.
echo '#include <gristmill.h>' >"$here/h.c"
# shellcheck disable=SC2046
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags gristmill) -fsyntax-only "$here/h.c"
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2046
    c++ -std=c++11 -Wall -Wextra -Werror $(pkg-config --cflags gristmill) -x c++ -fsyntax-only "$here/h.c"
fi
if [ -z "$sanitize" ]; then
    mkdir "$here/app"
    cp "$(find examples/c -name '*.c' | sort | head -n 1)" "$here/app/app.c"
    cat >"$here/app/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.21)
project(app LANGUAGES C)
find_package(Gristmill 0.1 REQUIRED)
add_executable(app app.c)
target_link_libraries(app PRIVATE Gristmill::gristmill m)
EOF
    { cmake -S "$here/app" -B "$here/app/b" -DCMAKE_PREFIX_PATH="$here/usr" && cmake --build "$here/app/b"; } >"$here/app.log" 2>&1 ||
        { tail -n 20 "$here/app.log"; exit 1; }
    echo "find_package: built"
fi
