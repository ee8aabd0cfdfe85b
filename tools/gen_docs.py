#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/reference/ from the tables of the built library: a page per group of stages, evaluators, error
codes. Usage: gen_docs.py [--check] [LIBRARY]. With --check nothing is written; pages that are not fresh are
named, and the exit status is 1."""

import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "reference"
CHECK = "--check" in sys.argv
given = [a for a in sys.argv[1:] if a != "--check"]
os.environ["GRISTMILL_LIBRARY"] = given[0] if given else str(ROOT / "build" / "lib" / "libgristmill.so")
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))

from gristmill import _lib  # noqa: E402

# Page: title, what it is about, its stages in the order of reading. Learners go by their kind.
GROUPS = {
    "columns": (
        "Columns",
        "Stages that fill, index and encode columns.",
        "SQLTransformer Imputer StringIndexer IndexToString OneHotEncoder TargetEncoder FeatureHasher",
    ),
    "vectors": (
        "Vectors and scaling",
        "Stages that put numbers side by side, and scale them.",
        "VectorAssembler VectorSlicer StandardScaler MinMaxScaler MaxAbsScaler RobustScaler Normalizer",
    ),
    "buckets": (
        "Buckets",
        "Stages that turn numbers into few values.",
        "Binarizer Bucketizer QuantileDiscretizer",
    ),
    "text": (
        "Text",
        "Stages that turn text into words, and words into numbers.",
        "Tokenizer RegexTokenizer StopWordsRemover NGram HashingTF CountVectorizer IDF",
    ),
    "learners": ("Learners", "Classifiers and regressors.", ""),
}
KINDS = {
    "transformer": "Transformer: nothing is fitted.",
    "estimator": "Estimator: fitted by statistics in one pass.",
    "classifier": "Classifier.",
    "regressor": "Regressor.",
}
TYPES = {
    "bool": "true or false",
    "int": "whole number",
    "real": "number",
    "string": "text",
    "enum": "one of",
    "strings": "list of texts",
    "reals": "list of numbers",
    "ints": "list of whole numbers",
    "any": "any",
}


def plain(text):
    """Text as Markdown that means itself."""
    for c in "\\`*_[]":
        text = text.replace(c, "\\" + c)
    return text.replace("&", "&amp;").replace("<", "&lt;")


def cell(text):
    return plain(" ".join(str(text).split())).replace("|", "\\|")


def number(v):
    if not isinstance(v, float):
        return str(v)
    return str(int(v)) if v.is_integer() and abs(v) < 1e15 else f"{v:g}".replace("e-0", "e-")


def default(p):
    v = p.get("default")
    if v is None or v == []:
        return "needed" if p.get("required") else ""
    if isinstance(v, bool):
        return f"`{json.dumps(v)}`"
    if isinstance(v, str):
        return f"`{v}`" if v.strip() else f"`{json.dumps(v)}`"
    return f"`{number(v)}`"


def allowed(p):
    if p.get("choices"):
        return ", ".join(f"`{c}`" for c in p["choices"])
    if p["role"] in ("input", "output"):
        columns = "columns" if p["type"] == "strings" else "column"
        return f"{columns} {'read' if p['role'] == 'input' else 'written'}"
    low = f"from {number(p['min'])}" if "min" in p else ""
    low = f"above {number(p['above'])}" if "above" in p else low
    high = ""
    if "below" in p:
        high = f"below {number(p['below'])}"
    elif "max" in p and not (isinstance(p["max"], float) and p["max"] > 1e300):
        high = f"to {number(p['max'])}"
    return " ".join(w for w in (TYPES[p["type"]] + ("," if low or high else ""), low, high) if w)


def params(rows):
    out = ["| parameter | default | values | meaning |", "|---|---|---|---|"]
    for p in rows:
        out.append(f"| `{p['name']}` | {default(p)} | {allowed(p)} | {cell(p['help'])} |")
    return out if rows else ["It has no parameters."]


def stage(s):
    out = [f"## {s['name']}", "", plain(s["summary"]) + " " + KINDS[s["kind"]], ""]
    for paragraph in s["doc"].split("\n\n"):
        out += [plain(" ".join(paragraph.split())), ""]
    out += [*params(s["params"]), ""]
    if s["state"]:
        out += ["| state | type | meaning |", "|---|---|---|"]
        out += [f"| `{r['name']}` | {r['type']} | {cell(r['help'])} |" for r in s["state"]]
        out.append("")
    return out


def evaluator(e):
    out = [f"## {e['name']}", "", plain(e["summary"]), "", *params(e["params"]), ""]
    out += ["| metric | better | meaning |", "|---|---|---|"]
    for m in e["metrics"]:
        better = "larger" if m["larger_is_better"] else "smaller"
        out.append(f"| `{m['name']}` | {better} | {cell(m['help'])} |")
    return [*out, ""]


def page(title, intro, parts):
    note = "<!-- Printed by tools/gen_docs.py from the library's tables: change those. -->"
    text = [note, f"# {title}", "", intro, ""]
    for part in parts:
        text += part
    return "\n".join(text).rstrip("\n") + "\n"


def pages(registry):
    stages = {s["name"]: s for s in registry["stages"]}
    groups = {key: names.split() for key, (_, _, names) in GROUPS.items()}
    groups["learners"] = [s["name"] for s in registry["stages"] if s["kind"] in ("classifier", "regressor")]
    strays = set(stages) ^ {n for names in groups.values() for n in names}
    if strays:
        sys.exit(f"gen_docs: in no group, or in a group and no stage: {', '.join(sorted(strays))}")
    made = {}
    index = [["| stage | what it does |", "|---|---|"]]
    for key, names in groups.items():
        title, intro, _ = GROUPS[key]
        made[f"{key}.md"] = page(title, intro, [stage(stages[n]) for n in names])
        index[0] += [f"| [{n}]({key}.md#{n.lower()}) | {cell(stages[n]['summary'])} |" for n in names]
    index.append(["", "| evaluator | what it measures |", "|---|---|"])
    for e in registry["evaluators"]:
        index[1].append(f"| [{e['name']}](evaluators.md#{e['name'].lower()}) | {cell(e['summary'])} |")
    index.append(["", "The codes of errors: [Error codes](errors.md)."])
    made["index.md"] = page(
        "Reference",
        "Printed from the library's own tables, as `gristmill help NAME` prints them. Names, defaults and\n"
        "meanings are Spark MLlib's; where the answer differs, the stage's text says so.",
        index,
    )
    made["evaluators.md"] = page(
        "Evaluators",
        "They measure predictions that are columns of a table. A metric that is not defined is null, with a\n"
        "reason.",
        [evaluator(e) for e in registry["evaluators"]],
    )
    rows = ["| code | value | text | exit | HTTP | Python |", "|---|---|---|---|---|---|"]
    for c in registry["codes"]:
        name = f"`{c['exception']}`" if c["exception"] else ""
        cells = [f"`{c['name']}`", c["value"], cell(c["text"]), c["exit_status"], c["http"], name]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    made["errors.md"] = page(
        "Error codes", "What usually lies behind them, and what helps: [Errors](../errors.md).", [rows]
    )
    return made


def main():
    made = pages(json.loads(_lib.ask("gm_registry")))
    OUT.mkdir(parents=True, exist_ok=True)
    there = {p.name: p.read_text(encoding="utf-8") for p in OUT.glob("*.md")}
    stale = sorted(n for n in made.keys() | there.keys() if made.get(n) != there.get(n))
    if CHECK:
        if stale:
            sys.exit(f"docs/reference is not fresh ({', '.join(stale)}): run `make docs` and commit")
        return
    for name in stale:
        if name in made:
            (OUT / name).write_text(made[name], encoding="utf-8")
        else:
            (OUT / name).unlink()


main()
