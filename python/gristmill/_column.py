# SPDX-License-Identifier: Apache-2.0
"""A small expression language that writes SQL: gm.col("x") > 3, gm.F.upper("name"),
gm.col("x").lag(1).over(...).

Names are Spark's, the dialect is DuckDB's. A Column is text; a column taken from a table (t["x"]) carries a
mark of its table, NUL id NUL, which `join` turns into this. or other. and everything else removes.
"""

from __future__ import annotations

import re

from . import _errors

_MARK = re.compile("\0([0-9]*)\0")


def quote(name: str) -> str:
    """A name as an SQL identifier."""
    if "\0" in name:
        raise _errors.SchemaError(f"the column name {name!r} holds a NUL character")
    return '"' + name.replace('"', '""') + '"'


def literal(value) -> str:
    """A Python value as an SQL literal."""
    if value is None:
        return "NULL"
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # a NumPy scalar
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value) if value >= 0 else f"({value})"
    if isinstance(value, float):
        text = repr(value)
        if value != value or value in (float("inf"), float("-inf")):
            return f"CAST('{text}' AS DOUBLE)"
        return f"CAST({text} AS DOUBLE)"
    if isinstance(value, str):
        if "\0" in value:
            raise _errors.DataError("a text in an expression holds a NUL character")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, (bytes, bytearray)):
        return "'" + "".join(f"\\x{b:02X}" for b in value) + "'::BLOB"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    return _other_literal(value)


def _other_literal(value) -> str:
    import datetime as dt
    from decimal import Decimal

    if isinstance(value, dt.datetime):
        return f"{'TIMESTAMPTZ' if value.tzinfo else 'TIMESTAMP'} '{value.isoformat(' ')}'"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, dt.time):
        return f"TIME '{value.isoformat()}'"
    if isinstance(value, dt.timedelta):
        return f"to_microseconds({value // dt.timedelta(microseconds=1)})"
    if isinstance(value, Decimal):
        return f"({value})"
    raise _errors.UsageError(
        f"{type(value).__name__} has no SQL literal",
        "give a number, text, date, time or list, or a gm.col expression",
    )


def of(value, text_is_column: bool = False) -> Column:
    """A Column from a Column or a Python value; text is a column's name if asked for, else a literal."""
    if isinstance(value, Column):
        return value
    if text_is_column and isinstance(value, str):
        return Column("*", "*") if value == "*" else col(value)
    return Column(literal(value), str(value) if not isinstance(value, str) else value)


def col(name: str) -> Column:
    """A column by its exact name, whatever characters it has."""
    if not isinstance(name, str):
        raise _errors.UsageError(f"a column's name is text, not {type(name).__name__}")
    return Column("*", "*") if name == "*" else Column(quote(name), name)


def lit(value) -> Column:
    """A constant."""
    return of(value)


def expr(sql: str) -> Column:
    """An SQL expression, in DuckDB's dialect."""
    return Column(f"({sql})", sql)


def when(condition, value) -> Column:
    """CASE WHEN condition THEN value: .when(...) adds cases, .otherwise(...) ends it (else NULL)."""
    return _Case([(of(condition), of(value))])


def _binary(template, symbol, swap=False):
    def method(self, other):
        left, right = (of(other), self) if swap else (self, of(other))
        return Column(template.format(left._sql, right._sql), f"({left._name} {symbol} {right._name})")

    return method


def _call(function, *arguments, name=None):
    text = f"{function}({', '.join(a._sql for a in arguments)})"
    return Column(text, f"{name or function}({', '.join(a._name for a in arguments)})")


class Column:
    """An expression over columns. Operators and methods give new ones; & | ~ combine conditions."""

    __slots__ = ("_sql", "_name", "_order")
    __hash__ = None

    def __init__(self, sql: str, name: str, order: str = ""):
        self._sql, self._name, self._order = sql, name, order

    def __repr__(self):
        return f"Column<{self._name}>"

    @property
    def sql(self) -> str:
        """The SQL text."""
        return _MARK.sub("", self._sql)

    __add__, __radd__ = _binary("({} + {})", "+"), _binary("({} + {})", "+", True)
    __sub__, __rsub__ = _binary("({} - {})", "-"), _binary("({} - {})", "-", True)
    __mul__, __rmul__ = _binary("({} * {})", "*"), _binary("({} * {})", "*", True)
    __truediv__, __rtruediv__ = _binary("({} / {})", "/"), _binary("({} / {})", "/", True)
    __floordiv__, __rfloordiv__ = _binary("({} // {})", "//"), _binary("({} // {})", "//", True)
    __mod__, __rmod__ = _binary("({} % {})", "%"), _binary("({} % {})", "%", True)
    __pow__, __rpow__ = _binary("pow({}, {})", "**"), _binary("pow({}, {})", "**", True)
    __lt__, __le__ = _binary("({} < {})", "<"), _binary("({} <= {})", "<=")
    __gt__, __ge__ = _binary("({} > {})", ">"), _binary("({} >= {})", ">=")
    __and__, __rand__ = _binary("({} AND {})", "AND"), _binary("({} AND {})", "AND", True)
    __or__, __ror__ = _binary("({} OR {})", "OR"), _binary("({} OR {})", "OR", True)
    eqNullSafe = _binary("({} IS NOT DISTINCT FROM {})", "<=>")
    _equal, _unequal = _binary("({} = {})", "="), _binary("({} <> {})", "<>")

    def __eq__(self, other):
        return self.isNull() if other is None else self._equal(other)

    def __ne__(self, other):
        return self.isNotNull() if other is None else self._unequal(other)

    def __invert__(self):
        return Column(f"(NOT {self._sql})", f"(NOT {self._name})")

    def __neg__(self):
        return Column(f"(- {self._sql})", f"(- {self._name})")

    def __abs__(self):
        return _call("abs", self)

    def __bool__(self):
        raise _errors.UsageError(
            "a column is not true or false by itself", "combine conditions with &, | and ~, each in brackets"
        )

    def __iter__(self):
        raise _errors.UsageError("a column cannot be iterated", "use table.select(...).collect()")

    def __getitem__(self, key):
        """An element of a list (counted from 0, as in Spark), or a field of a struct."""
        if isinstance(key, str):
            return Column(f"struct_extract({self._sql}, {literal(key)})", f"{self._name}.{key}")
        if isinstance(key, int):
            return Column(
                f"list_extract({self._sql}, {key + 1 if key >= 0 else key})", f"{self._name}[{key}]"
            )
        raise _errors.UsageError(f"an element is named by a number or text, not {type(key).__name__}")

    getItem = getField = __getitem__

    def alias(self, name: str) -> Column:
        """The same under another name."""
        return Column(self._sql, name, self._order)

    name = alias

    def cast(self, type: str) -> Column:
        """CAST; a value that does not fit is an error."""
        return Column(f"CAST({self._sql} AS {_type(type)})", self._name)

    astype = cast

    def try_cast(self, type: str) -> Column:
        """CAST; a value that does not fit becomes NULL."""
        return Column(f"TRY_CAST({self._sql} AS {_type(type)})", self._name)

    def isNull(self) -> Column:
        return Column(f"({self._sql} IS NULL)", f"({self._name} IS NULL)")

    def isNotNull(self) -> Column:
        return Column(f"({self._sql} IS NOT NULL)", f"({self._name} IS NOT NULL)")

    def isNaN(self) -> Column:
        return _call("isnan", self)

    def isin(self, *values) -> Column:
        """Whether the value is one of these."""
        if len(values) == 1 and isinstance(values[0], (list, tuple, set, frozenset)):
            values = tuple(values[0])
        if not values:
            return Column("FALSE", f"({self._name} IN ())")
        inner = ", ".join(of(v)._sql for v in values)
        return Column(f"({self._sql} IN ({inner}))", f"({self._name} IN ({inner}))")

    def between(self, low, high) -> Column:
        """low <= this <= high."""
        return (self >= low) & (self <= high)

    def like(self, pattern: str) -> Column:
        return Column(f"({self._sql} LIKE {literal(pattern)})", f"{self._name} LIKE {pattern}")

    def ilike(self, pattern: str) -> Column:
        return Column(f"({self._sql} ILIKE {literal(pattern)})", f"{self._name} ILIKE {pattern}")

    def rlike(self, pattern: str) -> Column:
        return _call("regexp_matches", self, of(pattern), name="rlike")

    def startswith(self, text) -> Column:
        return _call("starts_with", self, of(text), name="startswith")

    def endswith(self, text) -> Column:
        return _call("ends_with", self, of(text), name="endswith")

    def contains(self, text) -> Column:
        return _call("contains", self, of(text))

    def substr(self, start, length) -> Column:
        """A part of the text; the first character is number 1."""
        return _call("substring", self, of(start), of(length))

    def lag(self, offset: int = 1, default=None) -> Column:
        """The value `offset` rows before; give the order with .over(...)."""
        return _shifted("lag", self, offset, default)

    def lead(self, offset: int = 1, default=None) -> Column:
        """The value `offset` rows after; give the order with .over(...)."""
        return _shifted("lead", self, offset, default)

    def over(self, window=None, *, partitionBy=None, orderBy=None, rows=None, range=None) -> Column:  # noqa: A002
        """This function over a window: a gm.Window, or its parts by name; rows and range are (first, last)
        with None for no end."""
        if window is None:
            window = WindowSpec()
            if partitionBy is not None:
                window = window.partitionBy(*_listed(partitionBy))
            if orderBy is not None:
                window = window.orderBy(*_listed(orderBy))
            if rows is not None:
                window = window.rowsBetween(*rows)
            if range is not None:
                window = window.rangeBetween(*range)
        return Column(f"({self._sql} OVER ({window._sql}))", f"{self._name} OVER")

    def asc(self) -> Column:
        return Column(self._sql, self._name, " ASC NULLS FIRST")

    def desc(self) -> Column:
        return Column(self._sql, self._name, " DESC NULLS LAST")

    asc_nulls_first, desc_nulls_last = asc, desc

    def asc_nulls_last(self) -> Column:
        return Column(self._sql, self._name, " ASC NULLS LAST")

    def desc_nulls_first(self) -> Column:
        return Column(self._sql, self._name, " DESC NULLS FIRST")


def _shifted(function, column, offset, default):
    arguments = [column, of(int(offset))] + ([] if default is None else [of(default)])
    return _call(function, *arguments)


class _Case(Column):
    __slots__ = ("_cases",)

    def __init__(self, cases, last=None):
        text = "".join(f" WHEN {c._sql} THEN {v._sql}" for c, v in cases)
        ending = f" ELSE {last._sql}" if last is not None else ""
        name = "CASE" + "".join(f" WHEN {c._name} THEN {v._name}" for c, v in cases)
        super().__init__(
            f"(CASE{text}{ending} END)", f"{name}{f' ELSE {last._name}' if last is not None else ''} END"
        )
        self._cases = cases

    def when(self, condition, value):
        return _Case([*self._cases, (of(condition), of(value))])

    def otherwise(self, value):
        closed = _Case(self._cases, of(value))
        return Column(closed._sql, closed._name)


_TYPES = {"byte": "TINYINT", "binary": "BLOB", "timestamp_ntz": "TIMESTAMP"}


def _type(name: str) -> str:
    if not isinstance(name, str) or not re.fullmatch(r'[\w ,()\[\]"]+', name):
        raise _errors.UsageError(f"{name!r} is not the name of an SQL type")
    return _TYPES.get(name.lower(), name)


def _listed(value):
    return value if isinstance(value, (list, tuple)) else (value,)


def order_text(value, plain=None) -> str:
    """One term of ORDER BY: a Column, a name, or SQL such as "x DESC". Spark's order: nulls first, last when
    falling."""
    if isinstance(value, Column):
        return value._sql + (value._order or " ASC NULLS FIRST")
    if plain is not None and value not in plain:
        return value
    return quote(value) + " ASC NULLS FIRST"


class WindowSpec:
    """Rows a window function sees: partitionBy, orderBy, rowsBetween, rangeBetween, as in Spark."""

    unboundedPreceding, unboundedFollowing, currentRow = None, None, 0
    __slots__ = ("_parts", "_orders", "_frame")

    def __init__(self, parts=(), orders=(), frame=""):
        self._parts, self._orders, self._frame = tuple(parts), tuple(orders), frame

    def partitionBy(self, *columns):
        return WindowSpec([of(c, True)._sql for c in _flat(columns)], self._orders, self._frame)

    def orderBy(self, *columns):
        return WindowSpec(self._parts, [order_text(c) for c in _flat(columns)], self._frame)

    def rowsBetween(self, first, last):
        return WindowSpec(self._parts, self._orders, _frame("ROWS", first, last))

    def rangeBetween(self, first, last):
        return WindowSpec(self._parts, self._orders, _frame("RANGE", first, last))

    @property
    def _sql(self):
        parts = f"PARTITION BY {', '.join(self._parts)}" if self._parts else ""
        orders = f"ORDER BY {', '.join(self._orders)}" if self._orders else ""
        return " ".join(p for p in (parts, orders, self._frame) if p)


Window = WindowSpec()


def _flat(columns):
    return columns[0] if len(columns) == 1 and isinstance(columns[0], (list, tuple)) else columns


def _frame(kind, first, last):
    def bound(value, open_end):
        if value is None or abs(value) >= 2**31:
            return open_end
        if value == 0:
            return "CURRENT ROW"
        return f"{-value} PRECEDING" if value < 0 else f"{value} FOLLOWING"

    return f"{kind} BETWEEN {bound(first, 'UNBOUNDED PRECEDING')} AND {bound(last, 'UNBOUNDED FOLLOWING')}"
