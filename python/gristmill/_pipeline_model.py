# SPDX-License-Identifier: Apache-2.0
"""Fitted pipelines: transforming, judging, saving, pickling, and the pages about them."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_size_t, c_void_p

from . import _errors, _lib, _registry
from ._saving import ModelReader, ModelWriter
from ._table import Table, table


class PipelineModel:
    """A fitted pipeline: transforms tables, is saved to one file and loaded again. Immutable; any thread may
    use it."""

    def __init__(self, handle: _lib.Handle, uid: str = None, why: dict = None):
        self._handle, self._cached, self._why = handle, None, why
        self.uid = uid or f"PipelineModel_{os.urandom(6).hex()}"

    # ---- what it is ----

    @property
    def info(self) -> dict:
        """Everything about the model as one document: schema, stages, parameters, metrics, how it was
        fitted."""
        if self._cached is None:
            self._cached = json.loads(_lib.ask("gm_model_info", self._handle))
        return self._cached

    @property
    def stages(self) -> list:
        """The fitted stages, in order."""
        return [self._stage(i) for i in range(len(self.info["stages"]))]

    def _stage(self, i, whole=False):
        name = self.info["stages"][i]["name"]
        from ._models import model_class_of

        return model_class_of(name)(self, i, whole)

    def _alone(self, i):
        """The model of a stage that was fitted by itself (with helpers of ours in front)."""
        return self._stage(i, whole=True)

    @property
    def metrics(self) -> dict:
        """{"train": {...}, "test": {...}}: what was measured while fitting."""
        return self.info.get("metrics") or {}

    @property
    def features(self) -> list:
        """Names of the elements of the learner's feature vector."""
        return self.info.get("features") or []

    @property
    def labels(self) -> list:
        """The class labels in the order of their indices."""
        return self.info.get("labels") or []

    @property
    def task(self) -> str:
        """binary, multiclass or regression; "" without a learner."""
        return self.info.get("task") or ""

    @property
    def schema(self) -> list:
        """The columns that transform needs."""
        return self.info.get("schema") or []

    @property
    def pipeline(self):
        """The pipeline that was fitted, to be fitted again."""
        from ._stages import Pipeline

        return Pipeline._of(self.info["pipeline"])

    @property
    def report(self) -> Report:
        """What was decided, done and measured; report.save(path) writes the HTML page."""
        return Report(self)

    def copy(self, extra=None) -> PipelineModel:
        """This model: it never changes."""
        return self

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self

    # ---- using it ----

    def transform(self, data, params=None, *, columns=None, intermediate: bool = False) -> Table:
        """The table with the model's outputs added, lazily, rows in their order.

        Parameters
        ----------
        data : Table, or anything gm.table takes
        columns : list of str, optional
            The outputs to add. Default: prediction, rawPrediction and probability of a learner, in this
            order, else all.
        intermediate : bool
            Adds every stage's outputs, as Spark does.
        """
        if params:
            raise _errors.UsageError(
                "a fitted model takes no parameters", "set them on the stage and fit again"
            )
        options = {}
        if columns is not None:
            options["columns"] = [columns] if isinstance(columns, str) else list(columns)
        if intermediate:
            options["intermediate"] = True
        return self._transform(data, options)

    def _read(self, data):
        """The table of what is given for rows of this model."""
        rows = table(data)
        if rows._bare is not None:
            self._check_bare(rows._bare)
        return self._typed(rows)

    def _check_bare(self, width):
        """The columns of an array have no names but places: it must be as wide as the one that was fitted."""
        names = [c["name"] for c in self.schema if c.get("required", True)]
        places = [int(n[1:]) for n in names if n[:1] == "x" and n[1:].isdecimal()]
        if len(places) < len(names):
            raise _errors.SchemaError(
                f"an array of {width} columns has no names, and the model reads {_some(names)}",
                "give a frame or a dict of columns with these names",
            )
        stages = self.info["stages"]
        exact = (
            len(stages) == 2
            and stages[0]["name"] == "VectorAssembler"
            and stages[0]["inputs"] == names == [f"x{k}" for k in range(len(names))]
            and not any(c["name"] == f"x{len(names)}" for c in self.schema)
        )
        need = max(places, default=-1) + 1
        if width < need or (exact and width > need):
            raise _errors.SchemaError(
                f"the array has {_count(width, 'column')}, and the model was fitted on {need}",
                "give the columns of the fit, in its order; array.reshape(1, -1) makes one row",
            )

    def _transform(self, data, options):
        rows = self._read(data)
        handle = _lib.make(
            "table",
            "gm_model_transform",
            self._handle,
            rows._handle,
            _lib.dump(options),
            title="transform",
        )
        return Table(handle, rows._notes)

    def _output(self, role, default):
        for stage in reversed(self.info["stages"]):
            if _registry.stages().get(stage["name"], {}).get("kind") in ("classifier", "regressor"):
                return stage.get("params", {}).get(role) or default
        raise _errors.UsageError("this pipeline has no learner, so it predicts nothing", "use transform")

    def predict(self, data):
        """The predictions as a NumPy array."""
        name = self._output("predictionCol", "prediction")
        return self.transform(data, columns=[name]).to_numpy(name)

    def predict_proba(self, data):
        """The probabilities of the classes as a NumPy array, rows by classes."""
        name = self._output("probabilityCol", "probability")
        return _matrix(self.transform(data, columns=[name]).to_numpy(name))

    def evaluate(self, data) -> dict:
        """All metrics that fit the task, on a table that has the label; None where one is undefined."""
        rows = self._weighed(self._read(data))
        text = _lib.ask("gm_model_evaluate", self._handle, rows._handle, b"{}", title="evaluate")
        return json.loads(text)

    def _typed(self, rows):
        """Columns without any value, of no type, as the types that the model knows."""
        known = {c["name"]: c["type"] for c in self.schema}
        casts = {n: f"CAST(NULL AS {known[n]})" for n in rows._untyped if n in known}
        return rows.withColumns(casts) if casts else rows

    def _weighed(self, rows):
        """Where the weights of training are not there, every row counts 1."""
        try:
            name = self._output("weightCol", None)
        except _errors.UsageError:
            return rows
        return rows if name is None or name in rows.columns else rows.withColumn(name, 1.0)

    # ---- files ----

    def save(self, path):
        """Writes the model to one file; it appears whole or not at all, and replaces a file of that name."""
        text = _lib.encode(path, "path")
        lib = _lib.library()
        _lib.run(lambda call: call.check(lib.gm_model_save(call.cx, self._handle.pointer, text)), "save")

    def write(self) -> ModelWriter:
        """Spark's way: model.write().overwrite().save(path)."""
        return ModelWriter(self)

    @classmethod
    def load(cls, path) -> PipelineModel:
        """Reads a model file."""
        return cls(_lib.make("model", "gm_model_load", _lib.encode(path, "path"), title="load"))

    @classmethod
    def read(cls) -> ModelReader:
        """Spark's way: PipelineModel.read().load(path)."""
        return ModelReader(cls)

    def to_bytes(self) -> bytes:
        """The model file's bytes."""
        lib, out, size = _lib.library(), c_void_p(), c_size_t()

        def work(call):
            call.check(lib.gm_model_write(call.cx, self._handle.pointer, byref(out), byref(size)))
            try:
                return ctypes.string_at(out.value, size.value)
            finally:
                lib.gm_free(out)

        return _lib.run(work)

    @classmethod
    def from_bytes(cls, data: bytes) -> PipelineModel:
        """A model from the bytes of a model file."""
        return cls(_lib.make("model", "gm_model_read", bytes(data), len(data)))

    def __reduce__(self):
        return _unpickle, (type(self), self.to_bytes(), self.uid, self._why)

    # ---- showing it ----

    def __repr__(self):
        return f"PipelineModel(stages=[{', '.join(s['name'] for s in self.info['stages'])}])"

    def _repr_html_(self):
        from ._show import grid

        info = self.info
        parts = [f"<b>PipelineModel</b> {grid(['stage', 'reads', 'makes', 'parameters'], _stage_rows(info))}"]
        if self.features:
            parts.append(
                grid(["features"], [[f"{len(self.features)}: {', '.join(map(str, self.features[:12]))}"]])
            )
        if _metric_rows(info):
            parts.append(grid(["rows", "metric", "value"], _metric_rows(info)))
        return "".join(parts)


def _unpickle(cls, data, uid, why):
    made = cls.from_bytes(data)
    made.uid, made._why = uid, why
    return made


def _stage_rows(info):
    for s in info["stages"]:
        params = ", ".join(
            f"{k}={v}" for k, v in (s.get("params") or {}).items() if not k.endswith(("Col", "Cols"))
        )
        yield s["name"], _few(s.get("inputs")), _few(s.get("outputs")), params[:200]


def _few(names):
    names = [str(n) for n in names or []]
    return ", ".join(names[:8]) + (f", ... ({len(names)})" if len(names) > 8 else "")


def _metric_rows(info):
    return [
        (
            part,
            name,
            f"{value:.6g}" if isinstance(value, (int, float)) else "undefined" if value is None else value,
        )
        for part, found in (info.get("metrics") or {}).items()
        for name, value in (found or {}).items()
        if not isinstance(value, (dict, list))
    ]


def _matrix(array):
    """An object array of lists, one length, as a matrix."""
    if array.dtype == object:
        import numpy as np

        return np.array([list(row) for row in array], dtype="f8")
    return array


def _count(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def _some(names):
    return ", ".join(map(repr, names[:6])) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _decided(info):
    """What low code decided, as the model keeps it."""
    keys = ("task", "why", "label", "columns")
    return {k: info[k] for k in keys if k in info} if "columns" in info else {}


class Report(dict):
    """What the low-code pipeline decided ("task", "why", "columns"), what fitting did ("fit") and the
    metrics."""

    def __init__(self, model):
        info = model.info
        decided = model._why or _decided(info)
        super().__init__({**decided, "metrics": model.metrics, "fit": info.get("fit") or {}})
        self.setdefault("task", model.task)
        self._model = model

    def save(self, path):
        """Writes the HTML report: one self-contained page."""
        text, lib = _lib.encode(path, "path"), _lib.library()
        handle = self._model._handle
        _lib.run(lambda call: call.check(lib.gm_model_report(call.cx, handle.pointer, text)), "report")

    def __reduce__(self):
        return Report, (self._model,)

    def _repr_html_(self):
        from ._show import grid

        parts = [grid(["task", "why"], [(self.get("task"), self.get("why", ""))])]
        columns = self.get("columns")
        if columns:
            head = ["name", "type", "use", "why"]
            parts.append(grid(head, [[c.get(k) for k in head] for c in columns]))
        rows = _metric_rows(self._model.info)
        if rows:
            parts.append(grid(["rows", "metric", "value"], rows))
        return "".join(parts)


# ---- fitted stages -------------------------------------------------------------------------------
