# SPDX-License-Identifier: Apache-2.0
"""Small inputs that data tools commonly get wrong, by kind: stages, learners, metrics, CSV, model files."""

import csv
import io
import json
import math
import os
import pathlib
import random
import subprocess
import threading

import gristmill as gm
import numpy as np
import pytest

NAN = float("nan")


def column(made, name):
    return [r[name] for r in made.collect()]


# ---- stages ----


def test_string_indexer_unseen_and_missing():
    fit = {"c": ["x", None, "x", "y"]}
    for mode, expected in (("keep", [2.0, 2.0, 1.0, 0.0]), ("skip", [1.0, 0.0])):
        model = gm.StringIndexer(inputCol="c", outputCol="i", handleInvalid=mode).fit(fit)
        assert model.labels == ["x", "y"]
        assert column(model.transform({"c": ["z", None, "y", "x"]}), "i") == expected
    model = gm.StringIndexer(inputCol="c", outputCol="i").fit({"c": ["x", "y", "x"]})
    with pytest.raises(gm.DataError, match="'c'.*'z'|z.*'c'"):
        model.transform({"c": ["x", "z"]}).collect()
    with pytest.raises(gm.DataError, match="'c'"):
        model.transform({"c": ["x", None]}).collect()


def test_empty_text_null_and_the_word_null(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('c,n\n"",1\n"null",2\n,3\nx,4\n')
    t = gm.table(path)
    assert column(t, "c") == ["", "null", None, "x"]
    model = gm.StringIndexer(inputCol="c", outputCol="i", handleInvalid="keep").fit(t)
    assert sorted(model.labels) == ["", "null", "x"]
    assert len(set(column(model.transform(t), "i"))) == 4


@pytest.mark.parametrize("drop, expected", [(True, [[1, 0], [0, 1], [0, 0]]), (False, np.eye(3).tolist())])
def test_one_hot_drop_last(drop, expected):
    model = gm.OneHotEncoder(inputCol="i", outputCol="v", dropLast=drop).fit({"i": [0.0, 1.0, 2.0]})
    assert [list(v) for v in column(model.transform({"i": [0.0, 1.0, 2.0]}), "v")] == expected


def test_imputer_without_any_value():
    rows = {"a": [None, None, None], "b": [1.0, None, 3.0]}
    types = gm.table(rows).withColumns({"a": "CAST(a AS DOUBLE)"})
    with pytest.raises(gm.DataError, match="'a'"):
        gm.Imputer(inputCols=["a", "b"], outputCols=["x", "y"]).fit(types)
    assert column(gm.Imputer(inputCol="b", outputCol="y").fit(rows).transform(rows), "y") == [1, 2, 3]


@pytest.mark.parametrize("mean", [True, False])
def test_scaler_of_a_constant(mean):
    stages = [
        gm.VectorAssembler(inputCols=["a"], outputCol="v"),
        gm.StandardScaler(inputCol="v", outputCol="s", withMean=mean),
    ]
    rows = {"a": [5.0, 5.0, 5.0]}
    made = column(gm.Pipeline(stages=stages).fit(rows).transform(rows, columns=["s"]), "s")
    assert [list(v) for v in made] == [[0.0]] * 3


def test_scaler_tells_rounding_from_small():
    def scaled(values):
        stages = [
            gm.VectorAssembler(inputCols=["a"], outputCol="v"),
            gm.StandardScaler(inputCol="v", outputCol="s", withMean=True),
        ]
        rows = {"a": values}
        made = gm.Pipeline(stages=stages).fit(rows).transform(rows, columns=["s"])
        return [v[0] for v in column(made, "s")]

    assert scaled([math.log(0.00001)] * 22) == [0.0] * 22
    assert scaled([1e-12, 2e-12, 3e-12]) == pytest.approx([-1, 0, 1], abs=1e-6)


def test_quantile_discretizer_repeats_and_gaps():
    rows = {"a": [1.0] * 6 + [9.0]}
    model = gm.QuantileDiscretizer(inputCol="a", outputCol="b", numBuckets=4).fit(rows)
    made = column(model.transform(rows), "b")
    assert len(made) == 7 and len(set(made[:6])) == 1 and made[6] >= made[0]
    gaps = {"a": [0.1, 0.4, NAN, 0.9, NAN]}
    for mode, n in (("skip", 3), ("keep", 5)):
        stage = gm.QuantileDiscretizer(inputCol="a", outputCol="b", numBuckets=2, handleInvalid=mode)
        model = stage.fit(gaps)
        made = column(model.transform(gaps), "b")
        assert len(made) == n
        if mode == "keep":
            assert made[2] == made[4] == 2.0 and set(made[:2] + [made[3]]) == {0.0, 1.0}
    with pytest.raises(gm.DataError, match="'a'"):
        gm.QuantileDiscretizer(inputCol="a", outputCol="b", numBuckets=2).fit(gaps).transform(gaps).collect()


def test_idf_of_an_empty_document():
    rows = {"t": ["", "a b", "b"]}
    stages = [
        gm.RegexTokenizer(inputCol="t", outputCol="w"),
        gm.CountVectorizer(inputCol="w", outputCol="c"),
        gm.IDF(inputCol="c", outputCol="f"),
        gm.Normalizer(inputCol="f", outputCol="n"),
    ]
    model = gm.Pipeline(stages=stages).fit(rows)
    assert sorted(model.stages[2].idf) == pytest.approx([0.2877, 0.6931], abs=1e-4)
    made = [list(v) for v in column(model.transform(rows, columns=["n"]), "n")]
    assert made[0] == [0, 0] and sorted(made[2]) == [0, 1] and sum(x * x for x in made[1]) == pytest.approx(1)


# ---- learners ----


def logistic(x, y, **params):
    names = [f"x{i}" for i in range(len(x))]
    rows = {**dict(zip(names, x, strict=False)), "label": y}
    stages = [
        gm.VectorAssembler(inputCols=names, outputCol="features"),
        gm.LogisticRegression(**params),
    ]
    return gm.Pipeline(stages=stages).fit(rows), rows


def test_separable_data_without_penalty():
    with pytest.warns(UserWarning):
        model, rows = logistic([[-2.0, -1.0, 1.0, 2.0]], [0, 0, 1, 1], regParam=0.0, maxIter=100)
    last = model.stages[-1]
    assert np.isfinite(last.coefficients).all() and np.isfinite(last.intercept)
    assert model.metrics["train"]["areaUnderROC"] == 1.0


def test_shifted_feature_and_an_almost_constant_one():
    draw = np.random.default_rng(3)
    x = draw.normal(size=200) * 2
    y = (draw.random(200) < 1 / (1 + np.exp(4 - 2 * x))).astype(int).tolist()
    other = np.where(np.arange(200) % 2, 0.9, 1.0).tolist()
    for extra in ([], [other]):
        a = logistic([x.tolist(), *extra], y, regParam=1e-8, tol=1e-12, maxIter=500)[0].stages[-1]
        b = logistic([(x + 1000).tolist(), *extra], y, regParam=1e-8, tol=1e-12, maxIter=500)[0].stages[-1]
        wa, wb = np.ravel(a.coefficients), np.ravel(b.coefficients)
        assert wb[0] == pytest.approx(wa[0], abs=1e-3)
        moved = float(np.ravel(a.intercept)[0]) - 1000 * wb[0]
        assert float(np.ravel(b.intercept)[0]) == pytest.approx(moved, rel=1e-3)


def test_bound_on_a_coefficient():
    x, y = [[0.0, 1.0, 2.0, 3.0]], [0, 0, 1, 1]
    model, rows = logistic(x, y, upperBoundsOnCoefficients=[0.0])
    last = model.stages[-1]
    assert np.ravel(last.coefficients)[0] == 0 and np.ravel(last.intercept)[0] == pytest.approx(0, abs=1e-6)
    assert np.allclose(model.predict_proba(rows), 0.5, atol=1e-6)
    with pytest.raises(gm.ParamError, match="elasticNetParam"):
        logistic(x, y, upperBoundsOnCoefficients=[0.0], elasticNetParam=0.5, regParam=0.1)


@pytest.mark.parametrize("labels", [[1, 2], [-1, 1], ["no", "yes"]])
def test_labels_that_are_not_0_and_1(labels):
    x, y = [[0.0, 1.0, 2.0, 3.0, 1.5, 1.4]], [labels[k] for k in (0, 0, 1, 1, 0, 1)]
    model, rows = logistic(x, y, regParam=0.1)
    assert list(model.labels) == labels and set(model.predict(rows)) == set(labels)
    assert model.predict(rows)[3] == labels[1] and model.predict(rows)[0] == labels[0]


def test_a_quantity_is_no_class():
    with pytest.raises(gm.DataError, match="0.025") as told:
        logistic([[0.0, 1.0, 2.0]], [0.0, 1.0, 0.025])
    assert "LinearRegression" in str(told.value) + str(getattr(told.value, "hint", ""))


@pytest.mark.parametrize("x", [math.inf, -math.inf])
def test_infinity_is_named(x):
    with pytest.raises(gm.DataError, match="x0.*infinity"):
        logistic([[1.0, x, 3.0]], [0, 1, 1], regParam=0.1)


def test_numbers_beyond_32_bits_stay_numbers():
    model, rows = logistic([[1.0, 1e39, 3.0]], [0, 1, 0], regParam=0.1)
    assert np.isfinite(model.predict_proba(rows)).all()


def test_a_label_that_is_nan():
    with pytest.raises(gm.DataError, match="label"):
        logistic([[1.0, 2.0, 3.0, 4.0]], [0.0, 1.0, NAN, 1.0], regParam=0.1)


def test_categories_keep_their_meaning():
    rows = {"colour": ["red", "blue"] * 20, "label": [1, 0] * 20}
    model = gm.Pipeline(
        stages=[
            gm.StringIndexer(inputCol="colour", outputCol="i", handleInvalid="keep"),
            gm.OneHotEncoder(inputCol="i", outputCol="features", dropLast=False),
            gm.LogisticRegression(regParam=0.01),
        ]
    ).fit(rows)
    both = model.predict_proba({"colour": ["red", "blue"]})
    assert np.array_equal(model.predict_proba({"colour": ["blue"]})[0], both[1])
    green = model.predict_proba({"colour": ["green"]})[0]
    assert not np.array_equal(green, both[0]) and not np.array_equal(green, both[1])


def test_negative_codes_are_categories():
    rows = {"x": [-2, -2, -2], "label": [0, 0, 1]}
    model = gm.Pipeline(
        stages=[
            gm.StringIndexer(inputCol="x", outputCol="i"),
            gm.OneHotEncoder(inputCol="i", outputCol="features", dropLast=False),
            gm.LogisticRegression(regParam=0.01),
        ]
    ).fit(rows)
    assert np.allclose(model.predict_proba(rows)[:, 1], 1 / 3, atol=1e-4)


# ---- metrics ----


def test_area_with_ties():
    pairs = [(0.8, 1), (0.8, 0), (0.8, 1), (0.2, 0)]
    score = gm.BinaryClassificationEvaluator(rawPredictionCol="s")
    for turn in range(4):
        s, y = zip(*(pairs[turn:] + pairs[:turn]), strict=False)
        assert score.evaluate({"s": list(s), "label": list(y)}) == 0.75
    assert score.evaluate({"s": [0.3] * 4, "label": [1, 0, 1, 0]}) == 0.5


def test_area_of_one_class_is_undefined():
    score = gm.BinaryClassificationEvaluator(rawPredictionCol="s")
    with pytest.warns(UserWarning):
        value = score.evaluate({"s": [0.2, 0.5, 0.9], "label": [1, 1, 1]})
    assert value is None or math.isnan(value)


@pytest.mark.parametrize("predicted", [[2.0, 2.0, 2.0], [2.0, 2.0, 2.1], [2.0]])
def test_r2_of_a_constant_label(predicted):
    with pytest.warns(UserWarning):
        value = gm.RegressionEvaluator(metricName="r2").evaluate(
            {"prediction": predicted, "label": [2.0] * len(predicted)}
        )
    assert value is None or math.isnan(value)


# ---- CSV ----


def written(path, text, **options):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return gm.read_csv(path, **options)


def test_line_ends_inside_quotes(tmp_path):
    t = written(tmp_path / "a.csv", 'a,b\r\n1,"x\r\ny"\r\n')
    assert t.count() == 1 and column(t, "b")[0].splitlines() == ["x", "y"]
    assert column(written(tmp_path / "b.csv", 'a\n"one\ntwo"\n'), "a") == ["one\ntwo"]
    assert column(written(tmp_path / "c.csv", "a,b\r\n1,2\r\n3,4"), "b") == [2, 4]


def test_ragged_rows(tmp_path):
    text = "x,y,z\n1,2\n1,2,3\n1,2,3,4\n"
    with pytest.raises(gm.FormatError, match="2, 4"):
        written(tmp_path / "a.csv", text).collect()
    t = written(tmp_path / "b.csv", text, ragged="pad", bad_rows="reject")
    assert [(r["x"], r["y"], r["z"]) for r in t.collect()] == [(1, 2, None), (1, 2, 3)]
    assert [r["line"] for r in t.report()["rejects"]] == [4]


def test_first_quote_far_down(tmp_path):
    t = written(tmp_path / "a.csv", "k,v\n" + "a,0\n" * 30000 + '"p,q",1\n')
    assert t.count() == 30001 and t.filter("v = 1").collect()[0]["k"] == "p,q"


def test_latin_1(tmp_path):
    text = b"city;n\nOrl\xe9ans;3\n"
    with pytest.raises(gm.FormatError, match=r"a\.csv:2: byte 0xE9"):
        written(tmp_path / "a.csv", text).collect()
    assert column(written(tmp_path / "b.csv", text, encoding="latin-1"), "city") == ["Orl\u00e9ans"]


def test_long_ids_stay_apart(tmp_path):
    t = written(tmp_path / "a.csv", "id\n12345678901234567891\n12345678901234567892\n")
    assert [str(v) for v in column(t, "id")] == ["12345678901234567891", "12345678901234567892"]
    model = gm.StringIndexer(inputCol="id", outputCol="i").fit(t)
    assert sorted(model.labels) == ["12345678901234567891", "12345678901234567892"]
    joined = t.join(t.select("id"), on="id")
    assert joined.count() == 2


def test_ids_next_to_null(tmp_path):
    t = written(tmp_path / "a.csv", "id,x\n9007199254740993,1\n,2\n9007199254740992,3\n")
    assert column(t, "id") == [9007199254740993, None, 9007199254740992]
    t.write_parquet(tmp_path / "a.parquet")
    assert column(gm.table(tmp_path / "a.parquet"), "id") == [9007199254740993, None, 9007199254740992]


@pytest.mark.parametrize("n", [2, 2047, 2049])
def test_decimal_comma(tmp_path, n):
    text = "t;p\n" + "".join(f"{k};{'1,5' if k % 2 else '2,25'}\n" for k in range(n))
    assert set(column(written(tmp_path / "a.csv", text, decimal=","), "p")) == {1.5, 2.25}
    assert set(column(written(tmp_path / "b.csv", text), "p")) == {"1,5", "2,25"}


def test_dates_of_two_readings(tmp_path):
    import datetime

    first = column(written(tmp_path / "a.csv", "d\n01/02/2024\n13/02/2024\n"), "d")
    assert first in (
        [datetime.date(2024, 2, 1), datetime.date(2024, 2, 13)],
        ["01/02/2024", "13/02/2024"],
    )
    assert column(written(tmp_path / "b.csv", "d\n01/02/2024\n"), "d") == ["01/02/2024"]
    assert column(written(tmp_path / "c.csv", "d\n41_10_1\n"), "d") == ["41_10_1"]


def test_odd_column_names(tmp_path):
    names = ["a.b", "a b", "x[0]", "\u03b1", 'q"q']
    rows = {n: [float((i * (k + 3)) % 7) for i in range(60)] for k, n in enumerate(names)}
    rows["the.label"] = [int(v > 3) for v in rows["a.b"]]
    model = gm.Pipeline(
        stages=[
            gm.VectorAssembler(inputCols=names, outputCol="f.v"),
            gm.LogisticRegression(featuresCol="f.v", labelCol="the.label", regParam=0.01),
        ]
    ).fit(rows)
    model.save(tmp_path / "m.gm")
    again = gm.load(tmp_path / "m.gm")
    assert again.features == names and np.array_equal(again.predict(rows), model.predict(rows))
    with pytest.raises(gm.SchemaError, match="(?i)a.b"):
        gm.table({"a.b": [1], "A.B": [2]}).collect()


# ---- predicting, model files ----


def small():
    return logistic([[0.0, 1.0, 2.0, 3.0, 1.5, 1.4]], [0, 0, 1, 1, 0, 1], regParam=0.1)


def test_a_request_that_does_not_fit(tmp_path):
    model, rows = small()
    expected = model.predict_proba({"x0": [1.0, 2.0]})
    assert np.array_equal(model.predict_proba({"x0": [1.0, 2.0], "more": ["a", "b"]}), expected)
    (tmp_path / "a.csv").write_text("x0\n1\n2\n")
    (tmp_path / "a.json").write_text('{"x0": 1}\n{"x0": 2}\n')
    for name in ("a.csv", "a.json"):
        assert np.array_equal(model.predict_proba(gm.table(tmp_path / name)), expected)
    (tmp_path / "b.csv").write_text("x0\none\n")
    (tmp_path / "b.json").write_text('{"x0": "one"}\n')
    for bad in ({"y": [1.0]}, {"x0": ["one"]}, gm.table(tmp_path / "b.csv"), gm.table(tmp_path / "b.json")):
        with pytest.raises(gm.SchemaError, match="'x0'"):
            model.predict(bad)
    with pytest.raises(gm.DataError, match="x0"):
        model.predict({"x0": [1.0, None]})


def test_order_of_the_outputs():
    model, rows = small()
    added = ["prediction", "rawPrediction", "probability"]
    assert model.transform(rows).columns == ["x0", "label", *added]
    assert model.transform(rows, columns=added[::-1]).columns == ["x0", "label", *added[::-1]]


def test_a_prediction_that_is_no_number_is_written_as_json(tmp_path):
    rows = gm.table({"v": [NAN, math.inf, 6e-07], "w": [[1.0], [NAN, 2.0], []]})
    rows.write_json(tmp_path / "a.json")

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    lines = (tmp_path / "a.json").read_text().splitlines()
    read = [json.loads(line, parse_constant=refuse) for line in lines]
    assert [r["v"] for r in read] == [None, None, 6e-07]
    assert [r["w"] for r in read] == [[1.0], [None, 2.0], []]


def test_damaged_model_files(tmp_path):
    import pickle

    data = small()[0].to_bytes()
    for cut in (0, 1, 7, 8, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(gm.ModelError):
            gm.PipelineModel.from_bytes(data[:cut])
    with pytest.raises(gm.ModelError):
        gm.PipelineModel.from_bytes((1 << 62).to_bytes(8, "little") + data[8:])
    with pytest.raises(gm.ModelError):
        gm.PipelineModel.from_bytes(pickle.dumps({"a": [1] * 100}))
    flipped = bytearray(data)
    flipped[-3] ^= 1
    with pytest.raises(gm.ModelError):
        gm.PipelineModel.from_bytes(bytes(flipped))


def test_a_model_of_another_format_version():
    """format9.gm was written by a build whose format number was 9; its checksums are right."""
    path = pathlib.Path(__file__).parents[1] / "golden" / "models" / "format9.gm"
    with pytest.raises(gm.VersionError, match="format9.gm is a model of format 9.*format 1"):
        gm.load(path)
    with pytest.raises(gm.VersionError, match="format 9"):
        gm.PipelineModel.from_bytes(path.read_bytes())


@pytest.mark.parametrize("rows", [1, 60_000])
def test_a_word_in_a_column_of_numbers_is_named(tmp_path, rows):
    """Whether the first look at the file meets the word, or the reading of all rows."""
    path = tmp_path / "na.csv"
    path.write_text("y,a\n" + "".join(f"{i % 2},{i % 7}\n" for i in range(rows)) + "1,n/a\n0,3\n")
    stages = [gm.VectorAssembler(inputCols=["a"], outputCol="features"), gm.LogisticRegression(labelCol="y")]
    pipe = gm.Pipeline(stages=stages)
    told = rf"na.csv:{rows + 2}: column 'a' \(VectorAssembler_0\) holds 'n/a', .*\n.*set nullstr: 'n/a'"
    for table in (gm.read_csv(path), gm.sql(f"SELECT y, a FROM '{path}'")):
        with pytest.raises(gm.DataError, match=told):
            pipe.fit(table)
        with pytest.raises(gm.DataError, match=told):
            pipe.explain(table)
    filled = gm.Imputer(inputCols=["a"], outputCols=["b"])
    stages = [filled, gm.VectorAssembler(inputCols=["b"], outputCol="features"), stages[1]]
    model = gm.Pipeline(stages=stages).fit(gm.read_csv(path, nullstr="n/a"))
    for use in (model.transform, model.predict, model.evaluate):
        with pytest.raises(gm.DataError, match=rf"na.csv:{rows + 2}: column 'a' holds 'n/a'"):
            use(path)


def _csv_of(rng):
    """A CSV with line breaks of any kind in quotes, and what the csv module reads from it."""
    ends = ["\n", "\r\n", "\r"]

    def field():
        if rng.random() < 0.3:
            return rng.choice(["1", "22", "x"])
        return '"' + "".join(rng.choice([*ends, "a", ",", '""', "1"]) for _ in range(rng.randint(0, 5))) + '"'

    end, mixed, columns = rng.choice(ends), rng.random() < 0.25, rng.randint(2, 3)
    lines = [",".join(f'"c{i}{rng.choice(["", *ends])}"' for i in range(columns))]
    lines += [",".join(field() for _ in range(columns)) for _ in range(rng.randint(1, 6))]
    text = "".join(line + (rng.choice(ends) if mixed else end) for line in lines)
    if rng.random() < 0.3:
        text = text.rstrip("\r\n")
    return text, [tuple(r) for r in csv.reader(io.StringIO(text, newline="")) if r][1:]


def test_line_breaks_of_any_kind_lose_no_row(tmp_path):
    rng, path = random.Random(3), tmp_path / "t.csv"
    for i in range(60):
        text, rows = _csv_of(rng)
        encoding = ["utf-8", "latin-1", "utf-16"][i % 3]
        path.write_bytes(text.encode(encoding))
        t = gm.read_csv(path, encoding=encoding, header=True, delim=",")
        assert [tuple("" if v is None else str(v) for v in r) for r in t.collect()] == rows, text
        assert t.count() == len(rows), text
        if encoding == "utf-8":
            assert gm.sql(f"SELECT count(*) AS n FROM '{path}'").collect()[0].n == len(rows), text
        name = t.columns[0]
        model = gm.StringIndexer(inputCol=name, outputCol="made", handleInvalid="keep").fit(t)
        assert model.transform(t).count() == len(rows), text


@pytest.mark.parametrize("end, inner", [("\r\n", "\n"), ("\n", "\r\n"), ("\r\n", "\r"), ("\r", "\n")])
def test_every_verb_reads_all_rows(tmp_path, end, inner):
    """A line break of another kind in a quoted header once hid all rows from verbs that ask the database."""
    path, model = tmp_path / "t.csv", tmp_path / "t.gm"
    lines = [f'"x{inner}1",late'] + [f"{i * 7 % 20},{int(i * 7 % 20 + i % 5 > 11)}" for i in range(60)]
    path.write_bytes("".join(line + end for line in lines).encode())

    def told(*arguments):
        done = subprocess.run(
            [os.environ["GRISTMILL_BIN"], *map(str, arguments), "--json"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=True,
        )
        return json.loads(done.stdout)

    trained = told("train", path, "--label", "late", "--model", model, "--report", "r.html")
    assert trained["rows"]["read"] == 60
    assert told("predict", model, path, "-o", "p.csv")["rows"] == 60
    assert told("evaluate", model, path)["metrics"]["rows"] == 60
    assert told("sql", "SELECT count(*) AS n FROM 't.csv'")["rows"] == [{"n": 60}]


def test_empty_lines_before_the_header(tmp_path):
    for text in ("\n\na,b\n1,2\n\n3,4\n", "\r\na,b\r\n1,2\r\n3,4\r\n"):
        t = written(tmp_path / "t.csv", text)
        assert [tuple(r) for r in t.collect()] == [(1, 2), (3, 4)]
        assert t.count() == 2


def test_lines_are_counted_as_in_an_editor(tmp_path):
    text = 'a,b\n1,"x\ny\r\nz"\n\n2,"\n"\n3,4,5\n4,"\n"\n5\n'
    t = written(tmp_path / "t.csv", text, bad_rows="reject")
    with pytest.warns(UserWarning, match="left out"):
        assert t.count() == 3
    assert [(r["line"], r["text"]) for r in t.report()["rejects"]] == [(8, "3,4,5"), (11, "5")]
    with pytest.raises(gm.FormatError, match=r"t\.csv: 2 rows do not have the 2 fields.*lines 8, 11"):
        written(tmp_path / "t.csv", text).count()


def _through(pipe, data):
    """Writes data to a named pipe, as another process would."""
    thread = threading.Thread(target=pathlib.Path(pipe).write_bytes, args=(data,))
    thread.start()
    return thread


def test_a_pipe_is_a_table(tmp_path):
    pipe = tmp_path / "x.csv"
    os.mkfifo(pipe)
    writer = _through(pipe, b"a,b\n1,2\n3,4\n")
    t = gm.read_csv(pipe)
    writer.join()
    assert [tuple(r) for r in t.collect()] == [(1, 2), (3, 4)]
    assert t.count() == 2
    writer = _through(pipe, b"a,b\n1,2\n3\n")
    t = gm.table(pipe)
    writer.join()
    with pytest.raises(gm.FormatError, match=r"x\.csv:3: 1 fields"):
        t.count()


@pytest.mark.parametrize("reject", [False, True])
def test_csv_lines_longer_than_the_readers_buffer(tmp_path, reject):
    """One early, one late in the file; a line that is bad beside them is still told."""
    path = tmp_path / "long.csv"
    rows = [f"{i},s,{i % 2}\n" for i in range(3000)]
    rows[3] = f"3,{'w' * 5_000_000},1\n"
    rows[2500] = f'2500,"{"q" * 9}\n{"z" * 20_000_000}",0\n'
    path.write_text("a,t,y\n" + "".join(rows) + ("1,2\n" if reject else ""))
    t = gm.read_csv(path, **({"bad_rows": "reject"} if reject else {}))
    over = gm.sql("SELECT count(*) AS n, sum(a) AS s, max(length(t)) AS longest FROM t", t=t)
    if reject:
        with pytest.warns(match="left out"):
            assert tuple(over.collect()[0]) == (3000, sum(range(3000)), 20_000_010)
        assert [r["line"] for r in t.report()["rejects"]] == [3003]
        return
    assert tuple(over.collect()[0]) == (3000, sum(range(3000)), 20_000_010)
    learner = gm.LogisticRegression(labelCol="y", featuresCol="f")
    pipeline = gm.Pipeline(stages=[gm.VectorAssembler(inputCols=["a"], outputCol="f"), learner])
    assert pipeline.fit(gm.read_csv(path)).transform(t).count() == 3000


@pytest.mark.parametrize(
    "values, types, told",
    [
        (["9223372036854775808", "-1"], "HUGEINT", None),
        (["18446744073709551617", "null", "-9223372036854775809"], "HUGEINT", None),
        (["1", "170141183460469231731687303715884105727"], "HUGEINT", None),
        (["1", "null", "1" * 50], "VARCHAR", "38 digits"),
        (["0.5", "18446744073709551617"], "DOUBLE", "rounded"),
        (["0.5", "9007199254740992", "1e30"], "DOUBLE", None),
        (['{"k": 18446744073709551617}', "null"], "VARCHAR", "JSON text"),
        (["[1.5, -18446744073709551617]"], "VARCHAR", "JSON text"),
        (['{"k": "a 12345678901234567890, b", "v": 0.5}'], "STRUCT(k VARCHAR, v DOUBLE)", None),
        (["[0.12345678901234567890123, 1.5e-12345678901234567890]"], "DOUBLE[]", None),
    ],
)
def test_json_integers_of_any_length_keep_their_digits(tmp_path, recwarn, values, types, told):
    path = tmp_path / "t.json"
    path.write_text("".join(f'{{"i": {n}, "v": {v}}}\n' for n, v in enumerate(values)))
    t = gm.table(path)
    rows = gm.sql("SELECT v, v::VARCHAR AS s, typeof(v) AS t FROM t ORDER BY i", t=t).collect()
    assert {r["t"] for r in rows} == {types} == {dict(t.dtypes)["v"]}
    assert ([str(w.message) for w in recwarn] != []) == (told is not None)
    assert told is None or told in str(recwarn[0].message)
    if types in ("HUGEINT", "VARCHAR"):
        tight = [v.replace(": ", ":").replace(", ", ",") for v in values]
        assert [r["s"] for r in rows] == [None if v == "null" else v for v in tight]


def test_tables_without_rows_or_columns_are_told_as_such():
    pandas = pytest.importorskip("pandas")
    learner = gm.LogisticRegression(labelCol="y", featuresCol="f")
    pipeline = gm.Pipeline(stages=[gm.VectorAssembler(inputCols=["a"], outputCol="f"), learner])
    model = pipeline.fit({"a": [1.0, 2.0, 3.0, 4.0], "y": [0, 1, 0, 1]})
    typed = pandas.DataFrame({"a": pandas.Series([], dtype=float), "y": pandas.Series([], dtype=int)})
    for rows in (typed, {"a": [], "y": []}, pandas.DataFrame({"a": [], "y": []})):
        with pytest.raises(gm.DataError, match="no rows to fit on"):
            pipeline.fit(rows)
        assert model.predict(rows).shape == (0,)
        assert model.predict_proba(rows).shape[0] == 0
        with pytest.raises(gm.DataError, match="no row can be judged"):
            model.evaluate(rows)
    for step in (pipeline.fit, model.predict, model.evaluate):
        for nothing in (pandas.DataFrame(), {}):
            with pytest.raises(gm.SchemaError, match="a table needs at least one column"):
                step(nothing)
        with pytest.raises(gm.UsageError, match="an empty list is not a table"):
            step([])
