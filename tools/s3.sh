#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reads files from a storage service of our own (make s3): python/requirements-s3.txt in build/s3-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/side_venv.sh s3 python/requirements-s3.txt
GRISTMILL_S3_PYTHON=$PWD/build/s3-venv/bin/python exec tools/pytest.sh tests/python/test_s3.py
