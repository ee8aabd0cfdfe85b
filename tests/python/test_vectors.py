# SPDX-License-Identifier: Apache-2.0
"""Vectors as columns of a source: Spark's struct in Parquet, lists of numbers."""

import random

import gristmill as gm
import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

VECTOR = pa.struct(
    [
        ("type", pa.int8()),
        ("size", pa.int32()),
        ("indices", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float64())),
    ]
)


def sparse(size, entries):
    at = sorted(entries)
    return {"type": 0, "size": size, "indices": at, "values": [entries[i] for i in at]}


def dense(values):
    return {"type": 1, "size": None, "indices": None, "values": list(values)}


def rows(n, width, most, seed=3):
    """Labels and {index: value} per row; the first few columns tell the label."""
    draw = random.Random(seed)
    for _ in range(n):
        entries = {
            draw.randrange(5 if draw.random() < 0.5 else width): round(draw.gauss(0, 1), 3)
            for _ in range(draw.randint(1, most))
        }
        tilt = 2 * entries.get(0, 0) - entries.get(3, 0) + draw.gauss(0, 0.5)
        yield float(tilt > 0), entries


def write(path, labels, vectors):
    table = pa.table({"label": pa.array(labels, pa.float64()), "features": pa.array(vectors, VECTOR)})
    pq.write_table(table, path)
    return str(path)


@pytest.fixture
def narrow(tmp_path):
    data = list(rows(800, 12, 6))
    labels = [y for y, _ in data]
    x = np.zeros((len(data), 12))
    for i, (_, entries) in enumerate(data):
        for j, v in entries.items():
            x[i, j] = v
    files = {
        "sparse": write(tmp_path / "s.parquet", labels, [sparse(12, e) for _, e in data]),
        "dense": write(tmp_path / "d.parquet", labels, [dense(v) for v in x]),
        "mixed": write(
            tmp_path / "m.parquet",
            labels,
            [sparse(12, e) if i % 3 else dense(x[i]) for i, (_, e) in enumerate(data)],
        ),
    }
    lists = pa.table({"label": labels, "features": [list(v) for v in x]})
    pq.write_table(lists, tmp_path / "l.parquet")
    files["lists"] = str(tmp_path / "l.parquet")
    return files, x, np.array(labels)


def test_any_form_of_a_vector_gives_the_same_model(narrow):
    from sklearn.linear_model import LogisticRegression

    files, x, y = narrow
    models = {
        k: gm.Pipeline(stages=[gm.LogisticRegression(regParam=0.01, tol=1e-10, maxIter=500)]).fit(
            gm.read_parquet(f)
        )
        for k, f in files.items()
    }
    fitted = {k: m.stages[0] for k, m in models.items()}
    first = fitted["sparse"]
    for m in fitted.values():
        assert m.coefficients.tolist() == first.coefficients.tolist() and m.intercept == first.intercept
    peer = LogisticRegression(C=1 / (0.01 * len(y)), tol=1e-10, max_iter=5000)
    # The penalty is on the coefficients of standardized features, as in Spark.
    scale = x.std(axis=0, ddof=1)
    peer.fit(x / scale, y)
    assert np.allclose(first.coefficients * scale, peer.coef_[0], atol=1e-4)
    assert models["sparse"].features[3] == "features[3]"
    scored = [m.transform(gm.read_parquet(files[k])).to_numpy("probability") for k, m in models.items()]
    assert all(np.array_equal(np.stack(scored[0]), np.stack(s)) for s in scored)
    described = {c["name"]: c["type"] for c in models["sparse"].info["schema"]}
    assert described["features"] == "DOUBLE[12]"


def test_stages_take_vectors(narrow):
    files, x, _ = narrow
    table = gm.read_parquet(files["mixed"]).select("features", gm.expr("label + 1").alias("more"))
    model = gm.Pipeline(
        stages=[
            gm.StandardScaler(inputCol="features", outputCol="scaled", withMean=False),
            gm.VectorAssembler(inputCols=["more", "scaled"], outputCol="all"),
            gm.VectorSlicer(inputCol="all", outputCol="some", indices=[0, 4]),
        ]
    ).fit(table)
    out = model.transform(table)
    assert np.allclose(np.stack(out.to_numpy("scaled")), x / x.std(axis=0, ddof=1))
    assert np.allclose(np.stack(out.to_numpy("some"))[:, 1], x[:, 3] / x[:, 3].std(ddof=1))


def test_wide_vectors_stay_sparse(tmp_path, run):
    width, data = 47_000, list(rows(3000, 47_000, 40))
    path = write(tmp_path / "w.parquet", [y for y, _ in data], [sparse(width, e) for _, e in data])
    code = f"""
import gristmill as gm
gm.config(threads=2, progress=False, memory="400MB")
m = gm.LogisticRegression(regParam=0.01, maxIter=20).fit(gm.read_parquet({path!r}))
print(len(m.coefficients), m.numFeatures, m.transform(gm.read_parquet({path!r})).count())
"""
    done = run(code)  # dense it would be 1.1 GB
    assert done.stdout.split() == ["47000", "47000", "3000"], done.stderr


def test_rows_that_are_not_alike(tmp_path):
    good = [sparse(4, {1: 2.0}), dense([1, 0, 2, 3])] * 10
    y = [0.0, 1.0] * 10
    model = gm.LogisticRegression().fit(gm.read_parquet(write(tmp_path / "g.parquet", y, good)))
    bad = [*good[:7], dense([1, 2, 3]), *good[8:]]
    other = gm.read_parquet(write(tmp_path / "b.parquet", y, bad))
    with pytest.raises(gm.SchemaError, match="row 8: column .features. has 3 elements, and 4 in"):
        gm.LogisticRegression().fit(other)
    with pytest.raises(gm.SchemaError, match="column 'features': a row has 3 elements"):
        model.transform(other).to_dict()
    three = gm.read_parquet(write(tmp_path / "3.parquet", y, [sparse(3, {0: 1.0})] * 20))
    with pytest.raises(gm.SchemaError, match="a row has 3 elements, and 4 are expected"):
        model.transform(three).to_dict()
    with pytest.raises(gm.SchemaError, match="a row has 3 elements, and 4 are expected"):
        model.evaluate(three)
    with pytest.raises(gm.SchemaError, match=r"was DOUBLE\[4\] in training and is DOUBLE here"):
        model.transform(gm.table({"features": [1.0]}))


@pytest.mark.parametrize(
    "broken, said",
    [
        ({"type": 0, "size": 4, "indices": [2, 1], "values": [1.0, 2.0]}, "1 stands behind 2"),
        ({"type": 0, "size": 4, "indices": [4], "values": [1.0]}, "has the index 4"),
        ({"type": 0, "size": 4, "indices": [1], "values": [1.0, 2.0]}, "1 indices and 2 values"),
        ({"type": 0, "size": None, "indices": [1], "values": [1.0]}, "no size or no indices"),
        ({"type": 3, "size": 4, "indices": [1], "values": [1.0]}, "is 0 (sparse) or 1 (dense)"),
        ({"type": 1, "size": None, "indices": None, "values": None}, "has no values"),
    ],
)
def test_a_broken_vector_is_named(tmp_path, broken, said):
    vectors = [sparse(4, {1: 2.0}), None, dense([1, 0, 2, 3]), broken]
    table = gm.read_parquet(write(tmp_path / "x.parquet", [0.0, 1.0, 1.0, 0.0], vectors))
    with pytest.raises(gm.DataError) as caught:
        gm.StandardScaler(inputCol="features", outputCol="s").fit(table)
    assert "row 4: column 'features'" in str(caught.value) and said in str(caught.value)


def test_a_missing_vector_is_a_missing_value(tmp_path):
    y = [0.0, 1.0] * 6
    path = write(tmp_path / "n.parquet", y, [sparse(3, {1: 1.0}), dense([1, 0, 2])] * 5 + [None, None])
    with pytest.raises(gm.DataError, match="missing"):
        gm.LogisticRegression().fit(gm.read_parquet(path))
    scaled = gm.MaxAbsScaler(inputCol="features", outputCol="s").fit(gm.read_parquet(path))
    out = scaled.transform(gm.read_parquet(path)).to_dict()["s"]
    assert out[0] == [0.0, 1.0, 0.0] and all(np.isnan(v) for v in out[-1])


def test_predictions_as_spark_writes_them(tmp_path):
    """rawPrediction and probability as VectorUDT are judged as lists of the same numbers are."""
    draw = random.Random(8)
    y = [float(i % 2) for i in range(200)]
    p = [min(max(0.3 + 0.4 * v + draw.gauss(0, 0.25), 0.0), 1.0) for v in y]
    pairs = [[1 - v, v] for v in p]

    def struct(pair, i):
        return dense(pair) if i % 2 else sparse(2, {k: x for k, x in enumerate(pair) if x})

    structs = pa.array([struct(v, i) for i, v in enumerate(pairs)], VECTOR)
    both = []
    for v in (pa.array(pairs), structs):
        guess = pa.array([float(x > 0.5) for x in p])
        t = gm.table(pa.table({"label": y, "prediction": guess, "rawPrediction": v, "probability": v}))
        binary = gm.BinaryClassificationEvaluator().evaluate(t)
        loss = gm.MulticlassClassificationEvaluator(metricName="logLoss").evaluate(t)
        both.append((binary, loss))
    assert both[0] == both[1] and 0.7 < both[0][0] < 1 and np.isfinite(both[0][1])
