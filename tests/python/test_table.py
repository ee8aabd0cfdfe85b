# SPDX-License-Identifier: Apache-2.0
"""The lazy Table: each method against the rows it must give."""

import datetime as dt
import math
from decimal import Decimal

import gristmill as gm
import pytest

ODD = ["a.b", "a b", "x[0]", 'q"uote', "Ω", "'", "select", "<script>", "%s", "back`tick", "semi;colon"]


@pytest.fixture
def t():
    return gm.table({"k": ["a", "b", "a", None], "x": [1, 2, 3, 4], "y": [0.5, None, 2.5, float("nan")]})


def rows(table):
    return [tuple(r) for r in table.collect()]


def test_what_it_is(t):
    assert t.columns == ["k", "x", "y"]
    assert t.dtypes == [("k", "VARCHAR"), ("x", "BIGINT"), ("y", "DOUBLE")]
    assert t.schema[1].name == "x" and t.schema[1].type == "BIGINT"
    assert repr(t) == "Table[k: VARCHAR, x: BIGINT, y: DOUBLE]"
    assert t.count() == 4 and not t.isEmpty()
    assert t.first().x == 1 and t.first()["k"] == "a" and t.first().asDict()["y"] == 0.5
    assert len(t.take(3)) == 3 and len(t.head(2)) == 2 and t.head() == t.first()
    assert t.filter("x > 9").first() is None


def test_lazy_until_asked(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,2\n3,4\n")
    t = gm.read_csv(path).filter("x > 1").withColumn("z", gm.col("x") * 10)
    assert rows(t) == [(3, 4, 30)]
    assert "x" in t.query


def test_select_filter_and_columns(t):
    assert rows(t.select("k", "x")) == [("a", 1), ("b", 2), ("a", 3), (None, 4)]
    assert t.select(gm.col("x") + 1, "x * 2 AS d", gm.col("k").alias("key")).columns == [
        "(x + 1)",
        "d",
        "key",
    ]
    assert t.select("*", (gm.col("x") > 2).alias("big")).columns == ["k", "x", "y", "big"]
    assert rows(t.filter((gm.col("x") > 1) & (gm.col("k") == "a")).select("x")) == [(3,)]
    assert rows(t.where("x > 1 AND k = 'a'").select("x")) == [(3,)]
    assert rows(t[t["x"] >= 3][["x"]]) == [(3,), (4,)]
    assert rows(t.filter(t.k.isNull()).select("x")) == [(4,)]
    assert t.selectExpr("x + 1 AS z", "k").columns == ["z", "k"]
    assert rows(t.withColumn("x", gm.col("x") * 2).select("x")) == [(2,), (4,), (6,), (8,)]
    assert t.withColumn("x", "x + 1").columns == ["k", "x", "y"]
    assert t.withColumns({"x": gm.col("x") + 1, "w": gm.col("x")}).select("x", "w").first().asDict() == {
        "x": 2,
        "w": 1,
    }
    assert t.withColumn("c", 5).first().c == 5
    assert t.withColumnRenamed("x", "n").columns == ["k", "n", "y"]
    assert t.toDF("a", "b", "c").columns == ["a", "b", "c"]
    assert t.drop("x", "y").columns == ["k"]
    assert rows(t.limit(2).select("x")) == [(1,), (2,)]
    assert rows(t.offset(3).select("x")) == [(4,)]


def test_wrong_names_say_the_nearest(t):
    for action in (
        lambda: t.drop("xx"),
        lambda: t["xx"],
        lambda: t.withColumnRenamed("xx", "z"),
        lambda: t.na.drop(subset=["xx"]),
    ):
        with pytest.raises(gm.SchemaError, match="xx"):
            action()
    with pytest.raises(gm.Error):
        t.select("nothing + 1").collect()
    with pytest.raises(AttributeError):
        t.nothing  # noqa: B018
    with pytest.raises(gm.SqlError):
        t.filter("x >").collect()


def test_order_distinct_union(t):
    assert rows(t.orderBy("k").select("k")) == [(None,), ("a",), ("a",), ("b",)]
    assert rows(t.orderBy(gm.col("x").desc()).select("x")) == [(4,), (3,), (2,), (1,)]
    assert rows(t.orderBy("k", "x", ascending=[False, True]).select("k", "x"))[0] == ("b", 2)
    assert rows(t.sort("x DESC").select("x"))[0] == (4,)
    assert sorted(rows(t.select("k").distinct()), key=str) == [("a",), ("b",), (None,)]
    assert t.dropDuplicates(["k"]).count() == 3
    assert t.union(t).count() == 8
    with pytest.raises(gm.SchemaError, match="unionByName"):
        t.union(t.select("x", "k", "y"))
    assert rows(t.select("k", "x").unionByName(t.select("x", "k"))) == rows(t.select("k", "x")) * 2
    with pytest.raises(gm.SchemaError, match="allowMissingColumns"):
        t.unionByName(t.drop("y"))
    assert t.unionByName(t.drop("y"), allowMissingColumns=True).count() == 8
    assert t.select("k").subtract(gm.table({"k": ["a"]})).count() == 2
    assert t.select("k").intersect(gm.table({"k": ["a"]})).count() == 1


def test_group_by(t):
    found = t.groupBy("k").agg(gm.F.sum("x").alias("s"), {"x": "mean"}, n="count(*)").orderBy("k")
    assert found.columns == ["k", "s", "mean(x)", "n"]
    assert rows(found) == [(None, 4, 4.0, 1), ("a", 4, 2.0, 2), ("b", 2, 2.0, 1)]
    assert rows(t.groupBy("k").count().orderBy("k")) == [(None, 1), ("a", 2), ("b", 1)]
    assert t.groupBy("k").mean("x").columns == ["k", "mean(x)"] or t.groupBy("k").mean("x").columns == [
        "k",
        "avg(x)",
    ]
    assert rows(t.agg(gm.F.max("x"), gm.F.countDistinct("k"))) == [(4, 2)]
    assert rows(t.groupBy((gm.col("x") % 2).alias("odd")).max("x").orderBy("odd")) == [(0, 4), (1, 3)]
    assert rows(t.filter("k = 'a'").groupBy("k").agg(gm.F.collect_list("x")))[0][1] == [1, 3]


def test_join(t):
    other = gm.table({"k": ["a", "c"], "z": [10, 20]})
    assert rows(t.join(other, "k").orderBy("x")) == [("a", 1, 0.5, 10), ("a", 3, 2.5, 10)]
    assert t.join(other, ["k"], "left").count() == 4
    assert rows(t.join(other, "k", "right").select("k", "z").distinct().orderBy("z")) == [
        ("a", 10),
        ("c", 20),
    ]
    outer = t.join(other, "k", "outer")
    assert outer.count() == 5 and {r.k for r in outer.collect()} == {"a", "b", "c", None}
    assert rows(t.join(other, "k", "semi").select("x").orderBy("x")) == [(1,), (3,)]
    assert rows(t.join(other, "k", "left_anti").select("x").orderBy("x")) == [(2,), (4,)]
    assert t.crossJoin(other.withColumnRenamed("k", "k2")).count() == 8
    assert t.join(other.toDF("j", "z"), t["k"] == gm.col("j")).columns == ["k", "x", "y", "j", "z"]
    renamed = other.withColumnRenamed("z", "x")
    with pytest.raises(gm.SchemaError, match="suffix"):
        t.join(renamed, "k")
    assert t.join(renamed, "k", suffix="_right").columns == ["k", "x", "y", "x_right"]
    right = renamed.toDF("k", "x")
    both = t.join(right, t["k"] == right["k"], suffix="_r")
    assert both.columns == ["k", "x", "y", "k_r", "x_r"] and both.count() == 2
    assert t.join(right, "this.k = other.k AND this.x > 1", suffix="_r").count() == 1
    with pytest.raises(gm.UsageError, match="kind of join"):
        t.join(other, "k", "inside")
    with pytest.raises(gm.SchemaError):
        t.join(other, "x")


def test_windows(t):
    w = gm.Window.partitionBy("k").orderBy("x")
    got = t.select(
        "x",
        gm.col("x").lag(1).over(partitionBy="k", orderBy="x").alias("before"),
        gm.F.lead("x").over(w).alias("after"),
        gm.F.row_number().over(w).alias("n"),
        gm.F.sum("x").over(gm.Window.orderBy("x").rowsBetween(-1, 0)).alias("two"),
        gm.col("x").lag(1, 0).over(orderBy="x").alias("zero"),
    ).orderBy("x")
    assert rows(got) == [
        (1, None, 3, 1, 1, 0),
        (2, None, None, 1, 3, 1),
        (3, 1, None, 2, 5, 2),
        (4, None, None, 1, 7, 3),
    ]


def test_missing_values(t):
    assert t.na.count() == {"k": 1, "x": 0, "y": 2, None: 4}
    kept = t.na.drop()
    assert kept.count() == 2
    assert kept.report()["na"] == [
        {"what": "drop", "rows": 4, "dropped": 2, "missing": {"k": 1, "x": 0, "y": 2}}
    ]
    assert t.na.drop("all", subset=["k", "y"]).count() == 3
    assert t.na.drop(thresh=3).count() == 2
    assert t.dropna(subset="k").count() == 3
    filled = t.na.fill(0)
    assert [r.y for r in filled.collect()] == [0.5, 0.0, 2.5, 0.0]
    assert filled.report()["na"] == [{"what": "fill", "rows": 4, "filled": {"x": 0, "y": 2}}]
    assert [r.k for r in t.fillna("none").collect()] == ["a", "b", "a", "none"]
    assert rows(t.na.fill({"k": "-", "y": 1.5}).select("k", "y"))[3] == ("-", 1.5)
    chained = t.na.fill({"y": 0.0}).na.drop()
    assert [n["what"] for n in chained.report()["na"]] == ["fill", "drop"]
    with pytest.raises(gm.DataError, match="rounded"):
        t.na.fill({"x": 0.5})
    with pytest.raises(gm.SchemaError):
        t.na.fill("text", subset=["x"])


def test_sample_and_split_are_disjoint_complete_and_repeatable():
    t = gm.table({"id": list(range(1, 1001))})
    a, b = t.randomSplit([0.8, 0.2], seed=7)
    left, right = {r.id for r in a.collect()}, {r.id for r in b.collect()}
    assert left | right == set(range(1, 1001)) and not left & right
    assert 730 < len(left) < 870
    again = t.orderBy(gm.col("id").desc()).randomSplit([8, 2], seed=7)[0]
    assert {r.id for r in again.collect()} == left
    assert {r.id for r in t.randomSplit([0.8, 0.2], seed=8)[0].collect()} != left
    part = t.sample(0.1, seed=3)
    assert 60 < part.count() < 150
    assert rows(part) == rows(t.sample(False, 0.1, 3))
    assert t.sample(fraction=1.0).count() == 1000 and t.sample(0.0).count() == 0
    by_key = gm.table({"g": [i // 10 for i in range(1000)], "x": list(range(1000))}).randomSplit(
        [1, 1], 1, key="g"
    )
    groups = [{r.g for r in p.collect()} for p in by_key]
    assert not groups[0] & groups[1]
    with pytest.raises(gm.ParamError):
        t.sample(1.5)
    with pytest.raises(gm.ParamError):
        t.sample(True, 0.5)


def test_persist_reads_once(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n1\n2\n")
    t = gm.read_csv(path).persist()
    path.unlink()
    assert t.count() == 2 and t.filter("x > 1").count() == 1
    for level in ("MEMORY_ONLY", "MEMORY_AND_DISK", "DISK_ONLY", "AUTO"):
        assert gm.table({"x": [1, 2]}).persist(level).count() == 2
    with pytest.raises(gm.Error):
        gm.table({"x": [1]}).persist("SOMEWHERE")


def test_describe_and_show(t, capsys):
    found = {r.summary: r for r in t.describe().collect()}
    assert set(found) == {"count", "mean", "stddev", "min", "max"}
    assert found["count"].k == "3" and float(found["mean"].x) == 2.5 and found["mean"].k is None
    assert found["min"].k == "a" and found["max"].x == "4"
    t.show()
    out = capsys.readouterr().out
    assert out.splitlines()[1].split("|")[1].strip() == "k" and "NULL" in out
    gm.table({"x": list(range(30)), "long": ["w" * 40] * 30}).show(5)
    out = capsys.readouterr().out
    assert "only showing top 5 rows" in out and "w" * 17 + "..." in out
    t.na.drop().show()
    assert "na.drop: 2 of 4 rows dropped (missing k: 1, y: 2)" in capsys.readouterr().out
    t.show(1, vertical=True)
    assert "-RECORD 0" in capsys.readouterr().out
    gm.table({"s": ["日本", "a\tb\x1b"]}).show()
    assert "\x1b" not in capsys.readouterr().out
    t.printSchema()
    assert "|-- x: BIGINT" in capsys.readouterr().out
    t.explain()
    assert "SELECT" in capsys.readouterr().out.upper()


def test_html_escapes(t):
    page = gm.table({"<script>": ["<b>&", None]})._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "&lt;b&gt;&amp;" in page and "NULL" in page


def test_odd_names_everywhere():
    t = gm.table({name: [i, None] for i, name in enumerate(ODD)})
    assert t.columns == ODD
    for i, name in enumerate(ODD):
        assert rows(t.select(name)) == [(i,), (None,)]
        assert rows(t.filter(gm.col(name).isNotNull()).select(gm.col(name) + 1)) == [(i + 1,)]
        assert t.withColumnRenamed(name, "z").columns.count("z") == 1
        assert name not in t.drop(name).columns
        assert t.groupBy(name).count().columns == [name, "count"]
        assert rows(t.na.drop(subset=[name]).select(name)) == [(i,)]
        assert t.join(t.select(name), name).columns[0] == name
        assert t.orderBy(gm.col(name).desc()).first()[name] == i
    assert "count" in [r.summary for r in t.describe().collect()]


def test_files(tmp_path, t):
    for form, read in (("csv", gm.read_csv), ("parquet", gm.read_parquet), ("json", gm.read_json)):
        path = tmp_path / f"t.{form}"
        assert getattr(t.filter("x < 3"), f"write_{form}")(path) == 2
        assert [r.x for r in read(path).collect()] == [1, 2]
    t.write.mode("overwrite").parquet(tmp_path / "t.parquet")
    assert gm.table(tmp_path / "t.parquet").count() == 4
    with pytest.raises(gm.FileError, match="exists already"):
        t.write.csv(tmp_path / "t.csv")
    t.write.mode("ignore").csv(tmp_path / "t.csv")
    assert gm.read_csv(tmp_path / "t.csv").count() == 2
    with pytest.raises(gm.Error):
        t.write_csv(tmp_path / "no" / "such" / "folder.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.csv", "t.json", "t.parquet"]
    both = gm.read_csv([tmp_path / "t.csv", tmp_path / "t.csv"])
    assert both.count() == 4
    with pytest.raises(FileNotFoundError):
        gm.read_csv(tmp_path / "nothing.csv").count()


def test_csv_options(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("n;p\nOrl\u00e9ans;1,5\nna;2,25\n".encode("latin-1"))
    t = gm.read_csv(path, sep=";", encoding="latin-1", decimal=",", na_values=["na"])
    assert rows(t) == [("Orléans", 1.5), (None, 2.25)]
    assert t.report()["rows"] == 2
    with pytest.raises(gm.Error, match="delim"):
        gm.read_csv(path, delimm=";").count()
    assert (
        dict(gm.read_csv(path, sep=";", encoding="latin-1", types={"p": "VARCHAR"}).dtypes)["p"] == "VARCHAR"
    )


def test_sql():
    t = gm.table({"x": [1, 2, 3]})
    assert rows(gm.sql("SELECT sum(x) AS s FROM a JOIN b USING (x)", a=t, b={"x": [2, 3]})) == [(5,)]
    assert rows(gm.table("SELECT 41 + 1 AS answer")) == [(42,)]
    with pytest.raises(gm.SqlError):
        gm.sql("SELECT * FROM nowhere_to_be_found").collect()
    with pytest.raises(gm.SqlError):
        gm.sql("SELEC 1").collect()


def test_types_round_trip():
    moment = dt.datetime(2024, 2, 29, 12, 30, 15, 123456)
    columns = {
        "i": [1, None, -(2**63)],
        "big": [12345678901234567891, None, 12345678901234567892],
        "f": [1.5, None, math.inf],
        "b": [True, None, False],
        "s": ["", None, "Ω\u0301 \U0001f600"],
        "d": [dt.date(1969, 12, 31), None, dt.date(2400, 1, 1)],
        "ts": [moment, None, dt.datetime(1900, 1, 1)],
        "n": [Decimal("1.50"), None, Decimal("-0.25")],
        "raw": [b"\0\xff", None, b""],
        "v": [[1.0, 2.0], None, []],
        "w": [["a", None], None, []],
    }
    t = gm.table(columns)
    assert t.to_dict() == columns
    assert gm.table([{"a": 1}, {"b": "x"}]).to_dict() == {"a": [1, None], "b": [None, "x"]}
    assert gm.table({"none": [None, None]}).to_dict() == {"none": [None, None]}
    assert gm.table({"x": []}).count() == 0


def test_expressions_of_python_values(t):
    moment = dt.datetime(2024, 1, 2, 3, 4, 5)
    checks = {
        "quote": ("it's", "it's"), "int": (7, 7), "neg": (-7, -7), "float": (0.1, 0.1), "bool": (True, True),
        "none": (None, None), "date": (dt.date(2024, 1, 2), dt.date(2024, 1, 2)), "moment": (moment, moment),
        "list": ([1, 2], [1, 2]), "bytes": (b"a\0", b"a\0"), "decimal": (Decimal("1.25"), Decimal("1.25")),
    }  # fmt: skip
    row = t.limit(1).select(*(gm.lit(v).alias(n) for n, (v, _) in checks.items())).first()
    for name, (_, wanted) in checks.items():
        assert row[name] == wanted, name
    assert math.isnan(t.limit(1).select(gm.lit(float("nan"))).first()[0])
    with pytest.raises(gm.UsageError):
        bool(gm.col("x") > 1)
    with pytest.raises(gm.DataError):
        gm.lit("a\0b")


def test_functions_of_spark_mean_what_spark_means():
    t = gm.table(
        {
            "s": ["Ab c", None],
            "p": ["x", "y"],
            "n": [4.0, 8.0],
            "d": [dt.date(2024, 1, 31), dt.date(2023, 12, 31)],
        }
    )
    f, c = gm.F, gm.col
    checks = [
        (f.upper("s"), ["AB C", None]),
        (f.concat("s", "p"), ["Ab cx", None]),
        (f.length("s"), [4, None]),
        (f.concat_ws("-", "s", "p"), ["Ab c-x", "y"]),
        (f.log(2, "n"), [2.0, 3.0]),
        (f.log2("n"), [2.0, 3.0]),
        (f.dayofweek("d"), [4, 1]),
        (f.add_months("d", 1), [dt.date(2024, 2, 29), dt.date(2024, 1, 31)]),
        (f.datediff(f.lit(dt.date(2024, 2, 1)), "d"), [1, 32]),
        (f.coalesce("s", "p"), ["Ab c", "y"]),
        (f.when(c("n") > 5, "big").otherwise("small"), ["small", "big"]),
        (f.regexp_replace("s", "[a-z]", "*"), ["A* *", None]),
        (f.substring("s", 1, 2), ["Ab", None]),
        (f.split("s", " "), [["Ab", "c"], None]),
        (f.year("d"), [2024, 2023]),
        (f.date_add("d", 1), [dt.date(2024, 2, 1), dt.date(2024, 1, 1)]),
        (f.isnull("s"), [False, True]),
        (f.pow("n", 2), [16.0, 64.0]),
        (f.greatest("n", f.lit(5)), [5.0, 8.0]),
        (c("s").startswith("Ab"), [True, None]),
        (c("n").between(1, 5), [True, False]),
        (c("n").isin(4, 9), [True, False]),
        (-c("n"), [-4.0, -8.0]),
        (c("n") ** 2, [16.0, 64.0]),
        (10 / c("n"), [2.5, 1.25]),
        (c("n").cast("int"), [4, 8]),
        (c("s").try_cast("int"), [None] * 2),
        (f.date_format("d", "%Y/%m"), ["2024/01", "2023/12"]),
        (f.size(f.array("n", "n")), [2, 2]),
        (abs(c("n") - 6), [2.0, 2.0]),
        (c("s").eqNullSafe(None), [False, True]),
        (f.locate("b", "s"), [2, None]),
        (f.array("n", "n")[0], [4.0, 8.0]),
        (c("s").rlike("^A"), [True, None]),
        (c("s").like("A%"), [True, None]),
        (c("p") == "x", [True, False]),
        (f.struct("p", "n")["p"], ["x", "y"]),
        (~(c("n") > 5), [True, False]),
        (f.date_trunc("year", "d").cast("date"), [dt.date(2024, 1, 1), dt.date(2023, 1, 1)]),
        (f.to_date(f.lit("03/02/2024"), "%d/%m/%Y"), [dt.date(2024, 2, 3)] * 2),
        (f.strip_accents("s"), ["Ab c", None]),
        (f.unix_timestamp(f.lit(dt.datetime(1970, 1, 2))), [86400] * 2),
        (f.nanvl(f.lit(float("nan")), "n"), [4.0, 8.0]),
    ]
    names = [f"c{i}" for i in range(len(checks))]
    found = t.select(*(e.alias(n) for n, (e, _) in zip(names, checks, strict=True))).to_dict()
    for name, (expression, wanted) in zip(names, checks, strict=True):
        assert found[name] == wanted, expression


def test_rows_pickle(t):
    import pickle

    row = pickle.loads(pickle.dumps(t.first()))
    assert row == t.first() and row.k == "a"
    with pytest.raises(gm.UsageError, match="pickle"):
        pickle.dumps(t)
