#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file names its licence in its first lines; no leftovers, machine paths, registry addresses."""

import re

from lintlib import Findings, files, read

SPDX = "SPDX-License-Identifier: Apache-2.0"
SOURCES = {".c", ".h", ".py", ".pyi", ".sh", ".cmake", ".toml", ".yaml", ".yml", ".map", ".supp", ".lock",
           ".js", ".css"}
NAMES = {"CMakeLists.txt", "Makefile", "requirements-test.txt"}
DATA = [("tests", "fuzz", "corpus"), ("tests", "golden"), ("tests", "data"), ("abi",)]
LEFTOVER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
MACHINE = re.compile(r"(?<![\w./$}\"'-])/(?:wo" r"rk|ro" r"ot|home/\w+)/\w")
REGISTRY = re.compile(
    r"\b(?:py" r"pi\.|files\.python" r"hosted|registry\.npm|repo1?\.mav" r"en|crates\.|static\.crates|"
    r"proxy\.gol|deb\.deb" r"ian|rubygems\.|central\.sona)\w*\.?\w*\.(?:org|com|io|net|js)\b|"
    r"\b(?:py" r"pi\.org|crates\.io)\b",
)

found = Findings()
for name in files():
    if name.suffix in {".png", ".parquet", ".gz", ".zip", ".gm", ".safetensors", ".ico", ".woff2"}:
        continue
    try:
        text = read(name)
    except UnicodeDecodeError:
        if not any(name.parts[: len(d)] == d for d in DATA):
            found.error(name, 1, "not UTF-8 text")
        continue
    if any(name.parts[: len(d)] == d for d in DATA) and name.suffix not in {".c", ".h", ".py", ".sh"}:
        continue
    lines = text.splitlines()
    if (name.suffix in SOURCES or name.name in NAMES) and text and not any(SPDX in s for s in lines[:2]):
        found.error(name, 1, f"the first line (or the second, after #!) must hold {SPDX}")
    if text and not text.endswith("\n"):
        found.error(name, len(lines), "no newline at the end")
    for n, line in enumerate(lines, 1):
        if name.name == "LICENSE":
            break
        if LEFTOVER.search(line):
            found.error(name, n, "a leftover: finish it or file an issue")
        if MACHINE.search(line):
            found.error(name, n, "a path of one machine")
        if REGISTRY.search(line):
            found.error(name, n, "a registry's address: name the package, the client knows where")
        if line.rstrip() != line and name.suffix != ".md":
            found.error(name, n, "spaces at the end of the line")
        if "\t" in line and name.suffix in {".c", ".h", ".py"}:
            found.error(name, n, "a tab")
found.close()
