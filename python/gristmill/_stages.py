# SPDX-License-Identifier: Apache-2.0
"""The classes of stages and evaluators, made from the registry when they are first named, and the
Pipeline."""

from __future__ import annotations

import json
import math
import os

from . import _errors, _lib, _registry
from ._column import literal, quote
from ._params import Params, accessors, document
from ._sources import from_lists
from ._table import Table, from_sql, table

_WORD_DOC = {
    "sample_weight": """str, optional
    scikit-learn's word for weightCol: the name of a column. An array is given to fit().""",
    "class_weight": """dict or 'balanced', optional
    scikit-learn's word: the weight of each row is multiplied by that of its class, given as {label: weight};
    'balanced' is rows / (classes * rows of the class).""",
}


class Stage(Params):
    """A stage of a pipeline, alone or as part of one."""

    _kind = ""
    _last = None  # with warmStart: the model of the last fit, to start the next one from

    def _set_word(self, name, value):
        if name == "sample_weight":
            if value is not None and not isinstance(value, str):
                raise _errors.ParamError(
                    "sample_weight is an array; here it is a column's name",
                    "give the array to fit(..., sample_weight=...)",
                )
            self._set_all({"weightCol": value})
        elif value is not None and value != "balanced" and not isinstance(value, dict):
            raise _errors.ParamError(f"class_weight is {value!r}; expected a dict or 'balanced'")
        if value is None:
            self._word_values.pop(name, None)
        else:
            self._word_values[name] = value

    def _document(self) -> dict:
        return {self._name: {k: _finite(v) for k, v in self._values.items()}}

    def copy(self, extra: dict = None):
        """The same with the same uid, unfitted, and some values replaced: {Param or name: value}."""
        other = super().copy(extra)
        other.__dict__.pop("_last", None)
        return other

    def fit(self, data, y=None, *, params=None, sample_weight=None, init=None):
        """Fits this stage alone.

        Parameters
        ----------
        data : Table, or anything gm.table takes
        y : array, optional
            The label, row by row, as in scikit-learn. The label column is then made from it, and when there
            is no features column, all columns of numbers are the features.
        params : dict or list of dict, optional
            Parameters for this fit: {Param or name: value}; a list gives a list of models. May come second,
            as in Spark.
        sample_weight : array or str, optional
            The weight, row by row, or the name of its column.
        init : model, or the path of a model file, optional
            The model of a learner of the same name, features and classes to start from. With warmStart the
            model of this object's last fit, unless another is given.
        """
        if isinstance(y, dict) or (
            isinstance(y, (list, tuple)) and y and all(isinstance(p, dict) for p in y)
        ):
            y, params = None, y
        if isinstance(params, (list, tuple)):
            return [self.fit(data, y, params=p, sample_weight=sample_weight, init=init) for p in params]
        if params:
            return self.copy(params).fit(data, y, sample_weight=sample_weight, init=init)
        stage, rows, first = self, table(data), []
        if y is not None or sample_weight is not None:
            stage, rows, first = _with_arrays(self, rows, y, sample_weight)
        start = init if init is not None else self._last
        made = Pipeline(stages=[*first, stage]).fit(rows, init=start)
        self._last = made if self._values.get("warmStart") else None
        return made._alone(len(first))

    def save(self, path):
        """Writes the stage and its parameters as a YAML pipeline."""
        Pipeline(stages=[self]).save(path)

    def write(self):
        """Spark's way: stage.write().overwrite().save(path)."""
        from ._saving import ModelWriter

        return ModelWriter(self)

    @classmethod
    def load(cls, path):
        """Reads a stage written by save."""
        stages = Pipeline.load(path).getStages()
        if len(stages) != 1 or not isinstance(stages[0], cls):
            raise _errors.StageError(f"{os.fspath(path)} does not hold one {cls._name}")
        return stages[0]


class Transformer(Stage):
    """A stage that learns nothing: transform works at once."""

    def transform(self, data) -> Table:
        """The table with this stage's output columns added, lazily."""
        return self.fit(data).transform(data)


class Estimator(Stage):
    """A stage whose fit gathers statistics; fit gives a model."""


class Classifier(Stage):
    """A learner of classes; fit gives a model that adds prediction, probability and rawPrediction."""


class Regressor(Stage):
    """A learner of numbers; fit gives a model that adds prediction."""


def _finite(value):
    """JSON has no NaN and no infinity: they go as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return [_finite(v) for v in value] if isinstance(value, list) else value


_BASES = {
    "transformer": Transformer,
    "estimator": Estimator,
    "classifier": Classifier,
    "regressor": Regressor,
}


def stage_class(row: dict):
    """The class of a stage from its row of the registry."""
    rows = {p["name"]: p for p in row["params"]}
    words = []
    if row["kind"] in ("classifier", "regressor"):
        words += ["sample_weight"] if "weightCol" in rows else []
        words += ["class_weight"] if "weightCol" in rows and row["kind"] == "classifier" else []
    doc = document(row["summary"], row.get("doc"), rows, [(w, _WORD_DOC[w]) for w in words])
    body = {
        **accessors(rows), "__doc__": doc, "__module__": "gristmill", "_rows": rows, "_name": row["name"],
        "_words": tuple(words), "_kind": row["kind"], "_row": row,
    }  # fmt: skip
    return type(row["name"], (_BASES[row["kind"]],), body)


class Evaluator(Params):
    """Judges a table that has predictions and labels."""

    def evaluate(self, data, params=None) -> float:
        """The metric of metricName. NaN, with a warning that says why, where it is undefined."""
        if params:
            return self.copy(params).evaluate(data)
        value = self._ask(data).get("value")
        return math.nan if value is None else float(value)

    def metrics(self, data) -> dict:
        """All metrics of this evaluator; None where one is undefined."""
        return self._ask(data).get("all", {})

    def _ask(self, data):
        rows, text = table(data), _lib.dump({self._name: self._values})
        return json.loads(_lib.ask("gm_evaluate", rows._handle, text, title="evaluate"))

    def isLargerBetter(self) -> bool:
        """Whether a larger value of the metric is the better one."""
        metric = self.getOrDefault("metricName")
        known = {m["name"]: m["larger_is_better"] for m in self._row.get("metrics") or []}
        return known.get(metric, metric not in _SMALLER)


_SMALLER = (
    "rmse",
    "mse",
    "mae",
    "logLoss",
    "hammingLoss",
    "weightedFalsePositiveRate",
    "falsePositiveRateByLabel",
)


def evaluator_class(row: dict):
    """The class of an evaluator from its row of the registry."""
    rows = {p["name"]: p for p in row["params"]}
    body = {
        **accessors(rows),
        "__doc__": document(row["summary"], row.get("doc"), rows),
        "__module__": "gristmill",
        "_rows": rows,
        "_name": row["name"],
        "_row": row,
    }
    return type(row["name"], (Evaluator,), body)


# ---- arrays beside the table ---------------------------------------------------------------------


def _values(array, what):
    if len(getattr(array, "shape", ())) == 2 and array.shape[1] == 1:  # a column, as from a frame of one
        array = array.iloc[:, 0] if hasattr(array, "iloc") else array[:, 0]
    for method in ("to_numpy", "to_pylist", "tolist"):
        if hasattr(array, method):
            return getattr(array, method)()
    try:
        return list(array)
    except TypeError:
        raise _errors.DataError(
            f"{what} is {type(array).__name__}; expected one value for each row"
        ) from None


def _free_name(rows, name):
    have = {c.lower() for c in rows.columns}
    while name.lower() in have:
        name += "_"
    return name


def _with_arrays(stage, rows, y, sample_weight):
    """(stage, table, stages in front) with y and sample_weight as columns, joined by position."""
    extra, changed, front = {}, stage, []
    if y is not None:
        if "labelCol" not in stage._rows:
            raise _errors.UsageError(f"{stage._name} has no label", "leave y out")
        label = stage.getOrDefault("labelCol")
        if label in rows.columns:
            raise _errors.SchemaError(
                f"the table has a column {label!r} already", "leave y out, or drop the column"
            )
        features = stage.getOrDefault("featuresCol")
        types = {f.name: f.type for f in rows.schema}
        if not types.get(features, "").endswith(("]", ")")):  # no vector there: all columns are features
            weight = sample_weight if isinstance(sample_weight, str) else stage._values.get("weightCol")
            names = [n for n in types if n != weight]
            made = _free_name(rows, features)
            front = [stage_named("VectorAssembler")(inputCols=names, outputCol=made)]
            changed = changed.copy({"featuresCol": made}) if made != features else changed
        extra[label] = _values(y, "y")
    if isinstance(sample_weight, str):
        changed = changed.copy({"weightCol": sample_weight})
    elif sample_weight is not None:
        if "weightCol" not in stage._rows:
            raise _errors.UsageError(f"{stage._name} takes no weights", "leave sample_weight out")
        name = _free_name(rows, "sample_weight")
        extra[name] = _values(sample_weight, "sample_weight")
        changed = changed.copy({"weightCol": name})
    return changed, beside(rows, extra), front


def beside(rows, extra: dict) -> Table:
    """The table with arrays as further columns, row by row."""
    if not extra:
        return rows
    n = rows.count()
    for name, values in extra.items():
        if len(values) != n:
            raise _errors.DataError(f"{name} has {len(values)} values for a table of {n} rows")
    return from_sql(
        "SELECT * FROM this POSITIONAL JOIN extra", {"this": rows, "extra": from_lists(extra)}, rows._notes
    )


# ---- the pipeline --------------------------------------------------------------------------------


class Pipeline:
    """Stages that are fitted one after another, in as few passes over the data as they allow.

    Parameters
    ----------
    stages : list of stages
    split : float or dict, optional
        A part of the rows that is not fitted on but judged: 0.2, or {"test": 0.2, "seed": 7, "key": "id"}.
    evaluate : list of evaluators, optional
        What judges the held-out rows; by default all that fit the task.
    name : str, optional
    seed : int, optional
    """

    _last = None  # as of a stage

    def __init__(self, *, stages=None, split=None, evaluate=None, name=None, seed=None):
        self.uid = f"Pipeline_{os.urandom(6).hex()}"
        self._rest, self.report = {}, None
        self.stages = []
        self.setStages(stages or [])
        if split is not None:
            self._rest["split"] = split if isinstance(split, dict) else {"test": split}
        if evaluate is not None:
            self._rest["evaluate"] = [
                {e._name: e._values} if isinstance(e, Evaluator) else e for e in evaluate
            ]
        for key, value in (("name", name), ("seed", seed)):
            if value is not None:
                self._rest[key] = value

    def setStages(self, stages) -> Pipeline:
        """Replaces the stages."""
        for s in stages:
            if not isinstance(s, Stage):
                what = type(s).__name__
                raise _errors.StageError(
                    f"{what} is not a stage",
                    "a fitted model is applied to the table with transform, before the pipeline"
                    if hasattr(s, "transform")
                    else "stages are objects such as gm.StringIndexer(...)",
                )
        self.stages, self._last = list(stages), None
        return self

    def getStages(self) -> list:
        """The stages."""
        return list(self.stages)

    def copy(self, extra: dict = None) -> Pipeline:
        """The same with copies of the stages; extra {Param: value} goes to the stage each Param belongs
        to."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._rest, other._last, extra = dict(self._rest), None, extra or {}
        uids = {s.uid for s in self.stages}
        for p in extra:
            if getattr(p, "parent", None) not in uids:
                raise _errors.ParamError(
                    f"{p!r} is a parameter of none of the stages", "take it from a stage: lr.regParam"
                )
        other.stages = [s.copy({p: v for p, v in extra.items() if p.parent == s.uid}) for s in self.stages]
        return other

    def get_params(self, deep: bool = True) -> dict:
        """scikit-learn's: stages, and with deep each stage's parameters as "2__regParam" (by position)."""
        out = {"stages": list(self.stages)}
        if deep:
            for i, s in enumerate(self.stages):
                out.update({f"{i}__{k}": v for k, v in s.get_params().items()})
        return out

    def set_params(self, **params) -> Pipeline:
        """scikit-learn's: stages=[...], or "2__regParam" (by position) or "LogisticRegression__regParam"."""
        for key, value in params.items():
            where, _, name = key.partition("__")
            if key == "stages":
                self.setStages(value)
                continue
            found = [s for i, s in enumerate(self.stages) if where in (str(i), s._name, s.uid)]
            if not name or not found:
                raise _errors.ParamError(
                    f"{key!r} names no parameter of a stage", "write it as '2__regParam'"
                )
            for s in found:
                s.set_params(**{name: value})
        return self

    def __sklearn_clone__(self):
        return self.copy()

    # ---- text ----

    def _document(self) -> dict:
        return {**self._rest, "stages": [s._document() for s in self.stages]}

    def _parse(self, overrides=()):
        from ctypes import c_char_p

        n = len(overrides)
        texts = (c_char_p * max(n, 1))(*[_lib.encode(o, "an override") for o in overrides])
        return _lib.make("pipeline", "gm_pipeline_parse", _lib.dump(self._document()), b"", texts, n)

    def text(self, form: str = "yaml", full: bool = False) -> str:
        """The pipeline as "yaml" or "json"; full writes every parameter, also the defaults."""
        return _lib.ask("gm_pipeline_text", self._parse(), _lib.encode(form), int(full))

    @classmethod
    def parse(cls, text: str, origin: str = "", overrides=()) -> Pipeline:
        """A pipeline from YAML or JSON text; overrides are "a.b=c" texts. origin names the text in
        messages."""
        from ctypes import c_char_p

        n = len(overrides)
        given = (c_char_p * max(n, 1))(*[_lib.encode(o, "an override") for o in overrides])
        handle = _lib.make("pipeline", "gm_pipeline_parse", _lib.encode(text), _lib.encode(origin), given, n)
        return cls._of(json.loads(_lib.ask("gm_pipeline_text", handle, b"json", 0)))

    @classmethod
    def _of(cls, found: dict) -> Pipeline:
        made = cls(
            stages=[
                stage_named(n)(**(p or {})) for entry in found.get("stages", []) for n, p in entry.items()
            ]
        )
        made._rest = {k: v for k, v in found.items() if k != "stages"}
        return made

    def save(self, path):
        """Writes the pipeline (not fitted) as YAML."""
        temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
        text = self.text()
        try:
            with open(temporary, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, path)
        except OSError as error:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise _errors.FileError(f"{os.fspath(path)}: {error.strerror}") from None

    def write(self):
        """Spark's way: pipeline.write().overwrite().save(path)."""
        from ._saving import ModelWriter

        return ModelWriter(self)

    @classmethod
    def load(cls, path) -> Pipeline:
        """Reads a pipeline from YAML or JSON."""
        name = os.fspath(path)
        try:
            with open(name, encoding="utf-8") as file:
                return cls.parse(file.read(), name)
        except FileNotFoundError:
            raise _errors.NotFoundError(f"{name}: no such file") from None
        except UnicodeDecodeError as error:
            raise _errors.SyntaxError(f"{name}: not UTF-8 at byte {error.start}") from None

    # ---- fitting ----

    def explain(self, data, form: str = "text") -> str:
        """The fit plan for a table: how many passes over the data, and what each gathers."""
        return _lib.ask(
            "gm_explain",
            self._parse(),
            table(data)._handle,
            _lib.encode(form),
            title="explain",
        )

    def source(self) -> Table:
        """The table that the pipeline's own source describes."""
        return Table(_lib.make("table", "gm_pipeline_source", self._parse(), title="open"))

    def fit(self, data=None, params=None, *, persist: str = None, init=None):
        """Fits all stages.

        Parameters
        ----------
        data : Table, or anything gm.table takes; None: the pipeline's own source
        params : dict or list of dict, optional
            {Param: value} for this fit; a list gives a list of models.
        persist : str, optional
            Where rows are kept between passes: MEMORY_ONLY, MEMORY_AND_DISK, DISK_ONLY or AUTO.
        init : model, or the path of a model file, optional
            A model with the same learner, features and classes, whose learner the last learner starts from.
            With its warmStart the model of this object's last fit, unless another is given.
        """
        if isinstance(params, (list, tuple)):
            return [self.fit(data, p, persist=persist, init=init) for p in params]
        if params:
            return self.copy(params).fit(data, persist=persist, init=init)
        from ._pipeline_model import PipelineModel

        rows = self.source() if data is None else table(data)
        if rows._untyped and rows.count() == 0:  # its types are none: stages would tell of them first
            raise _errors.DataError("there are no rows to fit on")
        pipeline, rows = _weigh_classes(self, rows)
        options = {"persist": persist} if persist else {}
        if self.report:
            options["decided"] = self.report
        options = _lib.dump(options)
        start = init if init is not None else self._last
        if start is None:
            handle = _lib.make("model", "gm_fit", pipeline._parse(), rows._handle, options, title="fit")
        else:
            start = _start(start)  # held until the call is over
            arguments = (pipeline._parse(), rows._handle, options, start._handle)
            handle = _lib.make("model", "gm_fit_from", *arguments, title="fit")
        made = PipelineModel(handle, uid=self.uid)
        self._last = made if any(s._values.get("warmStart") for s in self.stages) else None
        return made

    def __repr__(self):
        return f"Pipeline(stages=[{', '.join(map(repr, self.stages))}])"

    def _repr_html_(self):
        from ._show import grid

        return grid(["stage", "parameters"], [(s._name, s._values) for s in self.stages])


def _weigh_classes(pipeline, rows):
    """class_weight of a classifier as a weight column of the table."""
    for i, stage in enumerate(pipeline.stages):
        given = stage._word_values.get("class_weight")
        if given is None:
            continue
        label = _label_source(pipeline.stages[:i], stage.getOrDefault("labelCol"), rows.columns)
        old, name = stage.getOrDefault("weightCol"), _free_name(rows, "class_weight")
        base, q = (quote(old) if old else "1.0"), quote(label)
        counts = rows.filter(f"{q} IS NOT NULL").groupBy(label).count().collect() if given else []
        if given == "balanced":
            total = sum(r[1] for r in counts)
            given = {r[0]: total / (len(counts) * r[1]) for r in counts}
        else:
            _check_classes(given, label, {r[0] for r in counts})
        cases = "".join(f" WHEN {q} = {literal(k)} THEN {literal(float(v))}" for k, v in given.items())
        rows = rows.withColumn(name, f"CAST({base} AS DOUBLE) * CASE{cases} ELSE 1.0 END") if cases else rows
        stages = list(pipeline.stages)
        if cases:
            stages[i] = stage.copy({"weightCol": name})
        made = Pipeline(stages=stages)
        made._rest, made.uid = pipeline._rest, pipeline.uid
        pipeline = made
    return pipeline, rows


def _check_classes(given, label, known):
    for key in given:
        key = key.item() if hasattr(key, "item") and not isinstance(key, (str, bytes)) else key
        if key in known:
            continue
        shown = sorted(map(repr, known))
        more = f" and {len(shown) - 8} more" if len(shown) > 8 else ""
        raise _errors.ParamError(
            f"class_weight: {key!r} is no class of {label!r}, whose values are {', '.join(shown[:8])}{more}",
            _lib.nearest(key, [k for k in known if isinstance(k, str)]) if isinstance(key, str) else "",
        )


def _start(init):
    """The model behind what init is: a model, a fitted stage, or the path of a model file."""
    from ._models import Model
    from ._pipeline_model import PipelineModel

    if isinstance(init, (str, os.PathLike)):
        return PipelineModel.load(init)
    if isinstance(init, Model):
        return init._pipe
    if not isinstance(init, PipelineModel):
        raise _errors.UsageError(
            f"init is {type(init).__name__}; expected a fitted model, or the path of a model file"
        )
    return init


def _label_source(before, label, columns):
    """The table's own column behind a label: itself, or the input of the StringIndexer that made it."""
    if label in columns:
        return label
    for stage in before:
        one, many = stage._values.get("outputCol"), stage._values.get("outputCols", [])
        if stage._name == "StringIndexer" and (one == label or label in many):
            return (
                stage._values["inputCol"] if one == label else stage._values["inputCols"][many.index(label)]
            )
    raise _errors.SchemaError(
        f"class_weight needs the label, and {label!r} is neither a column nor made by a StringIndexer",
        "make a weight column and set weightCol",
    )


def stage_named(name: str):
    """The class of a stage by name; the nearest name when there is none."""
    import gristmill

    if name not in _registry.stages():
        raise _errors.StageError(f"there is no stage {name!r}", _lib.nearest(name, _registry.stages()))
    return getattr(gristmill, name)
