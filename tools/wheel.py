# SPDX-License-Identifier: Apache-2.0
"""Writes the wheel by hand: a zip with the package, the shared libraries and three metadata files. No build
backend, so nothing has to be fetched to build it. Called by tools/wheel.sh with the version."""

import base64
import csv
import hashlib
import io
import os
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIB = ROOT / "build" / "wheel" / "lib"
LEAST = (2, 28)


def glibc_needed(*libraries):
    """The newest GLIBC_x.y symbol version that the libraries ask for, and LEAST at least."""
    found = {LEAST}
    for lib in libraries:
        text = subprocess.run(["objdump", "-T", lib], check=True, capture_output=True, text=True).stdout
        found |= {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", text)}
    return max(found)


def libyaml():
    """The libyaml that libgristmill.so would load: bundled, as wheels may not ask for it."""
    text = subprocess.run(["ldd", LIB / "libgristmill.so"], check=True, capture_output=True, text=True).stdout
    m = re.search(r"(libyaml-0\.so\S*) => (\S+)", text)
    return (m[1], pathlib.Path(m[2]).resolve()) if m else None


def main(version):
    lib = (LIB / "libgristmill.so").resolve()
    duckdb = (LIB / "libduckdb.so").resolve()
    if not lib.is_file():
        sys.exit("wheel: build/wheel/lib/libgristmill.so is missing: run make wheel")
    yaml = libyaml()
    httpfs = duckdb.parent / "httpfs.duckdb_extension"
    bundled = [lib, duckdb, *([httpfs] if httpfs.is_file() else []), *([yaml[1]] if yaml else [])]
    major, minor = glibc_needed(*bundled)
    tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
    info = f"gristmill-{version}.dist-info"
    entries = []
    package = ROOT / "python" / "gristmill"
    for path in sorted(package.rglob("*")):
        if path.is_file() and (path.suffix in {".py", ".pyi", ".json"} or path.name == "py.typed"):
            entries.append((f"gristmill/{path.relative_to(package)}", path.read_bytes(), 0o644))
    entries.append(("gristmill/libgristmill.so", lib.read_bytes(), 0o755))
    if duckdb.is_file():
        entries.append(("gristmill/libduckdb.so", duckdb.read_bytes(), 0o755))
    if httpfs.is_file():
        entries.append(("gristmill/httpfs.duckdb_extension", httpfs.read_bytes(), 0o644))
    if yaml:
        entries.append((f"gristmill/{yaml[0]}", yaml[1].read_bytes(), 0o755))
    entries.append((f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644))
    entries.append((f"{info}/METADATA", (
        f"Metadata-Version: 2.3\nName: gristmill\nVersion: {version}\n"
        "Summary: From raw tables to trained, tuned and served models: one native engine\n"
        "License: Apache-2.0\nRequires-Python: >=3.10\n").encode(), 0o644))
    entries.append((f"{info}/WHEEL", (
        f"Wheel-Version: 1.0\nGenerator: gristmill\nRoot-Is-Purelib: false\nTag: {tag}\n").encode(), 0o644))
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    out = ROOT / "dist" / f"gristmill-{version}-{tag}.whl"
    part = out.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as z:
        def put(name, data, mode):
            item = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            item.external_attr = (0o100000 | mode) << 16
            item.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(item, data)
        for name, data, mode in entries:
            put(name, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.writerow([name, f"sha256={digest}", len(data)])
        rows.writerow([f"{info}/RECORD", "", ""])
        put(f"{info}/RECORD", record.getvalue().encode(), 0o644)
    os.replace(part, out)
    print(f"wheel: {out.relative_to(ROOT)} ({out.stat().st_size / 1e6:.1f} MB; needs glibc {major}.{minor})")


if __name__ == "__main__":
    main(*sys.argv[1:])
