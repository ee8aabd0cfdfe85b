# SPDX-License-Identifier: Apache-2.0
"""Gristmill: from raw tables to trained, judged, saved and used models, in one native library.

    import gristmill as gm

    flights = gm.read_csv("flights.csv")
    model = gm.Pipeline(stages=[
        gm.StringIndexer(inputCols=["carrier"], outputCols=["carrier_index"]),
        gm.OneHotEncoder(inputCols=["carrier_index"], outputCols=["carrier_hot"]),
        gm.VectorAssembler(inputCols=["carrier_hot", "distance"], outputCol="features"),
        gm.LogisticRegression(labelCol="late"),
    ], split=0.2).fit(flights)
    model.transform(flights).write_parquet("scored.parquet")

Stages, parameters and their defaults are Spark MLlib's. Everything here is made when it is first named, so
importing costs next to nothing; NumPy, pandas, pyarrow and polars are imported when results in their form are
asked for.
"""

from __future__ import annotations

_PLACES = {
    "_table": ("Table", "Field"),
    "_rows": ("Row",),
    "_group": ("GroupedTable",),
    "_column": ("Column", "Window", "WindowSpec", "col", "lit", "expr", "when"),
    "_stages": ("Pipeline", "Stage", "Transformer", "Estimator", "Classifier", "Regressor", "Evaluator"),
    "_models": ("Model",),
    "_pipeline_model": ("PipelineModel",),
    "_params": ("Param", "Params"),
}
_HOME = {name: module for module, names in _PLACES.items() for name in names}
_FUNCTIONS = (
    "table",
    "read_csv",
    "read_parquet",
    "read_json",
    "read_libsvm",
    "sql",
    "train",
    "auto",
    "load",
    "config",
    "stages",
)


def table(data, name: str = ""):
    """A lazy Table from what holds rows.

    Parameters
    ----------
    data : object
        A path (a glob is fine), a text that begins with SELECT, WITH, FROM or VALUES, a pandas, polars or
        pyarrow frame, a DuckDB relation, any object with __arrow_c_stream__ or __arrow_c_array__, a dict of
        lists, a list of dicts, a NumPy array of two dimensions (columns x0, x1, ...), or a Table. Arrow data
        are not copied. A pandas frame's index is not a column: use frame.reset_index() to keep it.
    name : str
        What messages call it.
    """
    from ._table import table as make

    return make(data, name)


def read_csv(path, **options):
    """A lazy Table from CSV files (a glob or a list of paths is fine; the columns of a list are matched by
    name).

    The whole file decides the types, ids are never rounded, and table.report() says what was found.

    Parameters
    ----------
    path : str or path
    delim, quote, escape : str
        (sep, delimiter, quotechar and escapechar are understood too.)
    header : bool
    nullstr : str or list of str
        Texts that mean missing (nullValue, na_values).
    encoding : str
        utf-8, utf-16, latin-1.
    decimal : str
        The decimal mark.
    dateformat, timestampformat : str
        In strptime's letters.
    types : dict
        {column: SQL type} (dtype).
    ragged : {"error", "pad"}
    bad_rows : {"error", "reject"}
    skip : int
        Lines to leave out before the header (skiprows).
    """
    from ._sources import from_file

    return from_file(path, "csv", **options)


def read_parquet(path, **options):
    """A lazy Table from Parquet files (a glob or a list of paths is fine)."""
    from ._sources import from_file

    return from_file(path, "parquet", **options)


def read_json(path, **options):
    """A lazy Table from JSON files: one object a line, or one array (a glob or a list of paths is fine)."""
    from ._sources import from_file

    return from_file(path, "json", **options)


def read_libsvm(path, indexBase="auto", numFeatures=None, **options):
    """A lazy Table from LIBSVM (SVMlight) files: label, features, and qid where lines have one (a glob is
    fine; a list of paths with indexBase and numFeatures).

    Every line is checked when the table is opened. features are sparse vectors of all columns; a model pads
    them to the width it was trained with.

    Parameters
    ----------
    path : str or path
    indexBase : {"auto", 0, 1}
        Where indices begin. auto: at 1, as in Spark, unless a line has the index 0.
    numFeatures : int
        Default: the largest index. A larger one is an error.
    bad_rows : {"error", "reject"}
    encoding : str
        Of the comments: utf-8, utf-16, latin-1.
    """
    from ._sources import from_file

    if isinstance(path, (list, tuple)) and (numFeatures is None or indexBase == "auto"):
        from ._errors import UsageError

        raise UsageError(
            "one by one, the files of a list may be of different widths",
            "name them by a glob ('data/*.libsvm'), or give indexBase (0 or 1) and numFeatures",
        )
    if numFeatures is not None:
        options["num_features"] = numFeatures
    return from_file(path, "libsvm", index_base=indexBase, **options)


def sql(query: str, **tables):
    """A lazy Table that is a SELECT, in DuckDB's dialect. Keyword arguments are the tables it names:
    gm.sql("SELECT * FROM f JOIN w USING (hour)", f=flights, w=weather), each being whatever gm.table
    takes."""
    from ._table import from_sql
    from ._table import table as make

    return from_sql(query, {name: make(data, name) for name, data in tables.items()})


def auto(data, label: str, *, learner=None, test=None, seed=None, exclude=None, keep=None):
    """The low-code pipeline for a table: the task comes from the label, and each column is cleaned and
    encoded by its type. Its `report` says what is done with each column and why; `print(pipeline.text())` is
    the YAML it stands for.

    Parameters
    ----------
    data : Table, or anything gm.table takes
    label : str
        The column to predict.
    learner : str, optional
        The name of a learner; by default one that fits the task.
    test : float, optional
        The share of rows held out to judge the model.
    seed : int, optional
    exclude : list of str, optional
        Columns to leave out, such as those that are known only after the fact.
    keep : list of str, optional
        Columns to use although they would be left out as an id or as leakage.
    """
    from ._auto import auto as make

    return make(data, label, learner=learner, test=test, seed=seed, exclude=exclude, keep=keep)


def train(
    data,
    label: str,
    *,
    learner=None,
    test=None,
    seed=None,
    exclude=None,
    keep=None,
    model=None,
    report=None,
    init=None,
):
    """Trains on a table with nothing but a label: gm.auto(...).fit(...). Gives the model, whose `report` says
    what was done with each column, and `metrics` how good it is on the held-out rows.

    Parameters
    ----------
    data, label, learner, test, seed, exclude, keep
        As for gm.auto.
    model, report : path, optional
        Where to write the model and the HTML report.
    init : model, or the path of a model file, optional
        A model whose learner to start from; see Pipeline.fit.
    """
    from ._auto import train as make

    options = {"learner": learner, "test": test, "seed": seed, "exclude": exclude, "keep": keep}
    return make(data, label, model=model, report=report, init=init, **options)


def load(path):
    """Reads a model file (a PipelineModel), or a pipeline that is not fitted (.yaml, .yml, .json: a
    Pipeline)."""
    from ._saving import load as read

    return read(path)


def config(**options) -> dict:
    """Sets options of the session and gives all of them. None goes back to the default.

    Parameters
    ----------
    threads : int
        Default: the cores this process may use.
    memory : str or int
        "2GB", or bytes. Default: 80 % of what the machine or container allows.
    seed : int
        Default 0.
    spill : path
        The folder for data that do not fit. Default: the system's temporary folder.
    locked : bool
        Whether SQL may read only the files named by gm.table and gm.read_*.
    progress : bool or "auto"
        Bars: "auto" shows them on a terminal and in a notebook.
    on_event : function or None
        Called with a dict for each event of the library (level, code, text, fields, done, total, unit), on
        the thread where it happens.
    """
    from ._lib import config as change

    return change(**options)


def stages() -> list:
    """Names of all stages."""
    from ._registry import stages as rows

    return sorted(rows())


def _make(name):
    """The object of this name, or None."""
    from importlib import import_module

    if name in _HOME:
        return getattr(import_module("gristmill." + _HOME[name]), name)
    if name in ("F", "functions"):
        return import_module("gristmill.functions")
    from . import _errors

    if name in _errors.NAMES:
        return getattr(_errors, name)
    if name == "__version__":
        from ._registry import load as registry

        return registry()["version"]
    if not name[:1].isupper():
        return None
    return _from_registry(name)


def _from_registry(name):
    from . import _registry

    rows = _registry.stages()
    if name in rows:
        from ._stages import stage_class

        return stage_class(rows[name])
    if name in _registry.evaluators():
        from ._stages import evaluator_class

        return evaluator_class(_registry.evaluators()[name])
    stage = rows.get(name[: -len("Model")]) if name.endswith("Model") else None
    if stage is not None and stage["kind"] != "transformer":
        from ._models import model_class

        return model_class(stage)
    return None


def _names():
    from . import _errors, _registry

    rows = _registry.stages()
    fitted = [f"{n}Model" for n, r in rows.items() if r["kind"] != "transformer"]
    return sorted(
        {*_HOME, *_FUNCTIONS, *_errors.NAMES, *rows, *fitted, *_registry.evaluators(), "F", "functions"}
    )


def __getattr__(name):
    if name == "__all__":
        # What shadows a builtin stays out of `from gristmill import *`.
        import builtins

        return [n for n in _names() if not hasattr(builtins, n)]
    made = None if name.startswith("_") and name != "__version__" else _make(name)
    if made is None:
        near = ""
        if name[:1].isupper():
            from ._lib import nearest

            near = nearest(name, _names())
        raise AttributeError(f"module 'gristmill' has no attribute {name!r}{'; ' + near if near else ''}")
    globals()[name] = made
    return made


def __dir__():
    return [*_names(), "__version__"]
