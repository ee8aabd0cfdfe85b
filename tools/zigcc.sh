#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zig's C compiler against glibc 2.28, for the preset wheel: it brings headers and symbol lists of old C libraries.
exec "$(dirname "$0")/../.deps/venv/bin/python" -m ziglang cc -target "$(uname -m)-linux-gnu.2.28" "$@"
