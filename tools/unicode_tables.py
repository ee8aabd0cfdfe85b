#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/feature/text/unicode_tables.h from Python's Unicode database: case and classes."""

import sys
import unicodedata
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src/feature/text/unicode_tables.h"


def lower_runs():
    """Runs (first, last, stride, delta) of code points that become one other code point."""
    runs = []
    for c in range(sys.maxunicode + 1):
        low = chr(c).lower()
        if len(low) != 1 or ord(low) == c or c < 128:
            continue
        delta = ord(low) - c
        if runs:
            first, last, stride, d = runs[-1]
            if d == delta and (c - last == stride or (first == last and c - last <= 2)):
                runs[-1] = (first, c, c - last, d)
                continue
        runs.append((c, c, 1, delta))
    return runs


def class_ranges(letter):
    ranges = []
    for c in range(sys.maxunicode + 1):
        if not unicodedata.category(chr(c)).startswith(letter):
            continue
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    return ranges


def rows(items):
    text, line = "", "   "
    for item in items:
        cell = " {" + ", ".join(str(v) for v in item) + "},"
        if len(line) + len(cell) > 110:
            text += line + "\n"
            line = "   "
        line += cell
    return text + line + "\n"


out = f"""/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unicode_tables.h - made by tools/unicode_tables.py from Unicode {unicodedata.unidata_version}:
 * change that, not this.
 */
/* clang-format off */
#ifndef GM_FEATURE_UNICODE_TABLES_H
#define GM_FEATURE_UNICODE_TABLES_H
#include <stdint.h>

typedef struct gm_lower_run {{
    uint32_t first, last;
    uint32_t stride;
    int32_t delta;
}} gm_lower_run;
typedef struct gm_range {{
    uint32_t lo, hi;
}} gm_range;

static const gm_lower_run gm_lower_runs[] = {{
{rows(lower_runs())}}};
"""
CLASSES = {"L": "letters", "M": "marks", "N": "numbers", "P": "punctuation", "S": "symbols"}
for letter, name in CLASSES.items():
    out += f"static const gm_range gm_unicode_{name}[] = {{\n{rows(class_ranges(letter))}}};\n"
out += "#endif\n"
OUT.write_text(out)
