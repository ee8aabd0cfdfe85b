# SPDX-License-Identifier: Apache-2.0
"""Tables as text and as HTML. Every cell is made text by the database, so nothing is rounded on the way."""

from __future__ import annotations

import html

from ._column import quote


def _cells(table, n):
    """(names, rows of texts with None for NULL, whether there are more)."""
    names = table.columns
    texts = ", ".join(f"CAST({quote(c)} AS VARCHAR) AS {quote(f'c{i}')}" for i, c in enumerate(names))
    # The rows are cut before they become text.
    found = table._derive(f"SELECT {texts} FROM (SELECT * FROM this LIMIT {int(n) + 1})").to_dict()
    rows = list(zip(*found.values(), strict=True))
    return names, rows[:n], len(rows) > n


def _width(text):
    """Columns of a terminal: east Asian wide characters take two."""
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _clean(text, limit):
    text = "NULL" if text is None else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if not limit or len(text) <= limit else text[: max(limit - 3, 1)] + "..."


def text(table, n, truncate, vertical) -> str:
    """The first n rows between lines, as Spark prints them."""
    limit = 20 if truncate is True else int(truncate or 0)
    names, rows, more = _cells(table, n)
    rows = [[_clean(v, limit) for v in row] for row in rows]
    if vertical:
        wide = max(map(_width, names), default=0)
        out = []
        for i, row in enumerate(rows):
            out.append(f"-RECORD {i}".ljust(wide + 20, "-"))
            out += [f" {n}{' ' * (wide - _width(n))} | {v}" for n, v in zip(names, row, strict=True)]
    else:
        sizes = [max([_width(n), *(_width(r[k]) for r in rows)]) for k, n in enumerate(names)]
        ruler = "+" + "+".join("-" * (s + 2) for s in sizes) + "+"

        def line(cells):
            return (
                "|"
                + "|".join(f" {' ' * (s - _width(c))}{c} " for c, s in zip(cells, sizes, strict=True))
                + "|"
            )

        out = [ruler, line([_clean(n, 0) for n in names]), ruler, *map(line, rows), ruler]
    if more:
        out.append(f"only showing top {n} row{'s' if n != 1 else ''}")
    out += [describe(note()) for note in table._notes]
    return "\n".join(out)


def describe(note) -> str:
    """One line about what na.drop or na.fill did."""
    if note["what"] == "drop":
        gaps = ", ".join(f"{c}: {k}" for c, k in note["missing"].items() if k)
        return (
            f"na.drop: {note['dropped']} of {note['rows']} rows dropped{f' (missing {gaps})' if gaps else ''}"
        )
    filled = ", ".join(f"{c}: {k}" for c, k in note["filled"].items() if k) or "nothing"
    return f"na.fill: filled {filled} of {note['rows']} rows"


def grid(head, rows) -> str:
    """An HTML table of texts; everything is escaped."""
    escape = html.escape
    top = "".join(f"<th>{escape(str(h))}</th>" for h in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{'<i>NULL</i>' if v is None else escape(str(v))}</td>" for v in row) + "</tr>"
        for row in rows
    )
    return f'<table class="gristmill"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


def page(table, n) -> str:
    names, rows, more = _cells(table, n)
    kinds = dict(table.dtypes)
    head = [f"{c} ({kinds[c]})" for c in names]
    rows = [[None if v is None else _clean(v, 200) for v in row] for row in rows]
    return grid(head, rows) + (f"<p>first {n} rows</p>" if more else "")
