# SPDX-License-Identifier: Apache-2.0
"""Groups of rows (table.groupBy) and missing values (table.na)."""

from __future__ import annotations

from . import _column, _errors
from ._column import Column, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._table import Table


def _count(n):
    if isinstance(n, bool) or int(n) != n or n < 0:
        raise _errors.ParamError(f"{n!r} is not a number of rows")
    return int(n)


_NUMBERS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
}


def _is_number(kind):
    return kind.split("(")[0] in _NUMBERS and not kind.endswith("]")


class GroupedTable:
    """Groups of a table's rows."""

    def __init__(self, source, keys):
        self._source, self._keys = source, keys

    def agg(self, *expressions, **named) -> Table:
        """Aggregates of each group: F.avg("x").alias("m"), SQL text, {"x": "avg"}, or name=expression."""
        source, texts = self._source, []
        for e in expressions:
            if isinstance(e, dict):
                for name, function in e.items():
                    texts += [self._one(name, f) for f in _column._listed(function)]
            else:
                texts.append(source._text(e))
        texts += [f"{source._text(e, False)} AS {quote(n)}" for n, e in named.items()]
        if not texts:
            raise _errors.UsageError("agg needs at least one aggregate")
        keys = [source._text(k) for k in self._keys]
        tail = f" GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))}" if keys else ""
        return source._derive(f"SELECT {', '.join(keys + texts)} FROM this{tail}")

    def _one(self, name, function):
        from . import functions

        if name == "*":
            return 'count(*) AS "count(1)"'
        c = getattr(functions, function)(self._source._need(name))
        return f"{c.sql} AS {quote(f'{function}({name})')}"

    def count(self) -> Table:
        """The number of rows of each group, as column "count"."""
        return self.agg(Column("count(*)", "count"))

    def _each(self, function, columns):
        if not columns:
            keys = {k if isinstance(k, str) else k._name for k in self._keys}
            columns = [f.name for f in self._source.schema if _is_number(f.type) and f.name not in keys]
        return self.agg({name: function for name in columns})

    def avg(self, *columns) -> Table:
        """Means of the columns (default: all numbers)."""
        return self._each("avg", columns)

    mean = avg

    def sum(self, *columns) -> Table:
        return self._each("sum", columns)

    def min(self, *columns) -> Table:
        return self._each("min", columns)

    def max(self, *columns) -> Table:
        return self._each("max", columns)


class MissingFunctions:
    """table.na: missing values, which are NULL and, in floating-point columns, NaN."""

    def __init__(self, source):
        self._source = source
        self._types = dict(source.dtypes)

    def _missing(self, name):
        q = quote(name)
        return (
            f"({q} IS NULL OR isnan({q}))" if self._types[name] in ("DOUBLE", "FLOAT") else f"({q} IS NULL)"
        )

    def count(self) -> dict:
        """{column: how many values are missing}, and the number of rows under None."""
        return _counted(self._source, {n: self._missing(n) for n in self._source.columns})

    def drop(self, how: str = "any", thresh: int = None, subset=None) -> Table:
        """Without rows that have any (or how="all": only) missing values among the subset, or with thresh:
        fewer than so many present values. report()["na"] of the result counts the rows dropped."""
        names = self._source._subset(subset)
        if how not in ("any", "all"):
            raise _errors.ParamError(f"how is {how!r}; expected 'any' or 'all'")
        gaps = [self._missing(n) for n in names]
        if thresh is not None:
            dropped = f"({' + '.join(f'CAST(NOT {g} AS INTEGER)' for g in gaps)}) < {_count(thresh)}"
        else:
            dropped = (" OR " if how == "any" else " AND ").join(gaps)
        source, columns = self._source, {n: self._missing(n) for n in names}

        def note():
            found = _counted(source, columns, f"({dropped})")
            return {"what": "drop", "rows": found.pop(None), "dropped": found.pop(""), "missing": found}

        return source._derive(f"SELECT * FROM this WHERE NOT ({dropped})", notes=[*source._notes, note])

    def fill(self, value, subset=None) -> Table:
        """Missing values replaced: a number goes into columns of numbers, text into text, true and false into
        booleans; or {column: value}. report()["na"] of the result counts the values filled."""
        values = value if isinstance(value, dict) else None
        if values is None:
            names = [n for n in self._source._subset(subset) if self._fits(n, value)]
            if subset is not None and len(names) < len(self._source._subset(subset)):
                other = next(n for n in self._source._subset(subset) if n not in names)
                raise _errors.SchemaError(
                    f"{value!r} does not fit column {other!r} of type {self._types[other]}"
                )
            values = dict.fromkeys(names, value)
        for name in values:
            self._source._need(name)
        if not values:
            return self._source
        parts = []
        for name, v in values.items():
            text = f"CAST({_column.literal(self._checked(name, v))} AS {self._types[name]})"
            parts.append(
                f"CASE WHEN {self._missing(name)} THEN {text} ELSE {quote(name)} END AS {quote(name)}"
            )
        source, columns = self._source, {n: self._missing(n) for n in values}

        def note():
            found = _counted(source, columns)
            return {"what": "fill", "rows": found.pop(None), "filled": found}

        return source._derive(
            f"SELECT * REPLACE ({', '.join(parts)}) FROM this", notes=[*source._notes, note]
        )

    def _fits(self, name, value):
        kind = self._types[name]
        if isinstance(value, bool):
            return kind == "BOOLEAN"
        if isinstance(value, str):
            return kind == "VARCHAR"
        if isinstance(value, float) and value != int(value):
            return kind in ("DOUBLE", "FLOAT") or kind.startswith("DECIMAL")
        return _is_number(kind)

    def _checked(self, name, value):
        kind = self._types[name]
        if isinstance(value, float) and value != int(value) and _is_number(kind):
            if kind not in ("DOUBLE", "FLOAT") and not kind.startswith("DECIMAL"):
                raise _errors.DataError(
                    f"{value} would be rounded in column {name!r} of type {kind}",
                    "cast the column to DOUBLE first",
                )
        return value


def _counted(source, conditions, dropped=None):
    texts = [f"count(*) FILTER ({c}) AS {quote(f'c{i}')}" for i, c in enumerate(conditions.values())]
    texts.append("count(*) AS n")
    if dropped is not None:
        texts.append(f"count(*) FILTER ({dropped}) AS d")
    row = source._derive(f"SELECT {', '.join(texts)} FROM this", notes=()).first()
    out = {name: row[i] for i, name in enumerate(conditions)}
    out[None] = row[len(conditions)]
    if dropped is not None:
        out[""] = row[len(conditions) + 1]
    return out
