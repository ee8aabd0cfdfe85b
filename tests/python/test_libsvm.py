# SPDX-License-Identifier: Apache-2.0
"""LIBSVM files: the same models as scikit-learn, the width and the index base of training, the messages."""

import gzip
import random

import gristmill as gm
import numpy as np
import pytest


def lines(n, width, most, seed=11, base=1):
    draw = random.Random(seed)
    for _ in range(n):
        at = {draw.randrange(6 if draw.random() < 0.6 else width) for _ in range(draw.randint(1, most))}
        entries = {j: round(draw.gauss(0, 1), 4) for j in sorted(at)}
        tilt = 1.5 * entries.get(0, 0) - entries.get(2, 0) + draw.gauss(0, 0.8)
        text = " ".join(f"{j + base}:{v}" for j, v in entries.items())
        yield f"{'+1' if tilt > 0 else '-1'} {text}\n"


def put(path, text):
    path.write_text(text)
    return str(path)


@pytest.fixture
def data(tmp_path):
    # As in Spark's sample_libsvm_data.txt: a label of 0 or 1, indices from 1, a last line without a line end.
    text = "# made for a test\n" + "".join(lines(900, 20, 7)) + "1 20:0.5"
    return put(tmp_path / "train.libsvm", text)


def fit(table, **params):
    stages = [gm.LogisticRegression(tol=1e-12, maxIter=1000, **params)]
    return gm.Pipeline(stages=stages).fit(table)


def test_the_optimum_of_scikit_learn(data):
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import LogisticRegression

    x, y = load_svmlight_file(data)
    n, reg = len(y), 0.02
    model = fit(gm.read_libsvm(data), regParam=reg, standardization=False)
    peer = LogisticRegression(C=1 / (reg * n), tol=1e-12, max_iter=10000).fit(x, y)
    ours = model.stages[0]
    assert np.allclose(ours.coefficients, peer.coef_[0], atol=1e-4)
    assert ours.intercept == pytest.approx(peer.intercept_[0], abs=1e-4)
    assert model.labels == [-1, 1] and ours.numFeatures == 20
    out = model.transform(gm.read_libsvm(data)).to_numpy("probability")
    assert np.allclose(np.stack(out), peer.predict_proba(x), atol=1e-4)


def test_sparse_is_dense(data, tmp_path):
    """The same rows as a list of numbers and as columns give the same model, to the bit for the list."""
    from sklearn.datasets import load_svmlight_file

    x, y = load_svmlight_file(data)
    dense = fit({"label": y, "features": x.toarray()}, regParam=0.01)
    sparse = fit(gm.read_libsvm(data), regParam=0.01)
    assert sparse.stages[0].coefficients.tolist() == dense.stages[0].coefficients.tolist()
    packed = tmp_path / "train.libsvm.gz"
    packed.write_bytes(gzip.compress(open(data, "rb").read()))
    again = fit(gm.table(str(packed)), regParam=0.01)
    assert again.stages[0].coefficients.tolist() == sparse.stages[0].coefficients.tolist()


def test_wide_rows_any_number_of_threads_and_little_memory(tmp_path, run):
    path = put(tmp_path / "wide.svm", "".join(lines(20000, 47_000, 30)))
    code = f"""
import gristmill as gm
gm.config(threads=%d, progress=False, memory="300MB")
t = gm.read_libsvm({path!r}, numFeatures=47000)
m = gm.Pipeline(stages=[gm.LogisticRegression(regParam=0.01, maxIter=15)]).fit(t)
import hashlib
print(m.stages[0].numFeatures, hashlib.sha256(m.stages[0].coefficients.tobytes()).hexdigest())
"""
    one, two = run(code % 1), run(code % 2)
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout and one.stdout.startswith("47000 ")


def test_the_width_of_training_holds(tmp_path):
    """Case of the collection: train 1 1:2 3:4, test 0 1:5."""
    train = put(tmp_path / "train.libsvm", "1 1:2 3:4\n0 2:1\n1 1:1 3:1\n0 1:1 2:2\n")
    model = fit(gm.read_libsvm(train), regParam=0.1)
    narrow = gm.read_libsvm(put(tmp_path / "test.libsvm", "0 1:5\n"))
    assert narrow.report()["types"]["features"] == "vector(1)"
    out = model.transform(narrow).to_dict()
    assert len(out["prediction"]) == 1 and out["features"][0]["size"] == 3
    margin = 5 * model.stages[0].coefficients[0] + model.stages[0].intercept
    assert out["probability"][0][1] == pytest.approx(1 / (1 + np.exp(-margin)), abs=1e-12)
    assert model.evaluate(narrow)["accuracy"] in (0, 1)
    nothing = gm.read_libsvm(put(tmp_path / "none.libsvm", "0\n1 # nothing\n"))
    assert len(model.transform(nothing).to_dict()["prediction"]) == 2
    filtered = narrow.filter("label = 0").select("label", "features")
    assert len(model.transform(filtered).to_dict()["prediction"]) == 1
    wide = gm.read_libsvm(put(tmp_path / "wide.libsvm", "0 1:5\n1 2:1 4:1\n"))
    for use in (model.transform, model.evaluate):
        with pytest.raises(gm.DataError, match=r"wide.libsvm:2: index 4 is beyond the 3 features"):
            use(wide)
    fixed = gm.read_libsvm(str(tmp_path / "test.libsvm"), numFeatures=5)
    with pytest.raises(gm.SchemaError, match="a row has 5 elements, and 3 are expected"):
        model.transform(fixed).to_dict()


def test_the_index_base_of_training_holds(tmp_path):
    zero = put(tmp_path / "zero.libsvm", "1 0:2 2:4\n0 1:1\n1 0:1 2:1\n0 0:1 1:2\n")
    one = put(tmp_path / "one.libsvm", "1 1:2 3:4\n0 2:1\n1 1:1 3:1\n0 1:1 2:2\n")
    models = [fit(gm.read_libsvm(p), regParam=0.1) for p in (zero, one)]
    assert models[0].stages[0].coefficients.tolist() == models[1].stages[0].coefficients.tolist()
    saved = tmp_path / "m.gm"
    models[0].save(saved)
    test = put(tmp_path / "test.libsvm", "0 1:5\n")  # of column 1 if indices count from 0
    for m in (models[0], gm.load(saved)):
        out = m.transform(gm.read_libsvm(test)).to_dict()
        assert out["features"][0] == {"type": 0, "size": 3, "indices": [1], "values": [5.0]}
    said = models[0].transform(gm.read_libsvm(test, indexBase=1)).to_dict()
    assert said["features"][0]["indices"] == [0]
    with pytest.raises(gm.DataError, match="zero.libsvm:1: index 0, and indices begin at 1"):
        models[1].transform(gm.read_libsvm(zero))
    notes = [n["text"] for p in (zero, one) for n in gm.read_libsvm(p).report()["notes"]]
    assert "count from 0, as one is 0" in notes[0] and "count from 1" in notes[1]


def test_features_feed_other_stages(data):
    table = gm.read_libsvm(data).withColumn("more", "label * 0 + 1")
    model = gm.Pipeline(
        stages=[
            gm.MaxAbsScaler(inputCol="features", outputCol="scaled"),
            gm.VectorAssembler(inputCols=["scaled", "more"], outputCol="all"),
            gm.LogisticRegression(featuresCol="all", regParam=0.1),
        ],
        split=0.25,
    ).fit(table)
    assert len(model.features) == 21 and model.metrics["test"]["areaUnderROC"] > 0.7
    assert model.transform(gm.read_libsvm(data).withColumn("more", "1")).count() == 901


def test_low_code_uses_the_vector(data, tmp_path):
    model = gm.train(gm.read_libsvm(data), label="label")
    assert model.metrics["test"]["areaUnderROC"] > 0.7 and len(model.features) == 20
    path = put(tmp_path / "ranks.libsvm", open(data).read().replace(" 1:", " qid:3 1:", 400))
    used = {c["name"]: c["use"] for c in gm.auto(gm.read_libsvm(path), "label").report["columns"]}
    assert used == {"label": "label", "qid": "left out", "features": "vector"}
    mixed = gm.read_libsvm(data).withColumn("sum", "list_sum(features.values)")
    assert len(gm.train(mixed, label="label").features) == 21


def test_bad_lines(tmp_path):
    path = put(tmp_path / "bad.libsvm", "1 1:1\n# x\n0 2:1 1:1\n1 qid:3 1:1\n0 a\n")
    with pytest.raises(gm.DataError, match=r"bad.libsvm:3: index 1 stands behind 2"):
        gm.read_libsvm(path)
    table = gm.read_libsvm(path, bad_rows="reject")
    assert table.to_dict()["qid"] == [None, 3]
    report = table.report()
    assert report["rows"] == 2 and report["rejected"] == 2
    assert [(r["line"], r["text"]) for r in report["rejects"]] == [(3, "0 2:1 1:1"), (5, "0 a")]
    with pytest.raises(gm.UsageError, match="different widths"):
        gm.read_libsvm([path, path])
    both = gm.read_libsvm([path, path], indexBase=1, numFeatures=2, bad_rows="reject")
    assert both.count() == 4


def test_pipes_and_standard_input(data, run, tmp_path):
    code = """
import sys, gristmill as gm
gm.config(progress=False)
print(gm.read_libsvm("-").count())
"""
    with open(data) as f:
        assert run(code, stdin=f).stdout.split() == ["901"]
