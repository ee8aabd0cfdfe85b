# SPDX-License-Identifier: Apache-2.0
"""The methods of Table that give new tables: Spark's, written as SQL over `this` and `other`."""

from __future__ import annotations

import ctypes
from ctypes import c_void_p

from . import _column, _errors, _lib
from ._column import Column, quote
from ._group import GroupedTable, MissingFunctions, _count, _is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._table import Table

_HOW = {
    "inner": "INNER", "left": "LEFT", "leftouter": "LEFT", "right": "RIGHT", "rightouter": "RIGHT",
    "outer": "FULL", "full": "FULL", "fullouter": "FULL", "semi": "SEMI", "leftsemi": "SEMI", "anti": "ANTI",
    "leftanti": "ANTI", "cross": "CROSS",
}  # fmt: skip


def _plain(text):
    return _column._MARK.sub("", text)


class Relational:
    """select, filter, join, groupBy, orderBy, randomSplit, ..."""

    def _derive(self, sql, others=None, notes=None):
        tables = {"this": self, **(others or {})}
        if notes is None:
            notes = [note for t in tables.values() for note in t._notes]
        from ._table import from_sql

        return from_sql(sql, tables, notes)

    def _text(self, value, alias=True) -> str:
        """A column argument as SQL: a name, "*", a Column, or SQL."""
        if isinstance(value, str):
            if value == "*":
                return "*"
            return quote(value) if value in self.columns else value
        c = _column.of(value)
        return f"{c.sql} AS {quote(c._name)}" if alias and c._sql != "*" else c.sql

    def _subset(self, names):
        names = self.columns if names is None else ([names] if isinstance(names, str) else list(names))
        for name in names:
            self._need(name)
        return names

    def select(self, *columns) -> Table:
        """Some columns or expressions, in this order."""
        columns = _column._flat(columns)
        if not columns:
            raise _errors.UsageError("select needs at least one column")
        return self._derive(f"SELECT {', '.join(self._text(c) for c in columns)} FROM this")

    def selectExpr(self, *expressions: str) -> Table:
        """SQL expressions as columns."""
        return self._derive(f"SELECT {', '.join(_column._flat(expressions))} FROM this")

    def filter(self, condition) -> Table:
        """The rows where the condition is true: a Column, or SQL text."""
        return self._derive(f"SELECT * FROM this WHERE {self._text(condition, False)}")

    where = filter

    def withColumn(self, name: str, column) -> Table:
        """With a column added, or replaced in its place."""
        return self.withColumns({name: column})

    def withColumns(self, columns: dict) -> Table:
        """With several columns added or replaced; all see the columns as they were."""
        have = {c.lower() for c in self.columns}
        texts = {
            n: self._text(c if isinstance(c, (str, Column)) else _column.lit(c), False)
            for n, c in columns.items()
        }
        swap = ", ".join(f"{t} AS {quote(n)}" for n, t in texts.items() if n.lower() in have)
        add = "".join(f", {t} AS {quote(n)}" for n, t in texts.items() if n.lower() not in have)
        return self._derive(f"SELECT *{f' REPLACE ({swap})' if swap else ''}{add} FROM this")

    def withColumnRenamed(self, old: str, new: str) -> Table:
        """With a column under another name. A name that is not there is an error."""
        return self.withColumnsRenamed({old: new})

    def withColumnsRenamed(self, names: dict) -> Table:
        """With columns under other names: {old: new}."""
        for old in names:
            self._need(old)
        return self._derive(
            f"SELECT {', '.join(f'{quote(c)} AS {quote(names.get(c, c))}' for c in self.columns)} FROM this"
        )

    def toDF(self, *names: str) -> Table:
        """With all columns renamed, in order."""
        names, columns = _column._flat(names), self.columns
        if len(names) != len(columns):
            raise _errors.SchemaError(f"{len(names)} names for {len(columns)} columns")
        texts = (f"{quote(c)} AS {quote(n)}" for c, n in zip(columns, names, strict=True))
        return self._derive(f"SELECT {', '.join(texts)} FROM this")

    def drop(self, *columns) -> Table:
        """Without some columns. A name that is not there is an error."""
        names = {self._need(c._name if isinstance(c, Column) else c) for c in _column._flat(columns)}
        kept = [c for c in self.columns if c not in names]
        if not kept:
            raise _errors.UsageError("no column would be left")
        return self.select(*map(_column.col, kept))

    def limit(self, n: int) -> Table:
        """The first n rows."""
        return self._derive(f"SELECT * FROM this LIMIT {_count(n)}")

    def offset(self, n: int) -> Table:
        """Without the first n rows."""
        return self._derive(f"SELECT * FROM this OFFSET {_count(n)}")

    def distinct(self) -> Table:
        """Each row once."""
        return self._derive("SELECT DISTINCT * FROM this")

    def dropDuplicates(self, subset=None) -> Table:
        """One row for each combination of the subset's values (default: of all columns)."""
        if subset is None:
            return self.distinct()
        keys = ", ".join(quote(c) for c in self._subset(subset))
        return self._derive(f"SELECT DISTINCT ON ({keys}) * FROM this")

    drop_duplicates = dropDuplicates

    def orderBy(self, *columns, ascending=True) -> Table:
        """Sorted. Terms are names, Columns (col("x").desc()) or SQL ("x DESC"); nulls come first, last when
        falling."""
        columns = _column._flat(columns)
        rising = list(ascending) if isinstance(ascending, (list, tuple)) else [ascending] * len(columns)
        if len(rising) != len(columns):
            raise _errors.UsageError(f"{len(rising)} values of ascending for {len(columns)} columns")
        have = self.columns
        terms = []
        for column, up in zip(columns, rising, strict=True):
            if up is None or up:
                terms.append(_column.order_text(column, have))
            else:
                terms.append(_column.order_text(_column.of(column, True).desc()))
        return self._derive(f"SELECT * FROM this ORDER BY {', '.join(map(_plain, terms))}")

    sort = orderBy

    def union(self, other: Table) -> Table:
        """The rows of both, columns by position. The same names in another order are an error: see
        unionByName."""
        other = _table(other)
        mine, theirs = self.columns, other.columns
        if len(mine) != len(theirs):
            raise _errors.SchemaError(
                f"union of {len(mine)} and {len(theirs)} columns", "select the same columns"
            )
        if mine != theirs and sorted(mine) == sorted(theirs):
            raise _errors.SchemaError(
                "union goes by position, and both tables have the same names in another order",
                "use unionByName",
            )
        return self._derive("SELECT * FROM this UNION ALL SELECT * FROM other", {"other": other})

    unionAll = union

    def unionByName(self, other: Table, allowMissingColumns: bool = False) -> Table:
        """The rows of both, columns by name; columns that one lacks are NULL if allowed, else an error."""
        other = _table(other)
        missing = sorted(set(self.columns) ^ set(other.columns))
        if missing and not allowMissingColumns:
            raise _errors.SchemaError(
                f"columns in only one of the tables: {', '.join(missing)}", "set allowMissingColumns=True"
            )
        return self._derive("SELECT * FROM this UNION ALL BY NAME SELECT * FROM other", {"other": other})

    def intersect(self, other: Table) -> Table:
        """The distinct rows that are in both."""
        return self._derive("SELECT * FROM this INTERSECT SELECT * FROM other", {"other": _table(other)})

    def subtract(self, other: Table) -> Table:
        """The distinct rows that are not in the other."""
        return self._derive("SELECT * FROM this EXCEPT SELECT * FROM other", {"other": _table(other)})

    def join(self, other, on=None, how: str = "inner", suffix: str = None) -> Table:
        """Joins another table.

        Parameters
        ----------
        other : Table or what gm.table takes
        on : str, list of str, Column, or SQL
            Names that both have (the key is one column of the result); or a condition over both, as
            t["a"] == other["b"] or as SQL over `this` and `other`: "this.a = other.b".
        how : str
            inner, left, right, outer (full), semi, anti or cross.
        suffix : str
            Appended to the other's columns whose names are taken. Without it such names are an error.
        """
        other = _table(other)
        kind = _HOW.get(how.lower().replace("_", ""))
        if kind is None:
            near = _lib.nearest(how, ["inner", "left", "right", "outer", "semi", "anti", "cross"])
            raise _errors.UsageError(f"unknown kind of join {how!r}", near)
        keys, condition = self._join_on(other, on, kind)
        head = self._join_columns(other, keys, kind, suffix)
        tail = f" ON {condition}" if condition else ""
        return self._derive(f"SELECT {head} FROM this {kind} JOIN other{tail}", {"other": other})

    def _join_on(self, other, on, kind):
        if kind == "CROSS":
            if on is not None:
                raise _errors.UsageError("a cross join has no condition")
            return [], ""
        if on is None:
            raise _errors.UsageError("join needs on", "name the common columns, or how='cross' for all pairs")
        names = [on] if isinstance(on, str) else on
        if isinstance(names, (list, tuple)) and all(isinstance(n, str) for n in names):
            if all(n in self.columns and n in other.columns for n in names):
                return list(names), " AND ".join(f"this.{quote(n)} = other.{quote(n)}" for n in names)
            if not isinstance(on, str) or on in self.columns or on in other.columns:
                for n in names:
                    self._need(n)
                    other._need(n)
            return [], on
        parts = [_column.of(c) for c in (on if isinstance(on, (list, tuple)) else [on])]
        return [], " AND ".join(self._sided(c._sql, other) for c in parts)

    def _sided(self, text, other):
        """Marks of tables as this. and other. ."""
        mine, theirs = self.columns, other.columns

        def side(match):
            owner = match.group(1)
            if owner == self._mark:
                return "this."
            if owner == other._mark:
                return "other."
            name = text[match.end() :]
            here, there = (any(name.startswith(quote(c)) for c in cs) for cs in (mine, theirs))
            if here == there:
                raise _errors.UsageError(
                    "a column in the join's condition is of neither table",
                    "take columns from the tables that are joined",
                )
            return "this." if here else "other."

        return _column._MARK.sub(side, text)

    def _join_columns(self, other, keys, kind, suffix):
        if kind in ("SEMI", "ANTI"):
            return ", ".join(f"this.{quote(c)}" for c in self.columns)
        key = {
            "RIGHT": "other.{0} AS {0}",
            "FULL": "coalesce(this.{0}, other.{0}) AS {0}",
        }.get(kind, "this.{0} AS {0}")
        out = [key.format(quote(k)) for k in keys]
        out += [f"this.{quote(c)}" for c in self.columns if c not in keys]
        taken = {c.lower() for c in self.columns}
        rest = [c for c in other.columns if c not in keys]
        clash = [c for c in rest if c.lower() in taken]
        if clash and suffix is None:
            raise _errors.SchemaError(
                f"both tables have columns named {', '.join(clash[:10])}",
                "give suffix='_right', or rename or drop them before the join",
            )
        return ", ".join(
            out + [f"other.{quote(c)} AS {quote(c + suffix if c in clash else c)}" for c in rest]
        )

    def crossJoin(self, other) -> Table:
        """All pairs of rows."""
        return self.join(other, how="cross")

    def groupBy(self, *columns) -> GroupedTable:
        """Groups of equal values; call .agg, .count, .mean, .sum, .min or .max on them."""
        return GroupedTable(self, _column._flat(columns))

    groupby = groupBy

    def agg(self, *expressions, **named) -> Table:
        """Aggregates over all rows, as one row."""
        return self.groupBy().agg(*expressions, **named)

    def sample(self, withReplacement=None, fraction=None, seed=None, key: str = None) -> Table:
        """About this fraction of the rows, chosen by a hash of each row's content (or of the key column) and
        the seed: the same rows at each run, on any number of threads. Spark's forms sample(0.1), sample(0.1,
        7) work."""
        if isinstance(withReplacement, (int, float)) and not isinstance(withReplacement, bool):
            withReplacement, fraction, seed = False, withReplacement, fraction if seed is None else seed
        if withReplacement:
            raise _errors.ParamError("sampling with replacement is not offered", "leave withReplacement out")
        if fraction is None or not 0 <= fraction <= 1:
            raise _errors.ParamError(f"fraction is {fraction!r}; expected a number from 0 to 1")
        if fraction in (0, 1):
            return self if fraction == 1 else self.limit(0)
        return self.randomSplit([fraction, 1 - fraction], seed, key)[0]

    def randomSplit(self, weights, seed=None, key: str = None) -> list:
        """Disjoint parts that together are all rows, by a hash of each row's content (or of the key column)
        and seed.

        weights are scaled to sum 1. The same rows fall into the same part at each run, on any number of
        threads.
        """
        weights = [float(w) for w in weights]
        n = len(weights)
        out = (c_void_p * n)()
        seed = 0 if seed is None else int(seed)
        if not 0 <= seed < 2**64:
            raise _errors.ParamError(f"seed is {seed}; expected 0 to 2^64 - 1")
        key_text = _lib.encode(self._need(key)) if key is not None else None
        handle, shares = self._handle, (ctypes.c_double * n)(*weights)

        def work(call):
            call.check(_lib.library().gm_table_split(call.cx, handle.pointer, shares, n, seed, key_text, out))
            return [_lib.Handle("table", p) for p in out]

        return [type(self)(h, self._notes) for h in _lib.run(work, "split")]

    def persist(self, level: str = "MEMORY_AND_DISK") -> Table:
        """Reads the rows once and keeps them: MEMORY_ONLY, MEMORY_AND_DISK, DISK_ONLY or AUTO. Gives this
        table."""
        if self._before is None:
            made = _lib.make("table", "gm_table_persist", self._handle, _lib.encode(level), title="persist")
            self._before, self._handle = self._handle, made
        return self

    def cache(self) -> Table:
        """persist() with the default level."""
        return self.persist()

    def unpersist(self) -> Table:
        """Lets the kept rows go; they are read again when needed."""
        if self._before is not None:
            self._handle, self._before = self._before, None
        return self

    @property
    def na(self) -> MissingFunctions:
        """Functions for missing values: na.drop, na.fill, na.count. NULL and NaN are both missing."""
        return MissingFunctions(self)

    def dropna(self, how="any", thresh=None, subset=None) -> Table:
        """na.drop"""
        return self.na.drop(how, thresh, subset)

    def fillna(self, value, subset=None) -> Table:
        """na.fill"""
        return self.na.fill(value, subset)

    def describe(self, *columns) -> Table:
        """count, mean, stddev, min and max of the columns, as text, one row each."""
        names = self._subset(_column._flat(columns) or None)
        types = dict(self.dtypes)
        rows = []
        for label in ("count", "mean", "stddev", "min", "max"):
            cells = []
            for name in names:
                number = _is_number(types[name])
                function = {"mean": "avg", "stddev": "stddev_samp"}.get(label, label)
                ok = number or label in ("count", "min", "max")
                source = quote(name)
                if types[name] in ("DOUBLE", "FLOAT"):  # NaN is missing
                    source = f"CASE WHEN isnan({source}) THEN NULL ELSE {source} END"
                elif number and label in ("mean", "stddev"):
                    source = f"CAST({source} AS DOUBLE)"
                cells.append(f"CAST({f'{function}({source})' if ok else 'NULL'} AS VARCHAR) AS {quote(name)}")
            rows.append(f"SELECT '{label}' AS summary, {', '.join(cells)} FROM kept")
        return self._derive(f"WITH kept AS MATERIALIZED (SELECT * FROM this) {' UNION ALL '.join(rows)}")


def _table(other):
    from ._table import table

    return table(other)
