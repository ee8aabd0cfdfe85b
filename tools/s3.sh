#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reads files from a storage service of our own (make s3): python/requirements-s3.txt in build/s3-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/s3-venv
sum=$(sha256sum <python/requirements-s3.txt)
if [ "$(cat $venv/.done 2>/dev/null)" != "$sum" ]; then
    echo "s3: installing python/requirements-s3.txt (pip)"
    "${PYTHON:-python3}" -m venv $venv
    $venv/bin/pip install -q --disable-pip-version-check -r python/requirements-s3.txt >build/s3-pip.log 2>&1 || {
        tail -n 8 build/s3-pip.log >&2
        echo "pip could not install python/requirements-s3.txt. Check the network and pip's index, then run this again." >&2
        exit 1
    }
    echo "$sum" >$venv/.done
fi
GRISTMILL_S3_PYTHON=$PWD/$venv/bin/python exec tools/pytest.sh tests/python/test_s3.py
