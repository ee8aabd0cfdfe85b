# SPDX-License-Identifier: Apache-2.0
"""What the lints share: the files of the tree, C text without comments and strings, and findings."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/" r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])*'",
    re.S,
)


def files(*suffixes, under=()):
    """Tracked and new files (not ignored ones), as paths relative to the root."""
    text = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *under],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    names = [pathlib.Path(n) for n in sorted(set(text.splitlines()))]
    return [n for n in names if (not suffixes or n.suffix in suffixes) and (ROOT / n).is_file()]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def code_only(text, strings=True):
    """The text with comments (and strings) blanked, every other character in its place."""
    def sub(m):
        if m[0][0] in "\"'":
            return m[0][0] + " " * (len(m[0]) - 2) + m[0][0] if strings else m[0]
        return blank(m)
    return _TOKEN.sub(sub, text)


def line_of(text, pos):
    return text.count("\n", 0, pos) + 1


class Findings:
    """Errors fail the lint; warnings only print."""

    def __init__(self):
        self.errors = 0
        self.warnings = 0

    def error(self, name, line, text):
        print(f"{name}:{line}: {text}")
        self.errors += 1

    def warn(self, name, line, text):
        print(f"{name}:{line}: warning: {text}")
        self.warnings += 1

    def close(self):
        sys.exit(self.errors != 0)
