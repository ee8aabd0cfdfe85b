#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Explicit lists are complete: every stage is in its folder's all.c, every unit test mirrors
a source file."""

import re

from lintlib import ROOT, Findings, code_only, files, line_of, read

found = Findings()
DEFINED = re.compile(r"^const[ \t]+gm_stage[ \t]+(gm_stage_\w+)[ \t]*=", re.M)
for name in files(".c", under=["src"]):
    text = code_only(read(name))
    for m in DEFINED.finditer(text):
        lists = [p for p in (ROOT / name).parents if (p / "all.c").is_file() and p != ROOT]
        where = lists[0] / "all.c" if lists else ROOT / "src" / name.parts[1] / "all.c"
        if not where.is_file():
            found.error(name, line_of(text, m.start()), f"{m[1]}: no {where.relative_to(ROOT)} to list it in")
        elif not any(re.search(rf"&{m[1]}\b", code_only(read(p.relative_to(ROOT) / "all.c"))) for p in lists):
            found.error(name, line_of(text, m.start()), f"{m[1]} is not listed in {where.relative_to(ROOT)}")

stems, folders = set(), set()
for name in files(".c", ".h", under=["src"]):
    stem = name.stem.removesuffix("_isa")
    stems |= {stem, f"{name.parts[1]}_{stem}"}
    folders |= set(name.parts[1:-1])
for name in files(".c", under=["tests/unit"]):
    m = re.fullmatch(r"test_(\w+)", name.stem)
    if m and m[1] not in stems and m[1] not in folders:
        found.error(name, 1, f"tests/unit mirrors src: no file or folder there is named '{m[1]}'")

seen = {}
for name in files(".c", under=["src", "cmd"]):
    if name.name in {"all.c"}:
        continue
    if name.name in seen and name.parts[0] == seen[name.name].parts[0]:
        found.error(name, 1, f"the name is taken by {seen[name.name]}: file names are unique in the tree")
    seen[name.name] = name
found.close()
