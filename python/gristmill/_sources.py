# SPDX-License-Identifier: Apache-2.0
"""Where tables come from: files, frames, Arrow capsules, and plain Python."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_void_p

from . import _arrow, _errors, _lib
from ._rows import _SPARK_OPTIONS
from ._table import Table, from_sql


def from_file(path, form=None, **options) -> Table:
    if isinstance(path, (list, tuple)):
        parts = [from_file(p, form, **options) for p in path]
        if not parts:
            raise _errors.UsageError("no path was given")
        names = {f"t{i}": t for i, t in enumerate(parts)}
        return from_sql(" UNION ALL BY NAME ".join(f"SELECT * FROM {n}" for n in names), names)
    source = {"path": os.fspath(path)} if not isinstance(path, str) else {"path": path}
    if form:
        source["format"] = form
    for name, value in options.items():
        source[_SPARK_OPTIONS.get(name, name)] = value
    handle = _lib.make("table", "gm_table_open", _lib.dump(source), title="open")
    return Table(handle, name=source["path"])


def _looks_like_sql(text: str) -> bool:
    words = text.lstrip(" \t\r\n(").split(None, 1)
    return len(words) == 2 and words[0].upper() in ("SELECT", "WITH", "FROM", "VALUES")


def table(data, name: str = "") -> Table:
    """A Table from what holds rows; see gristmill.table."""
    if isinstance(data, Table):
        return data
    if isinstance(data, (str, os.PathLike)):
        if isinstance(data, str) and _looks_like_sql(data):
            return from_sql(data, {})
        return from_file(data)
    module = type(data).__module__.split(".")[0]
    if module == "pandas":
        return _from_pandas(data, name)
    if module == "polars" and type(data).__name__ == "LazyFrame":
        data = data.collect()
    if module == "numpy":
        return _from_numpy(data, name)
    if module == "pyspark":
        raise _errors.UsageError(
            "a Spark frame cannot be read here yet", "give frame.toArrow() or a Parquet path"
        )
    if not isinstance(data, (dict, list)):
        found = _from_arrow(data, name)
        if found is not None:
            return found
    if isinstance(data, dict):
        return from_lists(data, name)
    if isinstance(data, list) and data and all(isinstance(r, dict) for r in data):
        keys = dict.fromkeys(k for r in data for k in r)
        return from_lists({k: [r.get(k) for r in data] for k in keys}, name)
    if isinstance(data, (list, tuple)) and data and all(_is_row(r) for r in data):
        return _from_rows(data, name)
    empty = "an empty " if isinstance(data, (list, tuple)) and not data else ""
    raise _errors.UsageError(
        f"{empty}{type(data).__name__} is not a table",
        "give a path, a SELECT, a pandas, polars or pyarrow frame, a DuckDB relation, any object with "
        "__arrow_c_stream__, an array, a dict of lists, or a list of dicts or of rows",
    )


def _is_row(row):
    return isinstance(row, (list, tuple)) or getattr(row, "ndim", 0) == 1


def _bare(columns, name):
    """Columns without names of their own: x0, x1, ..."""
    made = from_lists({f"x{k}": c for k, c in enumerate(columns)}, name)
    made._bare = len(columns)
    return made


def _from_rows(rows, name):
    rows = [r.tolist() if hasattr(r, "tolist") else r for r in rows]
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise _errors.DataError(
                f"row {i} has {len(row)} values and row 0 has {len(rows[0])}", "give rows of one length"
            )
        inner = [v for v in row if isinstance(v, (list, tuple, dict))]
        if inner:
            raise _errors.SchemaError(
                f"row {i} holds a {type(inner[0]).__name__}",
                "give a list of rows of plain values, or a dict of columns",
            )
    return _bare([list(c) for c in zip(*rows, strict=True)], name)


def _from_arrow(data, name):
    if hasattr(data, "__arrow_c_stream__"):
        return _from_capsule(data.__arrow_c_stream__(), name)
    for method in ("fetch_arrow_reader", "fetch_record_batch", "record_batch", "arrow"):
        if type(data).__module__.split(".")[0] in ("duckdb", "_duckdb") and hasattr(data, method):
            return _from_arrow(getattr(data, method)(), name)
    if hasattr(data, "__arrow_c_array__"):
        return _from_array(*data.__arrow_c_array__(), name)
    return None


def _from_capsule(capsule, name):
    pointer, label = _arrow.stream_pointer(capsule), _lib.encode(name)
    untyped = _arrow.untyped(ctypes.cast(pointer, ctypes.POINTER(_arrow.Stream)).contents)
    handle = _lib.make("table", "gm_table_arrow", pointer, label, title="read", keep=capsule)
    made = Table(handle, name=name)
    made._untyped = untyped
    return made


def _from_array(schema_capsule, array_capsule, name):
    built = _arrow.One(schema_capsule, array_capsule)
    return _kept(built, name)


def _kept(built, name):
    """A stream with release functions in Python, copied by the library before it is let go."""
    label, untyped = _lib.encode(name), _arrow.untyped(built.stream)

    def work(call):
        lib, first, second = _lib.library(), c_void_p(), c_void_p()
        call.check(lib.gm_table_arrow(call.cx, byref(built.stream), label, byref(first)))
        try:
            call.check(lib.gm_table_persist(call.cx, first, b"MEMORY_AND_DISK", byref(second)))
        finally:
            lib.gm_table_free(first)
        return _lib.Handle("table", second.value)

    handle = _lib.run(work, "read")
    built.keep.clear()
    made = Table(handle, name=name)
    made._untyped = untyped
    return made


def from_lists(columns: dict, name: str = "") -> Table:
    """A Table from {name: list or NumPy array}."""
    texts = {}
    for key, values in columns.items():
        if not isinstance(key, str):
            key = str(key)
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            raise _errors.DataError(f"column {key!r} is {type(values).__name__}; expected a list of values")
        texts[key] = values
    if not texts:
        raise _errors.SchemaError("a table needs at least one column")
    return _kept(_arrow.build(texts), name)


def _from_numpy(data, name):
    if data.dtype.names:
        return from_lists({n: data[n] for n in data.dtype.names}, name)
    if data.ndim == 1:
        return _bare([data], name)
    if data.ndim != 2:
        raise _errors.SchemaError(f"an array of {data.ndim} dimensions is not a table")
    return _bare([data[:, k] for k in range(data.shape[1])], name)


def _from_pandas(frame, name):
    if type(frame).__name__ == "Series":
        frame = frame.to_frame(frame.name if frame.name is not None else "x0")
    labels = [str(c) for c in frame.columns]
    twice = {c for c in labels if labels.count(c) > 1}
    if twice:
        raise _errors.SchemaError(
            f"the frame has several columns named {', '.join(sorted(twice))}", "rename them"
        )
    if labels != list(frame.columns):
        frame = frame.set_axis(labels, axis=1)
    for label, kind in zip(labels, frame.dtypes, strict=True):
        if type(kind).__name__ in ("PeriodDtype", "IntervalDtype"):  # Arrow would keep their numbers alone
            raise _errors.DataError(
                f"column '{label}' is {kind}, which is no type of a table",
                f"frame[{label!r}].dt.to_timestamp() for periods, frame[{label!r}].array.left for intervals",
            )
    try:
        import pyarrow as pa
    except ImportError:
        return from_lists({c: _pandas_column(frame[c]) for c in labels}, name)
    try:
        # The index is no column: pandas' own __arrow_c_stream__ would add it for any frame that was filtered.
        made = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError) as error:  # TypeError: sparse columns
        raise _errors.DataError(
            f"the frame does not become Arrow: {error}", "give each column one type"
        ) from None
    return _from_capsule(made.replace_schema_metadata(None).__arrow_c_stream__(), name)


def _pandas_column(series):
    kind = series.dtype
    if type(kind).__module__.split(".")[0] == "numpy" and kind.kind in "iufbM":
        return series.to_numpy()
    return (
        [None if gap else v for v, gap in zip(series.tolist(), series.isna().tolist(), strict=True)]
        if kind.kind != "f"
        else series.to_numpy()
    )
