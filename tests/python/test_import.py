# SPDX-License-Identifier: Apache-2.0
"""Importing is cheap, names exist, and the classes look like classes written by hand."""

import ast
import inspect
import re

import gristmill as gm
import pytest
from conftest import ROOT


def test_import_takes_under_50_ms_and_loads_no_frames(run):
    code = (
        "import time, sys; t = time.perf_counter(); import gristmill as gm; s = time.perf_counter() - t\n"
        "print(s); print([m for m in ('numpy', 'pandas', 'pyarrow', 'polars') if m in sys.modules])"
    )
    times = []
    for _ in range(3):
        seconds, loaded = run(code).stdout.splitlines()
        assert loaded == "[]"
        times.append(float(seconds))
    assert min(times) < 0.05


def test_naming_a_class_loads_neither_frames_nor_the_library(run):
    code = (
        "import sys, gristmill as gm; gm.LogisticRegression(maxIter=5); gm.Pipeline\n"
        "from gristmill import _lib\n"
        "print([m for m in ('numpy', 'pandas', 'pyarrow', 'polars') if m in sys.modules], _lib._library)"
    )
    assert run(code).stdout.strip() == "[] None"


def test_every_name_of_dir_exists():
    for name in dir(gm):
        assert getattr(gm, name) is not None, name
    assert set(gm.__all__) <= set(dir(gm))


def test_star_import_hides_no_builtin(run):
    code = (
        "import builtins; names = set(dir(builtins)); from gristmill import *\nprint(names & set(globals()))"
    )
    out = run(code)
    assert out.returncode == 0, out.stderr
    assert "SyntaxError" not in out.stdout and "Warning" not in out.stdout


def test_unknown_name_says_the_nearest():
    with pytest.raises(AttributeError, match="did you mean 'LogisticRegression'"):
        gm.LogisticRegresion  # noqa: B018


def test_every_stage_has_signature_docstring_and_accessors():
    for name in gm.stages():
        cls = getattr(gm, name)
        assert cls.__name__ == name and cls.__module__ == "gristmill"
        signature = inspect.signature(cls)
        assert all(p.kind is p.KEYWORD_ONLY for p in signature.parameters.values())
        for param, row in cls._rows.items():
            assert repr(signature.parameters[param].default) == repr(row.get("default"))
            assert re.search(rf"^{param} : ", inspect.getdoc(cls), re.M), (name, param)
            cap = param[0].upper() + param[1:]
            made = cls()
            assert repr(getattr(made, f"get{cap}")()) == repr(row.get("default"))
            assert made.explainParam(param).startswith(param + ": ")


def test_version_is_the_library_s():
    from gristmill import _lib

    assert gm.__version__ == _lib.version()


def test_codes_are_those_of_the_header():
    from gristmill import _errors

    text = (ROOT / "include" / "gristmill.h").read_text()
    rows = re.findall(r'X\((GM_\w+), (\d+), "[^"]*", \d+, \d+, "(\w*)"\)', text)
    ours = {(code, str(value), name) for name, code, value, _, _ in _errors._CODES}
    assert {r for r in rows if r[1] != "0"} == ({(c, v, n) for c, v, n in ours})
    for name, _, _, builtin, _ in _errors._CODES:
        assert issubclass(getattr(gm, name), gm.Error) and issubclass(getattr(gm, name), builtin)


def test_every_function_of_the_header_has_types():
    from gristmill import _lib

    text = (ROOT / "include" / "gristmill.h").read_text()
    assert set(_lib._FUNCTIONS) == set(re.findall(r"^GM_API [^;(]*?\b(gm_\w+)\(", text, re.M))


def test_stubs_name_everything():
    path = ROOT / "python" / "gristmill" / "__init__.pyi"
    if not path.exists():
        pytest.fail("the build writes __init__.pyi: run make")
    tree = ast.parse(path.read_text())
    defined = set()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            defined.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            defined |= {a.asname or a.name for a in node.names}
        elif isinstance(node, ast.AnnAssign):
            defined.add(node.target.id)
    assert set(dir(gm)) <= defined


def test_functions_have_docstrings():
    for name in gm._FUNCTIONS:
        assert inspect.getdoc(getattr(gm, name))
    for cls in (gm.Table, gm.PipelineModel, gm.Pipeline, gm.Column):
        for name, method in inspect.getmembers(cls, inspect.isfunction):
            if not name.startswith("_") and len(inspect.signature(method).parameters) > 2:
                assert inspect.getdoc(method), f"{cls.__name__}.{name}"
