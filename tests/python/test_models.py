# SPDX-License-Identifier: Apache-2.0
"""Fitted pipelines: transform, Spark's attributes, files, pickles, pages, low code."""

import copy
import json
import math
import pickle

import gristmill as gm
import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def model(people):
    stages = [
        gm.Imputer(inputCols=["pay"], outputCols=["pay_full"]),
        gm.StringIndexer(inputCols=["city"], outputCols=["c"]),
        gm.OneHotEncoder(inputCols=["c"], outputCols=["hot"]),
        gm.VectorAssembler(inputCols=["hot", "age", "pay_full"], outputCol="features"),
        gm.StandardScaler(inputCol="features", outputCol="scaled"),
        gm.LogisticRegression(labelCol="buys", featuresCol="scaled", regParam=0.01),
    ]
    return gm.Pipeline(stages=stages, split={"test": 0.25, "seed": 4}).fit(people)


def test_transform_keeps_rows_order_and_ids(model, people):
    out = model.transform(people)
    assert out.columns[: len(people[0])] == list(people[0])
    assert set(out.columns) - set(people[0]) == {"prediction", "probability", "rawPrediction"}
    assert out.to_numpy("id").tolist() == [r["id"] for r in people]
    probability = model.predict_proba(people)
    assert probability.shape == (600, 2) and np.allclose(probability.sum(axis=1), 1)
    assert model.predict(people).shape == (600,)
    assert model.transform(people, columns=["prediction"]).columns[-1] == "prediction"
    everything = model.transform(people, intermediate=True).columns
    assert {"pay_full", "c", "hot", "features", "scaled"} <= set(everything)


def test_transform_is_matched_by_name(model, people):
    shuffled = pd.DataFrame(people)[["buys", "pay", "city", "age"]].assign(extra=1)
    assert np.array_equal(model.predict(shuffled), model.predict(people))
    with pytest.raises(gm.SchemaError, match="age"):
        model.transform(pd.DataFrame(people).drop(columns="age"))
    with pytest.raises(gm.Error, match="age"):
        model.transform(pd.DataFrame(people).assign(age="old")).collect()
    strange = [{**people[0], "city": "Atlantis"}]
    with pytest.raises(gm.DataError, match="Atlantis"):
        model.transform(strange).collect()


def test_attributes_are_spark_s(model, people):
    imputer, indexer, hot, assembler, scaler, lr = model.stages
    assert [type(s).__name__ for s in model.stages] == [
        "ImputerModel", "StringIndexerModel", "OneHotEncoderModel", "VectorAssembler", "StandardScalerModel",
        "LogisticRegressionModel",
    ]  # fmt: skip
    assert isinstance(lr, gm.LogisticRegressionModel) and isinstance(assembler, gm.VectorAssembler)
    assert indexer.labels[0] == "Oslo" and indexer.labelsArray == [indexer.labels]
    assert sorted(indexer.labels) == ["Kyoto", "Lima", "Oslo", "Rome"]
    assert imputer.surrogateDF.columns == ["pay"] and 45 < imputer.surrogateDF.first().pay < 55
    assert hot.categorySizes.tolist() == [4]
    assert scaler.mean.shape == scaler.std.shape == (5,)
    assert isinstance(lr.coefficients, np.ndarray) and lr.coefficients.shape == (5,)
    assert isinstance(lr.intercept, float) and lr.coefficientMatrix.shape == (1, 5)
    assert lr.interceptVector.tolist() == [lr.intercept]
    assert lr.numClasses == 2 and lr.numFeatures == 5 and lr.getRegParam() == 0.01
    assert lr.hasSummary and lr.summary.totalIterations >= 1
    history = lr.summary.objectiveHistory
    assert history[-1] <= history[0] and len(history) >= 2
    assert 0.5 < lr.summary.areaUnderROC <= 1 and 0.5 < lr.summary.accuracy <= 1
    assert "accuracy" in dir(lr.summary)
    with pytest.raises(AttributeError, match="has no"):
        lr.summary.nothing  # noqa: B018
    with pytest.raises(AttributeError):
        lr.nothing  # noqa: B018
    with pytest.raises(gm.UsageError, match="does not change"):
        lr.setMaxIter(3) if hasattr(lr, "setMaxIter") else lr.set("maxIter", 3)
    assert len(model.features) == 5 and "age" in model.features
    assert model.labels == [0, 1] and model.task == "binary"


def test_margin_is_what_the_attributes_say(model, people):
    lr = model.stages[-1]
    out = model.transform(people, intermediate=True)
    scaled = np.array([_dense(v) for v in out.to_dict()["scaled"]])
    margin = scaled @ lr.coefficients + lr.intercept
    assert np.allclose(1 / (1 + np.exp(-margin)), model.predict_proba(people)[:, 1], atol=1e-12)


def _dense(v):
    if isinstance(v, dict):
        out = [0.0] * v["size"]
        for i, x in zip(v["indices"], v["values"], strict=True):
            out[i] = x
        return out
    return v


def test_one_stage_of_a_pipeline_alone(model, people):
    indexer = model.stages[1]
    out = indexer.transform(people[:5])
    assert out.columns == [*people[0], "c"]
    wanted = [float(indexer.labels.index(r["city"])) for r in people[:5]]
    assert out.to_numpy("c").tolist() == wanted
    step = model.stages[0].transform(people)
    assert not np.isnan(step.to_numpy("pay_full")).any()
    for stage in model.stages[1:4]:
        step = stage.transform(step)
    assert "features" in step.columns


def test_metrics_and_evaluate(model, people):
    assert set(model.metrics) >= {"test"} and 0.5 < model.metrics["test"]["areaUnderROC"] <= 1
    found = model.evaluate(people)
    from sklearn.metrics import accuracy_score, roc_auc_score

    y = [r["buys"] for r in people]
    assert found["areaUnderROC"] == pytest.approx(
        roc_auc_score(y, model.predict_proba(people)[:, 1]), abs=1e-9
    )
    assert found["accuracy"] == pytest.approx(accuracy_score(y, model.predict(people)), abs=1e-9)
    scored = model.transform(people)
    assert gm.BinaryClassificationEvaluator(labelCol="buys").evaluate(scored) == pytest.approx(
        found["areaUnderROC"]
    )
    many = gm.MulticlassClassificationEvaluator(labelCol="buys", metricName="accuracy")
    assert many.evaluate(scored) == pytest.approx(found["accuracy"]) and many.isLargerBetter()
    assert many.evaluate(scored, {many.metricName: "f1"}) == pytest.approx(many.metrics(scored)["f1"])
    assert gm.BinaryClassificationEvaluator().isLargerBetter()
    assert not gm.RegressionEvaluator().isLargerBetter()
    assert gm.RegressionEvaluator(metricName="r2").isLargerBetter()
    assert gm.RegressionEvaluator().evaluate(
        {"prediction": [1.0, 2.0], "label": [1.0, 4.0]}
    ) == pytest.approx(2**0.5)


def test_save_load_pickle_give_the_same_bits(model, people, tmp_path):
    path = tmp_path / "m.gm"
    model.save(path)
    first = model.predict_proba(people).tobytes()
    for other in (
        gm.load(path),
        gm.PipelineModel.load(path),
        gm.PipelineModel.read().load(path),
        pickle.loads(pickle.dumps(model)),
        gm.PipelineModel.from_bytes(path.read_bytes()),
        copy.deepcopy(model),
    ):
        assert other.predict_proba(people).tobytes() == first
        assert other.info["stages"] == model.info["stages"]
    model.save(path)  # again: replaces
    with pytest.raises(gm.FileError, match="exists already"):
        model.write().save(path)
    model.write().overwrite().save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["m.gm"]
    lr = pickle.loads(pickle.dumps(model.stages[-1]))
    assert np.array_equal(lr.coefficients, model.stages[-1].coefficients)
    import safetensors.numpy

    assert safetensors.numpy.load(path.read_bytes())


def test_bad_model_files(model, tmp_path):
    data = model.to_bytes()
    with pytest.raises(gm.ModelError):
        gm.PipelineModel.from_bytes(data[: len(data) // 2])
    with pytest.raises(gm.Error):
        gm.PipelineModel.from_bytes(b"")
    (tmp_path / "x.gm").write_bytes(b"not a model at all, but long enough to be one")
    with pytest.raises(gm.ModelError, match="x.gm"):
        gm.load(tmp_path / "x.gm")
    with pytest.raises(FileNotFoundError):
        gm.load(tmp_path / "none.gm")
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "folder" / "m.gm")


def test_pages_are_rich_and_harmless(model):
    page = model._repr_html_()
    assert "LogisticRegression" in page and "areaUnderROC" in page
    t = {"<script>alert(1)</script>": ["a", "b"] * 20, "label": [0, 1] * 20}
    name = "<script>alert(1)</script>"
    odd = gm.Pipeline(
        stages=[
            gm.StringIndexer(inputCol=name, outputCol="i"),
            gm.VectorAssembler(inputCols=["i"], outputCol="features"),
            gm.LogisticRegression(regParam=0.1),
        ]
    ).fit(t)
    for shown in (odd._repr_html_(), odd.stages[0]._repr_html_(), odd.report._repr_html_()):
        assert "<script>" not in shown
    assert repr(odd) == "PipelineModel(stages=[StringIndexer, VectorAssembler, LogisticRegression])"


def test_single_stages():
    t = gm.table({"s": ["b", "a", "b", None], "x": [1.0, 2.0, 3.0, 4.0]})
    indexer = gm.StringIndexer(inputCol="s", outputCol="i", handleInvalid="keep")
    fitted = indexer.fit(t)
    assert type(fitted) is gm.StringIndexerModel and fitted.labels == ["b", "a"]
    assert fitted.transform(t).to_dict()["i"] == [0.0, 1.0, 0.0, 2.0]
    assert fitted.getInputCol() == "s" and fitted.getOutputCol() == "i"
    words = gm.Tokenizer(inputCol="s", outputCol="w").transform({"s": ["One two", "three"]})
    assert words.to_dict()["w"] == [["one", "two"], ["three"]]
    many = indexer.fit(t, [{indexer.outputCol: "j"}, {"outputCol": "k"}])
    assert [m.transform(t).columns[-1] for m in many] == ["j", "k"]
    scaled = gm.StandardScaler(inputCol="v", outputCol="z", withMean=True).fit({"v": [[1.0], [2.0], [3.0]]})
    assert scaled.mean.tolist() == [2.0] and scaled.std.tolist() == [1.0]


def test_a_stage_s_model_is_saved_and_loaded(tmp_path):
    fitted = gm.StringIndexer(inputCol="s", outputCol="i").fit({"s": ["b", "a", "b"]})
    fitted.save(tmp_path / "i.gm")
    assert gm.StringIndexerModel.load(tmp_path / "i.gm").labels == ["b", "a"]
    with pytest.raises(gm.ModelError):
        gm.LogisticRegressionModel.load(tmp_path / "i.gm")


def test_sklearn_style_fit(people):
    frame = pd.DataFrame(people).dropna()
    x, y = frame[["age", "pay"]], frame["buys"]
    lr = gm.LogisticRegression(regParam=0.01)
    fitted = lr.fit(x, y)
    assert fitted.predict(x).shape == (len(x),) and fitted.predict_proba(x).shape == (len(x), 2)
    assert fitted.classes_.tolist() == [0, 1]
    assert fitted.score(x, y) == pytest.approx((fitted.predict(x) == y.to_numpy()).mean())
    other = lr.fit(x.to_numpy(), y.to_numpy())
    assert np.allclose(other.coefficients, fitted.coefficients)
    assert fitted.predict([30.0, 60.0]) in (0.0, 1.0)
    with pytest.raises(gm.DataError, match="599 values|values for a table"):
        lr.fit(x, y[:-1])


def test_sample_weight_is_repeated_rows(people):
    frame = pd.DataFrame(people).dropna()[["age", "pay", "buys"]]
    weight = np.arange(len(frame)) % 3 + 1
    x = ["age", "pay"]
    lr = gm.LogisticRegression(regParam=0.01, tol=1e-10, maxIter=500)
    weighted = lr.fit(frame[x], frame["buys"], sample_weight=weight)
    repeated = frame.loc[frame.index.repeat(weight)]
    plain = lr.fit(repeated[x], repeated["buys"])
    with_w = frame[x].assign(w=weight * 1.0)
    named = lr.fit(with_w, frame["buys"], sample_weight="w")
    column = lr.copy({"weightCol": "w"}).fit(with_w, frame["buys"])
    assert np.allclose(weighted.coefficients, plain.coefficients, rtol=1e-5)
    for m in (named, column):  # a weight is no feature
        assert m._pipe.features == x and np.allclose(m.coefficients, weighted.coefficients, rtol=1e-5)
    assert weighted.intercept == pytest.approx(plain.intercept, rel=1e-5)


def test_class_weight(people):
    frame = pd.DataFrame(people).dropna()[["age", "pay", "buys"]]
    x, y = ["age", "pay"], frame["buys"]
    settings = {"regParam": 0.01, "tol": 1e-10, "maxIter": 500}
    heavy = gm.LogisticRegression(class_weight={1: 4.0}, **settings).fit(frame[x], y)
    same = gm.LogisticRegression(**settings).fit(frame[x], y, sample_weight=np.where(y == 1, 4.0, 1.0))
    assert np.allclose(heavy.coefficients, same.coefficients, rtol=1e-6)
    balanced = gm.LogisticRegression(class_weight="balanced", **settings).fit(frame[x], y)
    n = len(y)
    by_hand = np.where(y == 1, n / (2 * (y == 1).sum()), n / (2 * (y == 0).sum()))
    same = gm.LogisticRegression(**settings).fit(frame[x], y, sample_weight=by_hand)
    assert np.allclose(balanced.coefficients, same.coefficients, rtol=1e-6)
    text = frame.assign(buys=np.where(y == 1, "yes", "no"))
    piped = gm.Pipeline(
        stages=[
            gm.StringIndexer(inputCol="buys", outputCol="label", stringOrderType="alphabetAsc"),
            gm.VectorAssembler(inputCols=x, outputCol="features"),
            gm.LogisticRegression(class_weight={"yes": 4.0}, **settings),
        ]
    ).fit(text)
    assert np.allclose(piped.stages[-1].coefficients, heavy.coefficients, rtol=1e-5)

def test_arrays_are_as_wide_as_the_one_fitted():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(60, 3))
    y = x[:, 0] + draw.normal(size=60) > 0
    fitted = gm.LogisticRegression().fit(x, y.astype(int))
    wide, narrow = np.hstack([x, x]), x[:, :2]
    for use in (fitted.predict, fitted.predict_proba, fitted.transform, fitted._pipe.predict):
        assert len(use(x)) == 60 if use != fitted.transform else use(x).count() == 60
        with pytest.raises(gm.SchemaError, match="the array has 6 columns, and the model was fitted on 3"):
            use(wide)
        with pytest.raises(gm.SchemaError, match="the array has 2 columns, and the model was fitted on 3"):
            use(narrow)
    with pytest.raises(gm.SchemaError, match="6 columns, and the model was fitted on 3"):
        fitted.score(wide, y.astype(int))
    with pytest.raises(gm.SchemaError, match="the vector has 2 values, and the model was fitted on 3"):
        fitted.predict([1.0, 2.0])
    assert fitted.predict(x[0]) == fitted.predict(x)[0]
    by_vector = gm.LogisticRegression().fit({"features": x, "label": y.astype(int)})
    assert np.array_equal(by_vector.predict_proba(x), fitted.predict_proba(x))
    for few in (narrow, narrow.tolist(), [1.0, 2.0]):
        with pytest.raises(gm.SchemaError, match="the vector has 2 values, and the model was fitted on 3"):
            by_vector.predict(few)
    named = gm.LogisticRegression().fit({"a": x[:, 0], "b": x[:, 1]}, y.astype(int))
    with pytest.raises(gm.SchemaError, match="2 columns has no names, and the model reads 'a', 'b'"):
        named.predict(narrow)
    # Places that a pipeline names itself: it may leave some out.
    own = gm.Pipeline(stages=[gm.VectorAssembler(inputCols=["x0", "x2"], outputCol="features"),
                              gm.LinearRegression(labelCol="x1")]).fit(x)  # fmt: skip
    assert len(own.predict(x)) == 60
    with pytest.raises(gm.SchemaError, match="the array has 2 columns, and the model was fitted on 3"):
        own.predict(narrow)


def test_rows_as_lists():
    x, y = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 4.0], [1.5, 2.5]], [0, 0, 1, 1, 1]
    fitted = gm.LogisticRegression(regParam=0.1).fit(x, y)
    assert np.array_equal(fitted.predict_proba(x), fitted.predict_proba(np.array(x)))
    assert np.array_equal(fitted.predict([[3.0, 5.0]]), fitted.predict([(3, 5)]))
    t = gm.table([("a", 1), ("b", None)])
    assert t.columns == ["x0", "x1"] and [tuple(r) for r in t.collect()] == [("a", 1), ("b", None)]
    with pytest.raises(gm.DataError, match="row 1 has 1 values and row 0 has 2"):
        fitted.predict([[1.0, 2.0], [1.0]])
    with pytest.raises(gm.SchemaError, match="row 0 holds a list"):
        gm.table([[[1.0], 2.0]])
    with pytest.raises(gm.UsageError, match="an empty list is not a table"):
        fitted.predict([])


def test_class_weight_names_classes_that_exist(people):
    y = ["no", "yes", "no", "yes", "yes", "no"]
    x = [[1.0], [2.0], [1.5], [1.2], [3.0], [2.1]]
    with pytest.raises(gm.ParamError, match="'Yes' is no class of 'label', whose values are 'no', ") as e:
        gm.LogisticRegression(class_weight={"no": 1, "Yes": 2}).fit(x, y)
    assert "did you mean 'yes'?" in str(e.value)
    codes = [int(v == "yes") for v in y]
    with pytest.raises(gm.ParamError, match="class_weight: 2 is no class of 'label', whose values are 0, 1"):
        gm.LinearSVC(class_weight={1: 1, 2: 2}).fit(x, codes)
    same = [
        gm.LogisticRegression(class_weight=w).fit(x, codes).coefficients[0]
        for w in ({0: 1, 1: 3}, {1: 3}, {True: 3}, {np.int64(1): 3.0})
    ]
    assert len(set(same)) == 1


def test_seeds_are_whole_numbers_from_0():
    p = {"stages": [{"VectorAssembler": {"inputCols": ["a"], "outputCol": "v"}}]}
    for more in ({"seed": -1}, {"split": {"test": 0.5, "seed": -1}}, {"seed": 2**53}, {"seed": 1.5}):
        with pytest.raises(gm.ParamError, match="seed"):
            gm.Pipeline.parse(json.dumps(p | more))._parse()


def test_evaluators_of_a_pipeline(people):
    """What they choose is measured, named and the same as an evaluator's own answer on the predictions."""
    recall = gm.MulticlassClassificationEvaluator(metricName="recallByLabel", metricLabel=1.0)
    weak = gm.MulticlassClassificationEvaluator(metricName="logLoss", eps=0.3)
    stages = [
        gm.VectorAssembler(inputCols=["age"], outputCol="features"),
        gm.LogisticRegression(labelCol="buys"),
    ]
    model = gm.Pipeline(stages=stages, evaluate=[recall, weak]).fit(people)
    chosen = model.metrics["train"]["chosen"]
    assert [c["name"] for c in chosen] == ["recallByLabel of 1", "logLoss, eps 0.3"]
    assert [c["larger_is_better"] for c in chosen] == [True, False]
    scored = model.transform(people)
    for c, own in zip(chosen, (recall, weak), strict=False):
        assert c["value"] == pytest.approx(own.evaluate(scored, {own.labelCol: "buys"}), abs=1e-12)
    values = [c["value"] for c in chosen]
    assert [c["value"] for c in model.evaluate(people)["chosen"]] == pytest.approx(values)
    again = gm.PipelineModel.from_bytes(model.to_bytes())
    assert again.metrics["train"]["chosen"] == chosen
    with pytest.raises(gm.ParamError, match="labelCol is 'age'"):
        other = {"BinaryClassificationEvaluator": {"labelCol": "age"}}
        gm.Pipeline(stages=stages, evaluate=[other]).fit(people)
    with pytest.raises(gm.ParamError, match="judges numbers"):
        gm.Pipeline(stages=stages, evaluate=[gm.RegressionEvaluator()]).fit(people)


def test_reasons_stay_with_the_model(people, tmp_path):
    model = gm.train(people, label="buys", model=tmp_path / "m.gm")
    loaded = gm.load(tmp_path / "m.gm")
    assert loaded.info["columns"] == model.report["columns"] == loaded.report["columns"]
    assert loaded.info["why"] == loaded.report["why"]
    loaded.report.save(tmp_path / "r.html")
    for c in loaded.info["columns"]:
        assert f"<td class=name>{c['name']}</td>" in (tmp_path / "r.html").read_text()
    assert "columns" not in gm.Pipeline.parse(gm.auto(people, "buys").text()).fit(people).info


def test_report_names_the_number_of_features(tmp_path):
    rows = {"w": [f"w{i % 1500} w{i % 7}" for i in range(1600)], "label": [i % 7 % 2 for i in range(1600)]}
    model = gm.Pipeline(
        stages=[
            gm.Tokenizer(inputCol="w", outputCol="t"),
            gm.CountVectorizer(inputCol="t", outputCol="features"),
            gm.LogisticRegression(maxIter=3),
        ]
    ).fit(rows)
    model.report.save(tmp_path / "r.html")
    assert model.info["numFeatures"] == 1500
    assert "largest coefficients of 1,500" in (tmp_path / "r.html").read_text()


def test_train_low_code(people, tmp_path):
    model = gm.train(people, label="buys", seed=3, model=tmp_path / "m.gm", report=tmp_path / "r.html")
    assert model.task == "binary" and model.report["task"] == "binary" and model.report["why"]
    used = {c["name"]: c for c in model.report["columns"]}
    assert set(used) >= {"age", "city", "pay", "member", "id"} and all(c["why"] for c in used.values())
    assert 0.5 < model.metrics["test"]["areaUnderROC"] <= 1
    assert np.array_equal(gm.load(tmp_path / "m.gm").predict(people), model.predict(people))
    assert "<html" in (tmp_path / "r.html").read_text().lower()
    assert "city" in model.report._repr_html_()
    again = pickle.loads(pickle.dumps(model))
    assert again.report["why"] == model.report["why"]
    p = gm.auto(people, "buys", exclude=["id", "pay"], test=0.3)
    assert "pay" not in {c for s in p.stages for c in s._values.get("inputCols", [])}
    assert "LogisticRegression" in p.text()
    assert gm.Pipeline.parse(p.text()).fit(people).task == "binary"
    with pytest.raises(gm.SchemaError, match="buyz"):
        gm.train(people, label="buyz")
    with pytest.raises(gm.Error):
        gm.train(people, label="buys", learner="NoSuchLearner")


@pytest.mark.parametrize("handle", ["error", "skip"])
def test_a_model_of_one_column_sees_the_rows_and_no_others(tmp_path, handle):
    """A database may try a function on NULL, or on all texts of a file, to learn what a filter drops."""
    path = str(tmp_path / "t.parquet")
    gm.table({"cat": ["a", "b", "a", "c", "zz"] * 3000, "id": list(range(15000))}).write_parquet(path)
    known = gm.sql(f"SELECT * FROM '{path}' WHERE cat <> 'zz'")
    stages = [
        gm.StringIndexer(inputCol="cat", outputCol="i", handleInvalid=handle),
        gm.OneHotEncoder(inputCol="i", outputCol="hot"),
    ]
    model = gm.Pipeline(stages=stages).fit(known)
    made = model.transform(known, intermediate=True)
    assert made.count() == 12000
    assert made.filter("i = 0").count() == 6000 and made.filter("i > 0 AND id < 100").count() == 40
    assert made.orderBy("id").to_pandas()["i"][:5].tolist() == [0, 1, 0, 2, 0]
    if handle == "skip":
        assert model.transform(path).count() == 12000
    else:
        with pytest.raises(gm.DataError, match="zz"):
            model.transform(path).to_pandas()


def test_low_code_beside_columns_that_are_named_as_its_outputs():
    names = ["prediction", "probability", "features", "numbers", "a"]
    data = {n: [(i * 37 + 11 * k) % 101 / 7 for i in range(300)] for k, n in enumerate(names)}
    data["y"] = [int(v > 7) for v in data["a"]]
    model = gm.train(data, label="y", exclude=["a"])
    made = model.transform(data)
    assert made.columns == [*data, "prediction_", "rawPrediction", "probability_"]
    assert len(model.predict(data)) == 300 and set(model.predict(data)) <= {0.0, 1.0}


def test_labels_beyond_53_bits_are_no_classes_unless_they_are_text():
    big = 2**53
    data = {"a": [float(i % 3) for i in range(300)], "y": [big + i % 3 for i in range(300)]}
    with pytest.raises(gm.DataError, match="beyond 2\\^53"):
        gm.train(data, label="y")
    model = gm.train({**data, "y": [str(v) for v in data["y"]]}, label="y")
    assert model.labels == [str(big + k) for k in range(3)]


def test_frames_with_types_that_no_table_has():
    for series in (pd.period_range("2024-01", periods=2, freq="M"), pd.interval_range(0, 2)):
        with pytest.raises(gm.DataError, match="'t' is (period|interval)"):
            gm.table(pd.DataFrame({"t": series}))
    with pytest.raises(gm.DataError):
        gm.table(pd.DataFrame({"t": pd.arrays.SparseArray([0, 1])}))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_yes_and_no_come_back_as_they_went_in(tmp_path, suffix):
    path, x = tmp_path / f"t.{suffix}", np.arange(300) * 37 % 300 / 100
    table = gm.table({"x": x, "y": x + np.arange(300) % 7 / 5 > 2})
    (table.write_csv if suffix == "csv" else table.write_parquet)(path)
    model = gm.train(path, label="y", model=tmp_path / "m.gm")
    for m in (model, gm.load(tmp_path / "m.gm"), pickle.loads(pickle.dumps(model))):
        assert m.labels == [False, True] and m.predict(path).dtype == bool
        scored = m.transform(path)
        assert scored.filter("prediction = y").count() == round(300 * m.evaluate(path)["accuracy"])
        judge = gm.MulticlassClassificationEvaluator(labelCol="y", metricName="accuracy")
        assert judge.evaluate(scored) > 0.8
    learner = gm.LogisticRegression(regParam=0.1).fit(x[:, None], x > 1.5)
    assert learner.classes_.tolist() == [False, True] and learner.predict(x[:, None]).dtype == bool
    whole = gm.LogisticRegression(regParam=0.1).fit(x[:, None], (x > 1.5).astype(int))
    assert whole.predict(x[:, None]).dtype == float  # Spark's


def test_low_code_reads_on_when_a_number_column_holds_a_word(tmp_path):
    # Far beyond the part that the types are guessed from.
    rows = "".join(f"{i % 2},{i % 7},{i % 5}\n" for i in range(60_000))
    path = tmp_path / "t.csv"
    path.write_text("y,word,x\n" + rows + "1,oops,3\n")
    used = {c["name"]: c for c in gm.auto(str(path), "y").report["columns"]}
    assert used["word"]["type"] == "VARCHAR" and used["word"]["why"] == "8 different texts"
    assert used["x"]["use"] == "category" and used["x"]["why"].startswith("5 different whole numbers")
    model = gm.train(str(path), label="y", model=tmp_path / "m.gm")
    assert model.report["rows"] == 60_001


def test_low_code_takes_infinite_numbers_as_missing(tmp_path):
    x = [math.inf if i % 10 == 0 else -math.inf if i % 10 == 1 else (i * 37 % 1000) / 7 for i in range(2000)]
    frame = pd.DataFrame({"y": [i * 7919 % 3 == 0 for i in range(2000)], "x": x})
    model = gm.train(frame, label="y", test=0)
    (column,) = (c for c in model.report["columns"] if c["name"] == "x")
    assert "20.0 % missing or infinite" in column["why"]
    found = model.predict_proba(frame)
    frame["x"] = frame["x"].replace([math.inf, -math.inf], math.nan)
    assert np.array_equal(gm.train(frame, label="y", test=0).predict_proba(frame), found)


def test_many_threads_predict(model, people):
    import threading

    wanted, found = model.predict_proba(people).tobytes(), []
    threads = [
        threading.Thread(target=lambda: found.append(model.predict_proba(people).tobytes() == wanted))
        for _ in range(6)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [True] * 6


def test_predict_to_files(model, people, tmp_path):
    scored = model.transform(people)
    assert scored.write_parquet(tmp_path / "s.parquet") == 600
    assert scored.select("id", "prediction").write_csv(tmp_path / "s.csv") == 600
    back = gm.read_csv(tmp_path / "s.csv").to_dict()
    assert back["id"] == [r["id"] for r in people]
    assert scored.filter("prediction = 1").groupBy("city").count().count() >= 1


def test_refit_from_a_model(model, people):
    again = model.pipeline.fit(people)
    assert np.array_equal(again.stages[-1].coefficients, model.stages[-1].coefficients)


def test_step_by_step_as_in_spark(people):
    """Every stage is fitted on the table that the one before it made."""
    t = gm.table(people).na.drop()
    indexed = gm.StringIndexer(inputCol="city", outputCol="c").fit(t).transform(t)
    hot = gm.OneHotEncoder(inputCols=["c"], outputCols=["hot"]).fit(indexed).transform(indexed)
    assembler = gm.VectorAssembler(inputCols=["hot", "age", "pay"], outputCol="features")
    ready = assembler.transform(hot)
    lr = gm.LogisticRegression(labelCol="buys", regParam=0.01)
    stepwise = lr.fit(ready)
    piped = gm.Pipeline(
        stages=[
            gm.StringIndexer(inputCol="city", outputCol="c"),
            gm.OneHotEncoder(inputCols=["c"], outputCols=["hot"]),
            assembler,
            lr,
        ]
    ).fit(t)
    assert np.allclose(stepwise.coefficients, piped.stages[-1].coefficients, atol=1e-6)
    area = piped.evaluate(t)["areaUnderROC"]
    assert stepwise.evaluate(ready)["areaUnderROC"] == pytest.approx(area, abs=1e-6)
    again = pickle.loads(pickle.dumps(stepwise))
    assert np.array_equal(again.predict(ready), stepwise.predict(ready))
    assert stepwise.predict_proba(ready.first().features).sum() == pytest.approx(1)


def test_text_step_by_step():
    t = gm.table({"s": ["One two two", "three two", None]})
    words = gm.Tokenizer(inputCol="s", outputCol="w").transform(t)
    counts = gm.CountVectorizer(inputCol="w", outputCol="n").fit(words)
    assert counts.vocabulary[0] == "two"
    assert counts.transform(words).to_dict()["n"][0][0] == 2.0
    hashed = gm.HashingTF(inputCol="w", outputCol="h").transform(words)  # 262144 wide: sparse
    idf = gm.IDF(inputCol="h", outputCol="x").fit(hashed)
    values = idf.transform(hashed).to_dict()["x"]
    assert sorted(values[0]["values"]) == pytest.approx([2 * np.log(4 / 3), np.log(4 / 2)])


def test_vectors_of_a_frame():
    x = np.random.default_rng(0).normal(size=(300, 3))
    y = (x.sum(axis=1) > 0) * 1.0
    lists = gm.LogisticRegression(regParam=0.1).fit({"features": x, "label": y})
    columns = gm.LogisticRegression(regParam=0.1).fit(x, y)
    assert np.allclose(lists.coefficients, columns.coefficients, atol=1e-9)
    for bad, text in (
        ({"features": [[1.0, 2.0]]}, "3 are expected"),
        ({"features": [[1.0, 2.0, 3.0], [1.0]]}, "another 3|elements"),
        ({"features": ["a"]}, "VARCHAR"),
    ):
        with pytest.raises(gm.SchemaError, match=text):
            lists.transform(bad).collect()
    scaler = gm.StandardScaler(inputCol="v", outputCol="z").fit({"v": [[1.0, 5.0], None, [3.0, 7.0]]})
    assert np.isnan(scaler.transform({"v": [None]}).to_dict()["z"][0]).all()
    with pytest.raises(gm.DataError, match="width"):
        gm.StandardScaler(inputCol="v", outputCol="z").fit(gm.table({"v": [[1.0]]}).limit(0))


def test_a_row_with_nothing_but_gaps(model):
    """One row to predict for, whose missing values have no type."""
    with pytest.raises(gm.DataError, match="city"):
        model.transform([{"city": None, "age": 30, "pay": None}]).collect()
    assert model.predict([{"city": "Oslo", "age": 30, "pay": None}]).shape == (1,)
    assert model.predict(pd.DataFrame({"city": ["Oslo"], "age": [30], "pay": [None]})).shape == (1,)
