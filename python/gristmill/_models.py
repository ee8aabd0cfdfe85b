# SPDX-License-Identifier: Apache-2.0
"""The fitted stages of a pipeline, with Spark's attributes as NumPy arrays."""

from __future__ import annotations

import os
from ctypes import byref

from . import _arrow, _errors, _lib, _registry
from ._params import Params, accessors
from ._pipeline_model import PipelineModel, _count, _matrix
from ._saving import ModelWriter
from ._sources import from_lists
from ._table import Table, table


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
