#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes murmur3.inc: MurmurHash3_x86_32 with seed 42, by scikit-learn's murmurhash3_32.

That is another implementation than ours.
"""

from pathlib import Path

from sklearn.utils import murmurhash3_32

TEXTS = ["", "a", "b", "c", "ab", "abc", "abcd", "abcde", "spark", "string=foo", "caf\u00e9", "\u4e2d\u6587",
         "a text that is rather longer than one block of four bytes"]


def c_string(text):
    return '"' + "".join(chr(b) if 32 <= b < 127 else f"\\{b:03o}" for b in text.encode()) + '"'


lines = [f"    {{{c_string(t)}, {murmurhash3_32(t.encode(), seed=42, positive=True)}u}},\n" for t in TEXTS]
Path(__file__).with_suffix(".inc").write_text("".join(lines))
