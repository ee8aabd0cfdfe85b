# SPDX-License-Identifier: Apache-2.0
"""The methods of Table that run its query: rows, arrays, frames and files."""

from __future__ import annotations

import os
from ctypes import byref, c_int64, c_void_p

from . import _arrow, _errors, _lib


class Row(tuple):
    """A row: by position, by name (row["x"], row.x), or as a dict (row.asDict())."""

    def __new__(cls, values, names):
        self = super().__new__(cls, values)
        self._names = names
        return self

    def __getitem__(self, key):
        return super().__getitem__(self._at(key) if isinstance(key, str) else key)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._names:
            raise AttributeError(name)
        return self[name]

    def __reduce__(self):
        return Row, (tuple(self), self._names)

    def _at(self, name):
        try:
            return self._names.index(name)
        except ValueError:
            raise KeyError(name) from None

    def asDict(self) -> dict:
        return dict(zip(self._names, self, strict=True))

    def __repr__(self):
        return f"Row({', '.join(f'{n}={v!r}' for n, v in zip(self._names, self, strict=True))})"


class Rows:
    """count, collect, to_arrow, to_pandas, write_csv, ..."""

    def count(self) -> int:
        """The number of rows, by running the query."""
        rows, handle = c_int64(), self._handle
        _lib.run(
            lambda call: call.check(_lib.library().gm_table_count(call.cx, handle.pointer, byref(rows))),
            "count",
        )
        return rows.value

    def isEmpty(self) -> bool:
        return self.limit(1).count() == 0

    def _read(self, convert, title="read"):
        """Runs the query and gives convert(schema, array) of each batch."""
        handle = self._handle

        def work(call):
            stream = _arrow.Stream()
            call.check(_lib.library().gm_table_export(call.cx, handle.pointer, byref(stream)))
            try:
                return [convert(s, a) for s, a in _arrow.batches(stream)]
            finally:
                if stream.release:
                    stream.release(byref(stream))

        return _lib.run(work, title)

    def to_dict(self) -> dict:
        """{name: list of Python values}."""

        def lists(s, a):
            return [
                _arrow.to_list(s.children[k].contents, a.children[k].contents) for k in range(s.n_children)
            ]

        parts = self._read(lists)
        names = self.columns
        return {n: [v for part in parts for v in part[k]] for k, n in enumerate(names)}

    def collect(self) -> list:
        """All rows, as a list of Row."""
        names = tuple(self.columns)
        return [Row(values, names) for values in zip(*self.to_dict().values(), strict=True)]

    def take(self, n: int) -> list:
        """The first n rows, as a list of Row."""
        return self.limit(n).collect()

    def head(self, n: int = None):
        """The first row (None when there is none), or a list of the first n."""
        return self.first() if n is None else self.take(n)

    def first(self):
        """The first row, None when there is none."""
        rows = self.take(1)
        return rows[0] if rows else None

    def to_numpy(self, *columns):
        """One column as a NumPy array; several as a two-dimensional array of floats."""
        import numpy as np

        chosen = self.select(*columns) if columns else self

        def arrays(s, a):
            return [
                _arrow.to_numpy(s.children[k].contents, a.children[k].contents) for k in range(s.n_children)
            ]

        parts, names = chosen._read(arrays), chosen.columns
        joined = [_concatenate(np, [p[k] for p in parts]) for k in range(len(names))]
        if len(joined) == 1:
            return joined[0]
        return np.column_stack([j.astype("f8") for j in joined])

    def _stream(self, call):
        out, lib = c_void_p(), _lib.library()
        call.check(lib.gm_capsule_export(call.cx, self._handle.pointer, byref(out)))
        return _arrow.stream_capsule(out.value, lib)

    def __arrow_c_stream__(self, requested_schema=None):
        """The rows as an Arrow stream in a capsule; the consumer asks for one batch after another."""
        return _lib.run(self._stream, "query")

    def _consume(self, take):
        """take(an object with __arrow_c_stream__) on the helper thread, so that Ctrl-C ends the query."""
        return _lib.run(lambda call: take(_Stream(self._stream(call))), "read")

    def to_arrow(self):
        """A pyarrow.Table."""
        pa = _module("pyarrow", "to_arrow")
        return self._consume(lambda stream: pa.RecordBatchReader.from_stream(stream).read_all())

    def to_polars(self):
        """A polars.DataFrame."""
        pl = _module("polars", "to_polars")
        return self._consume(pl.DataFrame)

    def to_pandas(self):
        """A pandas.DataFrame. Whole numbers with missing values become nullable Int64, so that no id is
        rounded."""
        pd = _module("pandas", "to_pandas")
        try:
            import pyarrow as pa
        except ImportError:
            return self._to_pandas_plain(pd)
        made = self.to_arrow()
        nullable = {str(f.type) for i, f in enumerate(made.schema) if made.column(i).null_count}
        kinds = {
            getattr(pa, name)(): getattr(pd, name.replace("int", "Int").replace("uI", "UI") + "Dtype")()
            for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
        }
        # A type is mapped for all columns that have it, so the others are turned back.
        frame = made.to_pandas(types_mapper=lambda t: kinds.get(t) if str(t) in nullable else None)
        for i, f in enumerate(made.schema):
            if f.type in kinds and str(f.type) in nullable and not made.column(i).null_count:
                frame[frame.columns[i]] = frame.iloc[:, i].astype(str(f.type))
        return frame

    def _to_pandas_plain(self, pd):
        columns, types = self.to_dict(), dict(self.dtypes)
        for name, values in columns.items():
            if types[name] in ("BIGINT", "INTEGER", "SMALLINT", "TINYINT") and None in values:
                columns[name] = pd.array(values, dtype="Int64")
        return pd.DataFrame(columns)

    toPandas, toArrow = to_pandas, to_arrow

    def show(self, n: int = 20, truncate=True, vertical: bool = False):
        """Prints the first n rows; truncate: the width of a cell (True: 20, False: whole)."""
        from ._show import text

        print(text(self, n, truncate, vertical))

    def _repr_html_(self):
        from ._show import page

        return page(self, 10)

    # ---- files ----

    def _write(self, path, form, options):
        rows, handle = c_int64(), self._handle
        text, settings = _lib.encode(path, "path"), _lib.dump({"format": form, **options})
        _lib.run(
            lambda call: call.check(
                _lib.library().gm_table_write(call.cx, handle.pointer, text, settings, byref(rows))
            ),
            "write",
        )
        return rows.value

    def write_csv(self, path, **options) -> int:
        """Writes a CSV file and gives the number of rows. It appears whole or not at all."""
        return self._write(path, "csv", options)

    def write_parquet(self, path, **options) -> int:
        """Writes a Parquet file and gives the number of rows. It appears whole or not at all."""
        return self._write(path, "parquet", options)

    def write_json(self, path, **options) -> int:
        """Writes JSON lines and gives the number of rows. They appear whole or not at all."""
        return self._write(path, "json", options)

    @property
    def write(self) -> Writer:
        """Spark's way: table.write.mode("overwrite").parquet(path)."""
        return Writer(self)


class _Stream:
    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        capsule, self.capsule = self.capsule, None
        return capsule


def _module(name, method):
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise _errors.LibraryError(f"{method} needs {name}", f"pip install {name}") from None


def _concatenate(np, parts):
    if not parts:
        return np.empty(0)
    if any(p.dtype == object for p in parts):
        parts = [p.astype(object) for p in parts]
    return np.concatenate(parts)


# What Spark and pandas call the options of a CSV reader -> ours
_SPARK_OPTIONS = {
    "sep": "delim", "delimiter": "delim", "nullValue": "nullstr", "na_values": "nullstr",
    "quotechar": "quote", "escapechar": "escape", "dtype": "types", "dateFormat": "dateformat",
    "date_format": "dateformat", "timestampFormat": "timestampformat", "skiprows": "skip",
}  # fmt: skip


class Writer:
    """Spark's DataFrameWriter: mode, option, then csv, parquet, json or save."""

    def __init__(self, source):
        self._source, self._mode, self._options, self._form = source, "errorifexists", {}, None

    def mode(self, mode: str) -> Writer:
        if mode not in ("overwrite", "error", "errorifexists", "ignore"):
            raise _errors.ParamError(f"mode is {mode!r}; expected 'overwrite', 'errorifexists' or 'ignore'")
        self._mode = mode
        return self

    def option(self, name, value) -> Writer:
        self._options[_SPARK_OPTIONS.get(name, name)] = value
        return self

    def options(self, **options) -> Writer:
        for name, value in options.items():
            self.option(name, value)
        return self

    def format(self, form: str) -> Writer:
        self._form = form
        return self

    def save(self, path):
        if os.path.lexists(path) and self._mode != "overwrite":
            if self._mode == "ignore":
                return
            raise _errors.FileError(f"{os.fspath(path)} exists already", "use mode('overwrite')")
        self._source._write(path, self._form or "parquet", self._options)

    def csv(self, path, **options):
        self.options(**options).format("csv").save(path)

    def parquet(self, path):
        self.format("parquet").save(path)

    def json(self, path):
        self.format("json").save(path)
