#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the Python package takes from the tables of the built library:
_stages.json (so that importing needs no library) and __init__.pyi (signatures and docstrings for
editors and type checkers). Usage: gen_python.py [LIBRARY]"""

import inspect
import json
import os
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "gristmill"
os.environ["GRISTMILL_LIBRARY"] = (
    sys.argv[1] if sys.argv[1:] else str(ROOT / "build" / "lib" / "libgristmill.so")
)
sys.dont_write_bytecode = True
sys.path.insert(0, str(PACKAGE.parent))

import gristmill as gm  # noqa: E402
from gristmill import _errors, _lib, _models, _params, _registry  # noqa: E402


def write(path, text):
    """Writes aside and renames; a file that would not change keeps its text but gets the new time."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def doc(text, indent="    "):
    body = textwrap.indent((text or "").strip().replace("\\", "\\\\").replace('"""', "'''"), indent).strip()
    return f'{indent}"""{body}"""' if body else ""


def function(name):
    f = getattr(gm, name)
    return f"def {name}{inspect.signature(f)}:\n{doc(inspect.getdoc(f))}\n    ...\n"


def parameters(rows, words=()):
    given = []
    for row in rows.values():
        text = _params.annotation(row)
        default = row.get("default")
        given.append(
            f"{row['name']}: {text} = {default!r}" if default == default else f"{row['name']}: {text} = ..."
        )
        if _registry.snake(row["name"]) != row["name"]:
            given.append(f"{_registry.snake(row['name'])}: {text} = ...")
    given += [f"{w}: object = None" for w in words]
    return ", ".join(given)


def accessors(rows, name, setters=True):
    lines = []
    for row in rows.values():
        cap, kind = row["name"][0].upper() + row["name"][1:], _params.annotation(row)
        lines.append(f"    def get{cap}(self) -> {kind}: ...")
        if setters:
            lines.append(f"    def set{cap}(self, value: {kind}) -> {name}: ...")
    return lines


def stage(cls, base):
    init = f"    def __init__(self, *, {parameters(cls._rows, cls._words)}) -> None: ..."
    return [f"class {cls._name}({base}):", doc(cls.__doc__), init, *accessors(cls._rows, cls._name), ""]


def fitted(cls, row):
    lines = [f"class {cls.__name__}({cls.__mro__[1].__name__}):", doc(cls.__doc__)]
    known = _models.ATTRIBUTES.get(row["name"], {})
    for name, (_, text) in known.items():
        lines += ["    @property", f"    def {name}(self) -> Any:", doc(text, "        "), "        ..."]
    lines += [f"    {s['name']}: Any" for s in row.get("state") or [] if s["name"] not in known]
    return [*lines, *accessors(cls._rows, cls.__name__, setters=False), ""]


def stubs(registry):
    out = [
        "# ruff: noqa",
        "# Written by tools/gen_python.py from the library's tables.",
        doc(gm.__doc__, ""),
        "",
        "from typing import Any",
        "",
    ]
    for module, names in gm._PLACES.items():
        out.append(f"from .{module} import " + ", ".join(f"{n} as {n}" for n in names))
    out.append("from ._models import Learned, LearnedClassifier")
    out += [
        "from ._errors import Error as Error, Warning as Warning",
        "from . import functions as F, functions as functions",
        "",
    ]
    out += ["__version__: str", ""]
    for name, _, _, builtin, text in _errors._CODES:
        out += [f"class {name}(Error, {builtin.__name__}):", doc(text), "    ...", ""]
    out += [function(name) for name in gm._FUNCTIONS]
    for row in registry["stages"]:
        cls = getattr(gm, row["name"])
        out += stage(cls, cls.__mro__[1].__name__)
        if row["kind"] != "transformer":
            out += fitted(getattr(gm, row["name"] + "Model"), row)
    for row in registry["evaluators"]:
        out += stage(getattr(gm, row["name"]), "Evaluator")
    return "\n".join(line for line in out if line is not None) + "\n"


def main():
    registry = json.loads(_lib.ask("gm_registry"))
    write(PACKAGE / "__init__.pyi", stubs(registry))
    write(PACKAGE / "_stages.json", json.dumps(registry, ensure_ascii=False, separators=(",", ":")))


main()
