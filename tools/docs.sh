#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the manual from docs/ into build/site, when mkdocs.yml is there.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f mkdocs.yml ] || { echo "docs: there is no mkdocs.yml" >&2; exit 1; }
.deps/venv/bin/mkdocs build -q -d "$PWD/build/site"
echo "docs: build/site/index.html"
