#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/feature/text/stop_words.c: the lists that Spark's loadDefaultStopWords names.

Usage: tools/stop_words.py FOLDER, with PostgreSQL's *.stop files (share/tsearch_data). Spark's own list for
English adds contractions to PostgreSQL's. Its Hungarian one spells some words with a tilde, PostgreSQL's with
the double acute that Hungarian has, which is kept.
"""

import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src/feature/text/stop_words.c"
LANGUAGES = [
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "russian",
    "spanish",
    "swedish",
    "turkish",
]
# What Spark's lists have beside PostgreSQL's.
MORE = {
    "english": """now i'll you'll he'll she'll we'll they'll i'd you'd he'd she'd we'd they'd i'm you're he's
        she's it's we're they're i've we've you've they've isn't aren't wasn't weren't haven't
        hasn't hadn't don't doesn't didn't won't wouldn't shan't shouldn't mustn't can't couldn't
        cannot could here's how's let's ought that's there's what's when's where's who's
        why's would""".split(),
    "french": ["les"],
}

out = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop_words.c - made by tools/stop_words.py: change that, not this. Common words by language, with a blank
 * between; from PostgreSQL's text search (PostgreSQL Licence, see NOTICE), English as in Spark.
 */
/* clang-format off */
#include "feature/text/stop_words.h"
#include <stddef.h>

const char *const gm_stop_languages[] = {
"""
out += "".join(f'    "{name}",\n' for name in LANGUAGES) + "    NULL,\n};\n\n"
out += "const char *const gm_stop_lists[] = {\n"
for name in LANGUAGES:
    words = Path(sys.argv[1], name + ".stop").read_text(encoding="utf-8").split()
    words += [w for w in MORE.get(name, []) if w not in words]
    out += f"    /* {name} */\n"
    line = ""
    for word in words:
        if len(line) + len(word) > 98:
            out += f'    "{line}"\n'
            line = ""
        line += word + " "
    out += f'    "{line.rstrip()}",\n'
OUT.write_text(out + "};\n", encoding="utf-8")
