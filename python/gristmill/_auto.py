# SPDX-License-Identifier: Apache-2.0
"""Low code: a pipeline for a table and a label, and the model of it."""

from __future__ import annotations

import json
from ctypes import byref, c_void_p

from . import _lib
from ._stages import Pipeline
from ._table import table


def auto(data, label: str, *, learner=None, test=None, seed=None, exclude=None, keep=None) -> Pipeline:
    """The low-code pipeline for a table; see gristmill.auto."""
    rows, given = table(data), {"label": label}
    if learner is not None:
        given["learner"] = learner if isinstance(learner, str) else learner._name
    for name, value in (("test", test), ("seed", seed)):
        if value is not None:
            given[name] = value
    for name, value in (("exclude", exclude), ("keep", keep)):
        if value is not None:
            given[name] = [value] if isinstance(value, str) else list(value)
    handle, options = rows._handle, _lib.dump(given)

    def work(call):
        out, report = c_void_p(), c_void_p()
        lib = _lib.library()
        call.check(lib.gm_pipeline_auto(call.cx, handle.pointer, options, byref(out), byref(report)))
        try:
            import ctypes

            return _lib.Handle("pipeline", out.value), json.loads(ctypes.string_at(report.value))
        finally:
            lib.gm_free(report)

    handle, why = _lib.run(work, "look at the columns")
    made = Pipeline._of(json.loads(_lib.ask("gm_pipeline_text", handle, b"json", 0)))
    made.report = why
    return made


def train(data, label: str, *, model=None, report=None, init=None, **options):
    """Trains on a table with nothing but a label; see gristmill.train."""
    rows = table(data)
    pipeline = auto(rows, label, **options)
    fitted = pipeline.fit(rows, init=init)
    fitted._why = pipeline.report
    if model is not None:
        fitted.save(model)
    if report is not None:
        fitted.report.save(report)
    return fitted
