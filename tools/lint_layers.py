#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file includes a folder that LAYERS.txt does not list for its own.

cmd/ and serve/ are programs: they see <gristmill.h>, system headers, yyjson and their own
headers, and nothing of src/.
"""

import re

from lintlib import ROOT, Findings, code_only, files, line_of, read

found = Findings()
allow = {}
for number, line in enumerate(read("LAYERS.txt").splitlines(), 1):
    line = line.split("#")[0].strip()
    if not line:
        continue
    name, _, below = line.partition(":")
    for folder in below.split():
        if folder not in allow:
            found.error("LAYERS.txt", number, f"{name} uses {folder}, which is listed after it or nowhere")
    allow[name.strip()] = {name.strip(), *below.split()}

include = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.M)
for name in files(".c", ".h", under=["src", "cmd", "serve", "include", "examples/c"]):
    text = code_only(read(name), strings=False)
    top = name.parts[0]
    mine = name.parts[1] if top == "src" and len(name.parts) > 2 else None
    if top == "src" and mine not in allow:
        found.error(name, 1, f"the folder src/{mine} is not in LAYERS.txt")
        continue
    for m in include.finditer(text):
        line, path = line_of(text, m.start()), m[2]
        if top == "src":
            if path == "gristmill.h" and mine not in ("base", "api"):
                found.error(name, line, "only base/cx.h (for gm_code) and src/api include <gristmill.h>")
            if m[1] == "<":
                continue
            folder = path.split("/")[0]
            if "/" not in path:
                found.error(name, line, f'write "{mine}/{path}" for our own, <{path}> for others')
            elif folder not in allow:
                found.error(name, line, f"{folder} is not a folder of LAYERS.txt")
            elif folder not in allow[mine]:
                found.error(name, line, f"{mine} may not include {folder} (LAYERS.txt)")
        elif top == "include":
            if m[1] == '"':
                found.error(name, line, "the public header includes only the C library's")
        elif m[1] == '"' and not (ROOT / name.parent / path).is_file() and not (ROOT / top / path).is_file():
            found.error(name, line, f"{top} sees only <gristmill.h> and its own headers, not {path}")
        elif (ROOT / "src" / path).is_file():
            found.error(name, line, f"{top} sees nothing of src/")
found.close()
