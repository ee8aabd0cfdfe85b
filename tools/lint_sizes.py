#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files, functions and lines of a readable size; no deep nesting. `-v` also prints the warnings."""

import re
import sys

from lintlib import Findings, code_only, files, read

FILE_MAX, FILE_GOOD, FUNCTION_MAX, LINE_MAX, NEST_MAX = 800, 400, 120, 110, 5

found = Findings()
verbose = "-v" in sys.argv
TOPS = ["src", "cmd", "serve", "include", "tests", "tools", "python", "examples", "bench", "cmake"]
for name in files(".c", ".h", ".py", ".sh", ".cmake", under=TOPS):
    if name.parts[:2] == ("tests", "golden") and name.suffix != ".py":
        continue
    raw = read(name)
    lines = raw.splitlines()
    if len(lines) > FILE_MAX:
        found.error(name, len(lines), f"{len(lines)} lines in a file, {FILE_MAX} at most: split it by idea")
    elif len(lines) > FILE_GOOD and verbose:
        found.warn(name, len(lines), f"{len(lines)} lines; about {FILE_GOOD} is a good size")
    # Python's width is ruff's business.
    if name.suffix in (".c", ".h"):
        wide = [n for n, line in enumerate(lines, 1) if len(line) > LINE_MAX]
        if wide:
            more = f" (and {len(wide) - 1} more lines)" if len(wide) > 1 else ""
            width = len(lines[wide[0] - 1])
            found.error(name, wide[0], f"{width} columns, {LINE_MAX} at most{more}: make format")
        start, depth, deepest = 0, 0, 0
        for n, line in enumerate(code_only(raw).splitlines(), 1):
            if re.match(r"\s*#", line):
                continue
            if start == 0 and line.rstrip() == "{":
                start, depth, deepest = n, 0, 0
            if start:
                for c in line:
                    if c == "{":
                        depth += 1
                        if depth - 1 > NEST_MAX and deepest == 0:
                            deepest = n
                    elif c == "}":
                        depth -= 1
                if depth <= 0 or line.startswith("}"):
                    if n - start > FUNCTION_MAX:
                        found.error(name, start, f"a function of {n - start} lines, {FUNCTION_MAX} at most")
                    if deepest:
                        found.error(name, deepest, f"nested deeper than {NEST_MAX}")
                    start = 0
found.close()
