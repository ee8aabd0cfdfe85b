#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/feature/text/stop_words.c: the lists that Spark's loadDefaultStopWords names.

Usage: tools/stop_words.py FOLDER, with PostgreSQL's *.stop files (share/tsearch_data). Spark's own list for
English adds to PostgreSQL's what a tokenizer leaves of contractions ("don't" -> don, t).
"""

import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src/feature/text/stop_words.c"
LANGUAGES = ["danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian", "norwegian",
             "portuguese", "russian", "spanish", "swedish", "turkish"]
# What Spark's English has beside PostgreSQL's, in its order.
ENGLISH_MORE = ("now d ll m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn "
                "shan shouldn wasn weren won wouldn").split()

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
    if name == "english":
        words += [w for w in ENGLISH_MORE if w not in words]
    out += f"    /* {name} */\n"
    line = ""
    for word in words:
        if len(line) + len(word) > 98:
            out += f'    "{line}"\n'
            line = ""
        line += word + " "
    out += f'    "{line.rstrip()}",\n'
OUT.write_text(out + "};\n", encoding="utf-8")
