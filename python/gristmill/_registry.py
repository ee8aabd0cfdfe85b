# SPDX-License-Identifier: Apache-2.0
"""The library's registry of stages and evaluators: from _stages.json, which the build writes so that
importing needs no library, or from the library when that file is missing or older than it."""

from __future__ import annotations

import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "_stages.json")

_loaded = None


def _fresh() -> bool:
    if os.environ.get("GRISTMILL_LIBRARY"):
        return False
    try:
        written = os.stat(PATH).st_mtime_ns
    except OSError:
        return False
    for place in ((HERE,), (HERE, "..", "..", "build", "lib")):
        try:
            # In a wheel both files carry the time of the wheel.
            return os.stat(os.path.join(*place, "libgristmill.so")).st_mtime_ns <= written or place == (HERE,)
        except OSError:
            continue
    return True


def load() -> dict:
    """{"version", "stages", "evaluators", "codes"}"""
    global _loaded
    if _loaded is None:
        if _fresh():
            with open(PATH, encoding="utf-8") as file:
                _loaded = json.load(file)
        else:
            from . import _lib

            _loaded = json.loads(_lib.ask("gm_registry"))
        for row in _loaded["stages"] + _loaded["evaluators"]:
            for p in row["params"]:
                if p["type"] == "real" and isinstance(p.get("default"), str):
                    p["default"] = float(p["default"])  # JSON has no NaN and no infinity
    return _loaded


def stages() -> dict:
    """{name: row} of every stage."""
    return {s["name"]: s for s in load()["stages"]}


def evaluators() -> dict:
    """{name: row} of every evaluator."""
    return {e["name"]: e for e in load()["evaluators"]}


def snake(name: str) -> str:
    """regParam -> reg_param, minDF -> min_df."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
