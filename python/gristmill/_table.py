# SPDX-License-Identifier: Apache-2.0
"""Table: lazy SQL over files, frames and other tables. Nothing is read until rows or a count are asked
for."""

from __future__ import annotations

import ctypes
import itertools
import json
from collections import namedtuple
from ctypes import c_void_p

from . import _errors, _lib
from ._column import Column, quote
from ._relational import Relational
from ._rows import Rows

_marks = itertools.count(1)
Field = namedtuple("Field", "name type")


class Table(Relational, Rows):
    """Rows that are described, not held: a file, a frame, or a query over other tables.

    Made by gm.table, gm.read_csv, gm.read_parquet, gm.read_json, gm.read_libsvm and gm.sql; every method
    gives a new table.
    The methods are those of Spark's DataFrame; texts are a column's exact name if there is one, else SQL.
    """

    def __init__(self, handle: _lib.Handle, notes=(), name: str = ""):
        self._handle, self._notes, self._name = handle, tuple(notes), name
        self._fields = self._before = None
        self._untyped = ()  # columns without any value, whose source knows no type: they fit any
        self._bare = None  # of an array, whose columns have no names: how many there are
        self._mark = str(next(_marks))

    # ---- what it is ----

    @property
    def schema(self) -> list:
        """Name and SQL type of each column."""
        if self._fields is None:
            found = json.loads(_lib.ask("gm_table_columns", self._handle))
            self._fields = [Field(c["name"], c["type"]) for c in found]
        return list(self._fields)

    @property
    def columns(self) -> list:
        """Names of the columns."""
        return [f.name for f in self.schema]

    @property
    def dtypes(self) -> list:
        """(name, type) of each column."""
        return [tuple(f) for f in self.schema]

    def printSchema(self):
        """Prints names and types."""
        print("root")
        for f in self.schema:
            print(f" |-- {f.name}: {f.type}")

    @property
    def query(self) -> str:
        """The SQL text this table stands for, for people; credentials are removed."""
        return _lib.ask("gm_table_text", self._handle)

    def explain(self):
        """Prints the SQL text."""
        print(self.query)

    def report(self) -> dict:
        """What reading found (rows, rejects, types, notes), and under "na" what na.drop and na.fill did. A
        table that was not read to its end is read."""
        found = json.loads(_lib.ask("gm_table_report", self._handle))
        if found.get("rows") is None:
            self.count()
            found = json.loads(_lib.ask("gm_table_report", self._handle))
        if self._notes:
            found["na"] = [note() for note in self._notes]
        return found

    def __repr__(self):
        return f"Table[{', '.join(f'{f.name}: {f.type}' for f in self.schema)}]"

    def __reduce__(self):
        raise _errors.UsageError(
            "a table is a query of this process and cannot be pickled",
            "pickle table.to_arrow() or write a file",
        )

    def __getitem__(self, key):
        """t["x"] is a column, t[["x", "y"]] some columns, t[t["x"] > 3] some rows."""
        if isinstance(key, str):
            return self._own(key)
        if isinstance(key, Column):
            return self.filter(key)
        if isinstance(key, (list, tuple)):
            return self.select(*key)
        raise _errors.UsageError(
            f"a table is indexed by a name, names or a condition, not {type(key).__name__}"
        )

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.columns:
            raise AttributeError(f"Table has no attribute or column {name!r}")
        return self._own(name)

    def __dir__(self):
        return [*super().__dir__(), *(c for c in self.columns if c.isidentifier())]

    def __iter__(self):
        raise _errors.UsageError("a table is not iterated by accident", "use table.collect()")

    def _own(self, name):
        self._need(name)
        return Column(f"\0{self._mark}\0{quote(name)}", name)

    def _need(self, name):
        columns = self.columns
        if name not in columns:
            near = _lib.nearest(name, columns)
            raise _errors.SchemaError(
                f"there is no column {name!r}", near or f"the columns are: {', '.join(columns[:30])}"
            )
        return name


def from_sql(sql: str, tables: dict, notes=()) -> Table:
    """A SELECT over tables by name."""
    n = len(tables)
    names = (ctypes.c_char_p * max(n, 1))(*[_lib.encode(name, "a table's name") for name in tables])
    handles = (c_void_p * max(n, 1))(*[t._handle.pointer for t in tables.values()])
    kept = list(tables.values())  # as long as the call may use their handles
    handle = _lib.make("table", "gm_table_sql", _lib.encode(sql, "SQL"), names, handles, n, keep=kept)
    return Table(handle, notes)


def table(data, name: str = "") -> Table:
    """A Table from what holds rows; see gristmill.table."""
    from ._sources import table as make

    return data if isinstance(data, Table) else make(data, name)
