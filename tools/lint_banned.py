#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on calls that have no place in the library.

A line that must use one says why:   /* lint: allow NAME: reason */   on the line or the one above.
"""

import re

from lintlib import Findings, code_only, files, line_of, read

EVERYWHERE = {
    "strcpy": "use memcpy with a known length, or snprintf",
    "strcat": "use snprintf or a string builder",
    "sprintf": "use snprintf",
    "vsprintf": "use vsnprintf",
    "gets": "use fgets",
    "strtok": "use strtok_r or strcspn",
    "atoi": "use strtol and check", "atol": "use strtol and check", "atof": "use strtod and check",
    "alloca": "use an arena",
    "tmpnam": "use mkstemp", "mktemp": "use mkstemp",
    "rand": "use the counter-based generator", "srand": "use the counter-based generator",
}
LIBRARY = {
    "exit": "return a gm_code", "_exit": "return a gm_code", "abort": "return a gm_code",
    "assert": "check and return a gm_code, or static_assert",
    "printf": "the library prints nothing: emit an event", "vprintf": "emit an event",
    "puts": "emit an event", "putchar": "emit an event", "perror": "emit an event",
    "setlocale": "the process's locale is not ours", "signal": "signals are not ours",
    "system": "start no shell", "popen": "start no shell",
}
MEMORY = {
    n: "outside src/base memory comes from an arena"
    for n in ("malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign", "strdup", "strndup",
              "reallocarray")
}
POINTER = re.compile(r"^[ \t]*typedef\b[^;(){}]*\*[ \t]*(?:const[ \t]+)?\w+[ \t]*;", re.M)
STDOUT = re.compile(r"\b(?:fprintf|vfprintf|fputs|fputc|putc|fwrite)[ \t]*\([^;]*\b(?:stdout|stderr)\b")


def pattern(words):
    return re.compile(r"(?<![\w.>])(" + "|".join(map(re.escape, words)) + r")[ \t]*\(")


def allowed(lines, line, word):
    """The line, or the one above, says that this word is meant."""
    near = lines[max(line - 2, 0):line]
    return any(re.search(rf"lint: allow [^*]*\b{re.escape(word)}\b", s) for s in near)


found = Findings()
for name in files(".c", ".h", under=["src", "cmd", "serve", "include"]):
    raw = read(name)
    lines = raw.splitlines()
    text = code_only(raw)
    rules = dict(EVERYWHERE)
    if name.parts[0] == "src":
        rules.update(LIBRARY)
        if name.parts[1] != "base":
            rules.update(MEMORY)

    for m in pattern(rules).finditer(text):
        line = line_of(text, m.start())
        # A declaration or an ops struct's member of the same name is not a call.
        if not allowed(lines, line, m[1]):
            found.error(name, line, f"{m[1]}: {rules[m[1]]}")
    for m in POINTER.finditer(text):
        line = line_of(text, m.start())
        if not allowed(lines, line, "typedef"):
            found.error(name, line, "typedef hides a pointer: write the * where it is used")
    if name.parts[0] == "src":
        for m in STDOUT.finditer(text):
            line = line_of(text, m.start())
            if not allowed(lines, line, "stdout") and not allowed(lines, line, "stderr"):
                found.error(name, line, "the library prints nothing: emit an event")
found.close()
