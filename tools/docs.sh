#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints docs/reference/ from the built library and builds the manual into build/docs. mkdocs is pinned in tools/deps.lock.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 tools/gen_docs.py build/lib/libgristmill.so
.deps/venv/bin/mkdocs build -q -d "$PWD/build/docs"
echo "docs: build/docs/index.html"
