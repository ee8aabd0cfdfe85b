# SPDX-License-Identifier: Apache-2.0
"""Functions for expressions (gm.F): Spark's names where Spark has one, and every function of DuckDB by its
own name.

A text as an argument is a column's name where Spark takes a column, and a value elsewhere. A function that is
not listed here goes to DuckDB as it is, its first text being a column and the others values: `F.jaccard("a",
F.col("b"))`.
"""

from __future__ import annotations

import re

from . import _errors
from ._column import Column, _call, col, expr, lit, literal, of, when  # noqa: F401

_ALL = 99  # every argument may be a column's name

# Spark's name -> (DuckDB's name, how many leading arguments are columns)
_SAME = {
    "avg": ("avg", 1), "mean": ("avg", 1), "sum": ("sum", 1), "min": ("min", 1), "max": ("max", 1),
    "count": ("count", 1), "stddev": ("stddev_samp", 1), "std": ("stddev_samp", 1),
    "stddev_samp": ("stddev_samp", 1), "stddev_pop": ("stddev_pop", 1), "variance": ("var_samp", 1),
    "var_samp": ("var_samp", 1), "var_pop": ("var_pop", 1), "corr": ("corr", 2),
    "covar_samp": ("covar_samp", 2), "covar_pop": ("covar_pop", 2), "kurtosis": ("kurtosis_pop", 1),
    "median": ("median", 1), "mode": ("mode", 1), "first": ("first", 1), "last": ("last", 1),
    "max_by": ("max_by", 2), "min_by": ("min_by", 2), "percentile": ("quantile_cont", 1),
    "percentile_approx": ("quantile_disc", 1), "approx_count_distinct": ("approx_count_distinct", 1),
    "bool_and": ("bool_and", 1), "every": ("bool_and", 1), "bool_or": ("bool_or", 1), "some": ("bool_or", 1),
    "upper": ("upper", 1), "lower": ("lower", 1), "length": ("length", 1), "trim": ("trim", 1),
    "ltrim": ("ltrim", 1), "rtrim": ("rtrim", 1), "substring": ("substring", 1), "lpad": ("lpad", 1),
    "rpad": ("rpad", 1), "reverse": ("reverse", 1), "translate": ("translate", 1), "instr": ("instr", 1),
    "repeat": ("repeat", 1), "split": ("string_split_regex", 1), "regexp_extract": ("regexp_extract", 1),
    "levenshtein": ("levenshtein", 2), "abs": ("abs", 1), "sqrt": ("sqrt", 1), "exp": ("exp", 1),
    "log10": ("log10", 1), "log2": ("log2", 1), "pow": ("pow", 2), "power": ("pow", 2), "round": ("round", 1),
    "floor": ("floor", 1), "ceil": ("ceil", 1), "signum": ("sign", 1), "atan2": ("atan2", 2),
    "isnan": ("isnan", 1), "coalesce": ("coalesce", _ALL), "greatest": ("greatest", _ALL),
    "least": ("least", _ALL), "year": ("year", 1), "month": ("month", 1), "dayofmonth": ("day", 1),
    "dayofyear": ("dayofyear", 1), "hour": ("hour", 1), "minute": ("minute", 1), "second": ("second", 1),
    "quarter": ("quarter", 1), "weekofyear": ("weekofyear", 1), "last_day": ("last_day", 1),
    "current_date": ("today", 0), "current_timestamp": ("now", 0), "from_unixtime": ("to_timestamp", 1),
    "size": ("len", 1), "array": ("list_value", _ALL), "element_at": ("list_extract", 1),
    "explode": ("unnest", 1), "array_contains": ("list_contains", 1), "row_number": ("row_number", 0),
    "rank": ("rank", 0), "dense_rank": ("dense_rank", 0), "percent_rank": ("percent_rank", 0),
    "cume_dist": ("cume_dist", 0), "ntile": ("ntile", 0), "first_value": ("first_value", 1),
    "last_value": ("last_value", 1), "nth_value": ("nth_value", 1),
}  # fmt: skip


def _function(name):
    target, columns = _SAME.get(name, (name, 1))

    def call(*arguments):
        return _call(target, *(of(a, i < columns) for i, a in enumerate(arguments)), name=name)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"SQL: {target}(...), in DuckDB's dialect."
    return call


def __getattr__(name):
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise AttributeError(name)
    return _function(name)


def __dir__():
    return sorted(
        {*_SAME, *(n for n in globals() if not n.startswith("_") and n not in ("annotations", "re"))}
    )


def _columns(arguments):
    return [of(a, True) for a in arguments]


def countDistinct(*columns):
    """How many different values; rows with a NULL are left out."""
    made = _columns(columns)
    inner = ", ".join(c._sql for c in made)
    what = (
        inner
        if len(made) == 1
        else f"CASE WHEN {' AND '.join(f'{c._sql} IS NOT NULL' for c in made)} THEN ({inner}) END"
    )
    return Column(f"count(DISTINCT {what})", f"count(DISTINCT {', '.join(c._name for c in made)})")


count_distinct = countDistinct


def sum_distinct(column):
    c = of(column, True)
    return Column(f"sum(DISTINCT {c._sql})", f"sum(DISTINCT {c._name})")


def collect_list(column):
    """The values as a list, without NULLs."""
    c = of(column, True)
    return Column(f"coalesce(list({c._sql}) FILTER ({c._sql} IS NOT NULL), [])", f"collect_list({c._name})")


def collect_set(column):
    """The different values as a list, without NULLs."""
    c = of(column, True)
    return Column(
        f"coalesce(list(DISTINCT {c._sql}) FILTER ({c._sql} IS NOT NULL), [])", f"collect_set({c._name})"
    )


def isnull(column):
    return of(column, True).isNull()


def isnotnull(column):
    return of(column, True).isNotNull()


def concat(*columns):
    """Texts one after another; NULL if one is NULL, as in Spark (DuckDB's concat skips it)."""
    made = _columns(columns)
    return Column(f"({' || '.join(c._sql for c in made)})", f"concat({', '.join(c._name for c in made)})")


def concat_ws(separator, *columns):
    """Texts with a separator; NULLs are left out."""
    return _call("concat_ws", lit(separator), *_columns(columns))


def regexp_replace(column, pattern, replacement):
    """Replaces every match; groups are written \\1."""
    return _call("regexp_replace", of(column, True), of(pattern), of(replacement), lit("g"))


def locate(text, column):
    """Where the text starts, from 1; 0 when it is not there."""
    return _call("instr", of(column, True), of(text), name="locate")


def log(first, second=None):
    """The natural logarithm; log(base, column) to another base, as in Spark (DuckDB's log is to base 10)."""
    if second is None:
        return _call("ln", of(first, True), name="log")
    base, column = of(first), of(second, True)
    return Column(f"(ln({column._sql}) / ln({base._sql}))", f"log({base._name}, {column._name})")


ln = log


def log1p(column):
    c = of(column, True)
    return Column(f"ln(1 + {c._sql})", f"log1p({c._name})")


def expm1(column):
    c = of(column, True)
    return Column(f"(exp({c._sql}) - 1)", f"expm1({c._name})")


def nanvl(first, second):
    """The first unless it is NaN."""
    a, b = of(first, True), of(second, True)
    return Column(
        f"(CASE WHEN isnan({a._sql}) THEN {b._sql} ELSE {a._sql} END)", f"nanvl({a._name}, {b._name})"
    )


def dayofweek(column):
    """1 is Sunday, as in Spark (DuckDB's own counts from 0)."""
    c = of(column, True)
    return Column(f"(dayofweek({c._sql}) + 1)", f"dayofweek({c._name})")


def to_date(column, format=None):  # noqa: A002
    """A date; format in strptime's letters (%Y-%m-%d)."""
    c = of(column, True)
    inner = c._sql if format is None else f"strptime({c._sql}, {literal(format)})"
    return Column(f"CAST({inner} AS DATE)", f"to_date({c._name})")


def to_timestamp(column, format=None):  # noqa: A002
    """A time stamp; format in strptime's letters."""
    c = of(column, True)
    text = f"CAST({c._sql} AS TIMESTAMP)" if format is None else f"strptime({c._sql}, {literal(format)})"
    return Column(text, f"to_timestamp({c._name})")


def date_format(column, format):  # noqa: A002
    """Text of a date; format in strftime's letters."""
    return _call("strftime", of(column, True), lit(format), name="date_format")


def date_trunc(unit, column):
    """The start of the hour, day, month, ..."""
    return _call("date_trunc", lit(unit), of(column, True))


def date_add(column, days):
    c, d = of(column, True), of(days)
    return Column(f"CAST({c._sql} + to_days({d._sql}) AS DATE)", f"date_add({c._name}, {d._name})")


def date_sub(column, days):
    c, d = of(column, True), of(days)
    return Column(f"CAST({c._sql} - to_days({d._sql}) AS DATE)", f"date_sub({c._name}, {d._name})")


def add_months(column, months):
    c, m = of(column, True), of(months)
    return Column(f"CAST({c._sql} + to_months({m._sql}) AS DATE)", f"add_months({c._name}, {m._name})")


def datediff(end, start):
    """Days from start to end."""
    e, s = of(end, True), of(start, True)
    return Column(
        f"date_diff('day', CAST({s._sql} AS DATE), CAST({e._sql} AS DATE))", f"datediff({e._name}, {s._name})"
    )


def unix_timestamp(column):
    """Seconds since 1970."""
    c = of(column, True)
    return Column(f"CAST(epoch({c._sql}) AS BIGINT)", f"unix_timestamp({c._name})")


def lag(column, offset=1, default=None):
    return of(column, True).lag(offset, default)


def lead(column, offset=1, default=None):
    return of(column, True).lead(offset, default)


def asc(column):
    return of(column, True).asc()


def desc(column):
    return of(column, True).desc()


def split_part(column, delimiter, part):
    return _call("split_part", of(column, True), of(delimiter), of(part))


def struct(*columns):
    """A struct with the columns as fields."""
    made = _columns(columns)
    fields = ", ".join(f"{literal(c._name)}: {c._sql}" for c in made)
    return Column(f"{{{fields}}}", f"struct({', '.join(c._name for c in made)})")


def broadcast(table):
    raise _errors.UsageError("there is no broadcast hint", "the optimizer chooses the join; leave it out")
