# SPDX-License-Identifier: Apache-2.0
"""Fitted pipelines and their stages, with Spark's attributes as NumPy arrays, and saving, loading and
pickling."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_size_t, c_void_p

from . import _arrow, _errors, _lib, _registry
from ._params import Params, accessors
from ._sources import from_lists
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
        yield s["name"], _some(s.get("inputs")), _some(s.get("outputs")), params[:200]


def _some(names):
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


class ModelWriter:
    """Spark's writer: save refuses a path that exists unless overwrite() was called."""

    def __init__(self, what):
        self._what, self._over = what, False

    def overwrite(self) -> ModelWriter:
        self._over = True
        return self

    def save(self, path):
        if not self._over and os.path.lexists(path):
            raise _errors.FileError(f"{os.fspath(path)} exists already", "use write().overwrite().save(path)")
        self._what.save(path)


class ModelReader:
    def __init__(self, cls):
        self._cls = cls

    def load(self, path):
        return self._cls.load(path)


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


class Model(Params):
    """A fitted stage. Its state is there by name, under Spark's names, as NumPy arrays (texts as lists)."""

    _word_values: dict = {}

    def __init__(self, pipe: PipelineModel, index: int, whole: bool = False):
        self._pipe, self._index, self._whole = pipe, index, whole
        row = self._row_info
        self.uid = row.get("uid") or f"{row['name']}_{index}"
        known = {k: v for k, v in (row.get("params") or {}).items() if k in self._rows}
        self._values = {k: v for k, v in known.items() if v is not None}

    @property
    def _row_info(self) -> dict:
        return self._pipe.info["stages"][self._index]

    @property
    def info(self) -> dict:
        """What the model file says of this stage."""
        return self._row_info

    def set(self, param, value):
        raise _errors.UsageError(
            "a fitted model does not change", "set the parameter on the stage and fit again"
        )

    def _set_all(self, params):
        return self.set(None, None) if params else self

    def copy(self, extra=None):
        """This model: it never changes."""
        return self._set_all(extra or {})

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _stage_of, (self._pipe, self._index, self._whole)

    # ---- state ----

    def _state_rows(self) -> dict:
        return {s["name"]: s for s in self._row_info.get("state") or []}

    def state(self, name: str):
        """One array of the fitted state: numbers as a NumPy array, texts as a list."""
        schema, array, lib = _arrow.Schema(), _arrow.Array(), _lib.library()
        key = _lib.encode(name, "a state's name")

        def work(call):
            code = lib.gm_model_state(
                call.cx, self._pipe._handle.pointer, self._index, key, byref(array), byref(schema)
            )
            call.check(code)
            try:
                if schema.format in (b"u", b"U", b"vu"):
                    return _arrow.to_list(schema, array)
                return _arrow.to_numpy(schema, array)
            finally:
                for part in (array, schema):
                    if part.release:
                        part.release(byref(part))

        return _lib.run(work)

    def __getattr__(self, name):
        if not name.startswith("_") and name in self._state_rows():
            return self.state(name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __dir__(self):
        return [*super().__dir__(), *self._state_rows()]

    # ---- use ----

    def transform(self, data, params=None, **options) -> Table:
        """The table with this stage's outputs added, lazily."""
        if params:
            raise _errors.UsageError(
                "a fitted model takes no parameters", "set them on the stage and fit again"
            )
        if self._whole:
            return self._pipe.transform(data, **options)
        settings = {"stages": self._index + 1, "first": self._index, "intermediate": True}
        if options.get("columns") is not None:
            settings["columns"] = list(options["columns"])
        return self._pipe._transform(data, settings)

    def save(self, path):
        """Writes the model file. A stage of a larger pipeline saves that pipeline's model."""
        self._pipe.save(path)

    def write(self) -> ModelWriter:
        """Spark's way: model.write().overwrite().save(path)."""
        return ModelWriter(self)

    @classmethod
    def load(cls, path):
        """Reads a model that was saved from a stage fitted alone."""
        pipe = PipelineModel.load(path)
        for i in reversed(range(len(pipe.info["stages"]))):
            if isinstance(pipe._stage(i), cls):
                return pipe._stage(i, whole=True)
        raise _errors.ModelError(f"{os.fspath(path)} holds no {cls.__name__}")

    def __repr__(self):
        given = ", ".join(f"{k}={v!r}" for k, v in self._values.items() if k.endswith(("Col", "Cols")))
        return f"{type(self).__name__}({given})"

    def _repr_html_(self):
        from ._show import grid

        state = [
            (s["name"], "x".join(str(d) for d in s.get("shape") or []), s["type"])
            for s in self._state_rows().values()
        ]
        params = grid(["parameter", "value"], self._values.items())
        return (
            f"<b>{type(self).__name__}</b>{params}{grid(['state', 'shape', 'type'], state) if state else ''}"
        )


def _count(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def _some(names):
    return ", ".join(map(repr, names[:6])) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _stage_of(pipe, index, whole):
    return pipe._stage(index, whole)


class Learned(Model):
    """A fitted learner."""

    @property
    def numFeatures(self) -> int:
        """The width of the feature vector."""
        return len(self._pipe.features)

    @property
    def hasSummary(self) -> bool:
        return bool(self._row_info.get("summary"))

    @property
    def summary(self) -> Summary:
        """What fitting found: objectiveHistory, totalIterations, and the metrics of the training rows."""
        return Summary(self)

    def predict(self, data):
        """The predictions for a table as a NumPy array; for one vector of features, one prediction."""
        name = self.getOrDefault("predictionCol") or "prediction"
        rows, single = self._vectors(data)
        found = self.transform(rows, columns=[name]).to_numpy(name)
        return found[0] if single else found

    def _vectors(self, data):
        """A single vector, as Spark's predict takes it, as a table of one row."""
        sized = isinstance(data, (list, tuple)) or (type(data).__module__ == "numpy" and data.ndim == 1)
        if sized and len(data) and all(isinstance(v, (int, float)) or hasattr(v, "item") for v in data):
            vector = [float(v) for v in data]
            if self._whole and self._index > 0:
                names = [c["name"] for c in self._pipe.schema if c.get("required", True)]
                if len(names) != len(vector):
                    raise _errors.SchemaError(
                        f"the vector has {_count(len(vector), 'value')}, and the model was fitted on "
                        f"{len(names)}"
                    )
                return from_lists({n: [v] for n, v in zip(names, vector, strict=True)}), True
            return self._as_features([vector]), True
        bare = type(data).__module__ == "numpy" and data.ndim == 2 and not data.dtype.names
        bare = bare or isinstance(data, (list, tuple)) and len(data) and isinstance(data[0], (list, tuple))
        if bare and not (self._whole and self._index > 0) and len(data):
            return self._as_features(data), False
        return data, False

    def _as_features(self, rows):
        """Rows of an array as vectors of features, which is what this learner reads."""
        n = self.numFeatures
        for width in {rows.shape[1]} if hasattr(rows, "shape") else dict.fromkeys(map(len, rows)):
            if width != n:
                raise _errors.SchemaError(
                    f"the vector has {_count(width, 'value')}, and the model was fitted on {n}"
                )
        return from_lists({self.getOrDefault("featuresCol") or "features": rows})

    def evaluate(self, data) -> dict:
        """All metrics that fit the task, on a table that has the label and what this model reads."""
        if self._whole:
            return self._pipe.evaluate(data)
        raise _errors.UsageError(
            "this learner is part of a pipeline", "call evaluate of the pipeline's model"
        )

    def score(self, data, y=None, sample_weight=None) -> float:
        """scikit-learn's: accuracy of a classifier, r2 of a regressor."""
        from ._stages import _with_arrays

        rows = table(data)
        if rows._bare is not None:
            self._pipe._check_bare(rows._bare)
        if y is not None or sample_weight is not None:
            _, rows, _ = _with_arrays(self._plain(), rows, y, sample_weight)
        found = self.evaluate(rows)
        value = found.get("accuracy", found.get("r2"))
        return float("nan") if value is None else float(value)

    def _plain(self):
        from ._stages import stage_named

        return stage_named(self._row_info["name"])(**self._values)


class LearnedClassifier(Learned):
    @property
    def numClasses(self) -> int:
        return len(self._pipe.labels) or 2

    @property
    def classes_(self):
        """scikit-learn's: the labels in the order of their indices."""
        import numpy as np

        return np.array(self._pipe.labels)

    def predict_proba(self, data):
        """The probabilities of the classes, rows by classes; for one vector of features, one row."""
        name = self.getOrDefault("probabilityCol") or "probability"
        rows, single = self._vectors(data)
        found = _matrix(self.transform(rows, columns=[name]).to_numpy(name))
        return found[0] if single else found

    predictProbability = predict_proba


class Summary:
    """A training summary: what the stage reports of its fit, then the metrics of the training rows, by
    Spark's names."""

    _ALIASES = {
        "rootMeanSquaredError": "rmse", "meanSquaredError": "mse", "meanAbsoluteError": "mae",
        "explainedVariance": "var", "totalIterations": "iterations", "areaUnderROC": "areaUnderROC",
        "fMeasureByLabel": "fMeasureByLabel", "weightedFMeasure": "f1",
    }  # fmt: skip

    def __init__(self, model):
        info, pipe = model._row_info.get("summary") or {}, model._pipe
        self._found = {**(pipe.metrics.get("train") or {}), **info}
        fit = pipe.info.get("fit") or {}
        for ours, theirs in (
            ("objectiveHistory", "history"),
            ("iterations", "iterations"),
            ("numInstances", "rows"),
        ):
            if ours not in self._found and fit.get(theirs) is not None:
                self._found[ours] = fit[theirs]

    def __getattr__(self, name):
        found = self.__dict__.get("_found", {})
        for key in (name, self._ALIASES.get(name)):
            if key in found:
                return _as_array(found[key])
        raise AttributeError(f"the summary has no {name!r}; it has {', '.join(sorted(found)) or 'nothing'}")

    def __dir__(self):
        return [*super().__dir__(), *self._found, *(a for a, b in self._ALIASES.items() if b in self._found)]

    def asDict(self) -> dict:
        """Everything as plain Python values."""
        return dict(self._found)

    def __repr__(self):
        plain = {k: v for k, v in self._found.items() if not isinstance(v, (list, dict))}
        return f"Summary({', '.join(f'{k}={v!r}' for k, v in plain.items())})"


def _as_array(value):
    if isinstance(value, list) and value and all(isinstance(v, (int, float)) or v is None for v in value):
        import numpy as np

        return np.array([float("nan") if v is None else v for v in value], dtype="f8")
    return value


# ---- Spark's attributes, stage by stage ----------------------------------------------------------


def _coefficients(m):
    found = m.state("coefficients")
    if found.ndim == 2 and len(found) == 1:
        return found[0]
    if found.ndim == 2:
        raise _errors.UsageError("a multinomial model has a matrix of coefficients: coefficientMatrix")
    return found


def _coefficient_matrix(m):
    found = m.state("coefficients")
    return found.reshape(1, -1) if found.ndim == 1 else found


def _intercept(m):
    found = m.state("intercept")
    if len(found) > 1:
        raise _errors.UsageError("a multinomial model has one intercept for each class: interceptVector")
    return float(found[0])


def _labels_array(m):
    labels, start = m.state("labels"), m.state("start")
    return [labels[int(a) : int(b)] for a, b in zip(start[:-1], start[1:], strict=True)]


def _surrogates(m):
    names = m.getOrDefault("inputCols") or [m.getOrDefault("inputCol")]
    return from_lists({n: [float(v)] for n, v in zip(names, m.state("surrogates"), strict=True)})


_LINEAR = {
    "coefficients": (_coefficients, "The coefficient of each feature."),
    "intercept": (_intercept, "The intercept."),
    "coefficientMatrix": (_coefficient_matrix, "Coefficients, classes by features (one row when binomial)."),
    "interceptVector": (lambda m: m.state("intercept"), "The intercept of each class (one when binomial)."),
    "coef_": (_coefficient_matrix, "scikit-learn's name of coefficientMatrix."),
    "intercept_": (lambda m: m.state("intercept"), "scikit-learn's name of interceptVector."),
}

# stage -> attribute -> (function, docstring); state arrays need no entry
ATTRIBUTES = {
    "StringIndexer": {
        "labelsArray": (_labels_array, "The labels of each input column, in the order of their indices."),
        "labels": (
            lambda m: _labels_array(m)[0],
            "The labels of the first input column, in the order of their indices.",
        ),
    },
    "Imputer": {"surrogateDF": (_surrogates, "The value that fills each column, as a table of one row.")},
    "LogisticRegression": _LINEAR,
    "LinearRegression": {**_LINEAR, "coef_": (_coefficients, "scikit-learn's name of coefficients.")},
    "LinearSVC": _LINEAR,
}


def model_class(row: dict):
    """The class of a fitted stage from its row of the registry."""
    rows, kind = {p["name"]: p for p in row["params"]}, row["kind"]
    base = {"classifier": LearnedClassifier, "regressor": Learned}.get(kind, Model)
    name = row["name"] + ("" if kind == "transformer" else "Model")
    state = "\n".join(f"{s['name']} : {s['type']}\n    {s.get('help') or ''}" for s in row.get("state") or [])
    body = {k: v for k, v in accessors(rows).items() if not k.startswith("set")}
    for s in row.get("state") or []:
        body.pop(s["name"], None)
    for attribute, (function, doc) in ATTRIBUTES.get(row["name"], {}).items():
        body[attribute] = property(function, doc=doc)
    body.update(
        __doc__=f"A fitted {row['name']}.\n" + (f"\nAttributes\n----------\n{state}\n" if state else ""),
        __module__="gristmill", _rows=rows, _name=name,
    )  # fmt: skip
    return type(name, (base,), body)


def model_class_of(stage: str):
    """The model class for a stage's name; a transformer's own class has no model, so one is kept beside
    it."""
    import gristmill

    row = _registry.stages().get(stage)
    if row is None:
        row = {"name": stage, "kind": "estimator", "params": [], "state": []}
        return model_class(row)
    if row["kind"] == "transformer":
        if stage not in _applied:
            from ._stages import stage_named

            plain, made = stage_named(stage), model_class(row)
            _applied[stage] = type(
                stage, (made, plain), {"__doc__": plain.__doc__, "__module__": "gristmill"}
            )
        return _applied[stage]
    return getattr(gristmill, f"{stage}Model")


_applied: dict = {}


def load(path):
    """A model, or a pipeline (.yaml, .yml, .json); see gristmill.load."""
    from ._stages import Pipeline

    if os.fspath(path).lower().endswith((".yaml", ".yml", ".json")):
        return Pipeline.load(path)
    return PipelineModel.load(path)
