# SPDX-License-Identifier: Apache-2.0
"""The learners against scikit-learn through the public API, and the properties each must have."""

import gristmill as gm
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import average_precision_score, log_loss, precision_recall_curve, r2_score, roc_auc_score
from sklearn.svm import LinearSVC

TIGHT = {"tol": 1e-12, "maxIter": 2000}


def data(classes=2, n=800, d=4, seed=3):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(n, d)) * np.array([1.0, 3.0, 0.2, 1.0])[:d]
    w = draw.normal(size=(d, classes))
    score = x @ w + draw.gumbel(size=(n, classes))
    return x, score.argmax(axis=1).astype(float)


def regression(n=800, d=4, seed=3):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(n, d)) * np.array([1.0, 3.0, 0.2, 1.0])[:d]
    return x, x @ np.array([1.0, -0.5, 4.0, 0.0])[:d] + 2.5 + draw.normal(size=n)


def spread(x):
    return x.std(axis=0, ddof=1)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("reg", [0.001, 0.1])
def test_ridge_logistic(intercept, reg):
    x, y = data()
    ours = gm.LogisticRegression(regParam=reg, standardization=False, fitIntercept=intercept, **TIGHT).fit(
        x, y
    )
    theirs = LogisticRegression(C=1 / (reg * len(y)), tol=1e-12, max_iter=5000, fit_intercept=intercept).fit(
        x, y
    )
    assert np.allclose(ours.coefficients, theirs.coef_[0], atol=1e-5)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-5)
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-5)


def test_plain_logistic_is_the_same_with_and_without_standardization():
    x, y = data()
    ours = gm.LogisticRegression(**TIGHT).fit(x, y)
    raw = gm.LogisticRegression(standardization=False, **TIGHT).fit(x, y)
    theirs = LogisticRegression(C=1e12, tol=1e-12, max_iter=5000).fit(x, y)
    for m in (ours, raw):
        assert np.allclose(m.coefficients, theirs.coef_[0], atol=1e-4)


def test_standardized_penalty_is_a_penalty_on_scaled_columns():
    x, y = data()
    ours = gm.LogisticRegression(regParam=0.05, **TIGHT).fit(x, y)
    theirs = LogisticRegression(C=1 / (0.05 * len(y)), tol=1e-12, max_iter=5000).fit(x / spread(x), y)
    assert np.allclose(ours.coefficients, theirs.coef_[0] / spread(x), atol=1e-5)


def test_lasso_and_elastic_net_logistic():
    x, y = data()
    for ratio in (1.0, 0.5):
        ours = gm.LogisticRegression(
            regParam=0.03, elasticNetParam=ratio, standardization=False, **TIGHT
        ).fit(x, y)
        older = {"penalty": "elasticnet"} if sklearn.__version__ < "1.8" else {}
        theirs = LogisticRegression(
            solver="saga", C=1 / (0.03 * len(y)), l1_ratio=ratio, tol=1e-10, max_iter=20000, **older
        ).fit(x, y)
        assert np.allclose(ours.coefficients, theirs.coef_[0], atol=1e-4)
        assert ((ours.coefficients == 0) == (np.abs(theirs.coef_[0]) < 1e-8)).all()


def test_labels_in_a_column_and_features_named_features():
    x, y = data()
    plain = gm.LogisticRegression(regParam=0.1).fit(x, y)
    for column in (y[:, None], pd.DataFrame({"y": y})):
        other = gm.LogisticRegression(regParam=0.1).fit(x, column)
        assert np.array_equal(other.coefficients, plain.coefficients)
    frame = pd.DataFrame(x, columns=["features", "b", "c", "d"][: x.shape[1]])
    named = gm.LogisticRegression(regParam=0.1).fit(frame, y)
    assert np.array_equal(named.coefficients, plain.coefficients)
    assert np.array_equal(named.predict(frame), plain.predict(x))
    with pytest.raises(gm.ParamError, match="reg_param and regParam are one parameter"):
        gm.LogisticRegression(reg_param=1, regParam=2)


@pytest.mark.parametrize("standardization", [True, False])
def test_columns_of_any_scale_converge(standardization):
    """Deviations from 0.003 to 569, as in docs/guide-sklearn.md; a penalty on them as they are."""
    frame = load_breast_cancer(as_frame=True)
    x, y = frame.data, frame.target
    ours = gm.LogisticRegression(
        reg_param=0.01, max_iter=1000, tol=1e-10, standardization=standardization
    ).fit(x, y)
    unit = x.to_numpy().std(axis=0, ddof=1) if standardization else np.ones(x.shape[1])
    theirs = LogisticRegression(
        C=1 / (0.01 * len(y)), solver="newton-cholesky", tol=1e-12, max_iter=1000
    ).fit(x.to_numpy() / unit, y)
    assert ours.summary.asDict()["converged"] and ours.summary.totalIterations < 500
    assert np.allclose(ours.coefficients, theirs.coef_[0] / unit, atol=1e-4)
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x.to_numpy() / unit), atol=1e-4)


def test_multinomial():
    x, y = data(classes=3)
    ours = gm.LogisticRegression(regParam=0.02, standardization=False, **TIGHT).fit(x, y)
    theirs = LogisticRegression(C=1 / (0.02 * len(y)), tol=1e-12, max_iter=5000).fit(x, y)
    assert ours.numClasses == 3 and ours.coefficientMatrix.shape == (3, 4)
    assert np.allclose(ours.coefficientMatrix, theirs.coef_, atol=1e-4)
    assert np.allclose(ours.interceptVector, theirs.intercept_, atol=1e-4)
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-5)
    with pytest.raises(gm.UsageError, match="coefficientMatrix"):
        ours.coefficients  # noqa: B018


@pytest.mark.parametrize("solver", ["normal", "l-bfgs"])
def test_linear_regression(solver):
    x, y = regression()
    ours = gm.LinearRegression(solver=solver, **TIGHT).fit(x, y)
    theirs = LinearRegression().fit(x, y)
    assert np.allclose(ours.coefficients, theirs.coef_, atol=1e-6)
    assert ours.intercept == pytest.approx(theirs.intercept_, abs=1e-6)
    assert np.allclose(ours.predict(x), theirs.predict(x), atol=1e-6)
    assert ours.score(x, y) == pytest.approx(r2_score(y, theirs.predict(x)), abs=1e-9)


def test_ridge_lasso_elastic_net():
    x, y = regression()
    n = len(y)
    ridge = gm.LinearRegression(regParam=0.1, standardization=False, **TIGHT).fit(x, y)
    assert np.allclose(ridge.coefficients, Ridge(alpha=0.1 * n, tol=1e-12).fit(x, y).coef_, atol=1e-4)
    for ratio, theirs in (
        (1.0, Lasso(alpha=0.1, tol=1e-12)),
        (0.4, ElasticNet(alpha=0.1, l1_ratio=0.4, tol=1e-12)),
    ):
        ours = gm.LinearRegression(regParam=0.1, elasticNetParam=ratio, standardization=False, **TIGHT).fit(
            x, y
        )
        assert np.allclose(ours.coefficients, theirs.fit(x, y).coef_, atol=1e-4)


def test_huber_resists_outliers():
    x, y = regression()
    y = y.copy()
    y[::50] += 500
    ours = gm.LinearRegression(loss="huber", epsilon=1.35, **TIGHT).fit(x, y)
    assert np.allclose(ours.coefficients, [1.0, -0.5, 4.0, 0.0], atol=0.5)


def test_linear_svc():
    x, y = data()
    ours = gm.LinearSVC(regParam=0.01, standardization=False, **TIGHT).fit(x, y)
    theirs = LinearSVC(
        C=1 / (0.01 * len(y)), loss="hinge", tol=1e-9, max_iter=200000, intercept_scaling=100
    ).fit(x, y)
    assert (ours.predict(x) == theirs.predict(x)).mean() > 0.98


def test_shift_scale_permute_weight():
    x, y = data()
    settings = {"regParam": 1e-3, **TIGHT}
    base = gm.LogisticRegression(**settings).fit(x, y)
    shifted = gm.LogisticRegression(**settings).fit(x + 1000, y)
    assert np.allclose(shifted.coefficients, base.coefficients, atol=1e-4)
    assert shifted.intercept == pytest.approx(
        base.intercept - 1000 * base.coefficients.sum(), rel=1e-4, abs=1e-2
    )
    scaled = gm.LogisticRegression(**settings).fit(x * 1e4, y)
    assert np.allclose(scaled.coefficients * 1e4, base.coefficients, rtol=1e-4, atol=1e-6)
    order = np.random.default_rng(0).permutation(len(y))
    mixed = gm.LogisticRegression(**settings).fit(x[order], y[order])
    assert np.allclose(mixed.coefficients, base.coefficients, atol=1e-6)
    columns = gm.LogisticRegression(**settings).fit(x[:, [3, 1, 0, 2]], y)
    assert np.allclose(columns.coefficients[[2, 1, 3, 0]], base.coefficients, atol=1e-5)
    heavy = gm.LogisticRegression(**settings).fit(x, y, sample_weight=np.full(len(y), 3.0))
    assert np.allclose(heavy.coefficients, base.coefficients, atol=1e-4)


def test_same_bits_for_any_number_of_threads(run):
    code = """
import gristmill as gm, numpy as np
gm.config(threads={n})
draw = np.random.default_rng(1)
x = draw.normal(size=(30000, 5)); y = (x.sum(axis=1) + draw.normal(size=30000) > 0) * 1.0
m = gm.LogisticRegression(regParam=0.01).fit(x, y)
print(m.coefficients.tobytes().hex(), m.intercept.hex())
"""
    found = {run(code.replace("{n}", str(n))).stdout for n in (1, 2, 4)}
    assert len(found) == 1 and found != {""}


def test_the_labels_are_the_user_s():
    x, y = data()
    named = np.where(y == 1, "yes", "no")
    t = gm.table({"a": x[:, 0], "b": x[:, 1], "answer": named})
    stages = [
        gm.StringIndexer(inputCol="answer", outputCol="label"),
        gm.VectorAssembler(inputCols=["a", "b"], outputCol="features"),
        gm.LogisticRegression(),
    ]
    model = gm.Pipeline(stages=stages).fit(t)
    labels = model.stages[0].labels
    back = gm.IndexToString(inputCol="prediction", outputCol="said", labels=labels)
    said = back.transform(model.transform(t)).to_dict()["said"]
    assert set(said) == {"yes", "no"}
    assert (np.array(said) == named).mean() > 0.6


def test_metrics_are_scikit_learn_s():
    draw = np.random.default_rng(2)
    label = draw.integers(0, 2, 500).astype(float)
    score = np.round(draw.normal(size=500) + label, 1)  # many ties
    weight = draw.uniform(0.5, 2, 500)
    t = gm.table({"label": label, "rawPrediction": score, "w": weight})
    e = gm.BinaryClassificationEvaluator(metricName="areaUnderROC")
    assert e.evaluate(t) == pytest.approx(roc_auc_score(label, score), abs=1e-9)
    weighted = e.copy({"weightCol": "w"})
    assert weighted.evaluate(t) == pytest.approx(roc_auc_score(label, score, sample_weight=weight), abs=1e-9)
    precision, recall, _ = precision_recall_curve(label, score)
    area = e.evaluate(t, {e.metricName: "areaUnderPR"})
    assert abs(area - np.trapezoid(precision[::-1], recall[::-1])) < 0.01 and area > 0.5
    assert abs(area - average_precision_score(label, score)) < 0.02
    probability = draw.dirichlet(np.ones(3), 300)
    truth = draw.integers(0, 3, 300).astype(float)
    m = gm.MulticlassClassificationEvaluator(metricName="logLoss")
    rows = {"label": truth, "prediction": probability.argmax(axis=1) * 1.0, "probability": probability}
    assert m.evaluate(rows) == pytest.approx(log_loss(truth, probability), abs=1e-9)
    assert not m.isLargerBetter()


def labelled(x, y, names="abcd"):
    return gm.table({**{n: x[:, j].tolist() for j, n in enumerate(names)}, "y": y})


def chain(learner, columns="abcd"):
    return gm.Pipeline(stages=[gm.VectorAssembler(inputCols=list(columns), outputCol="features"), learner])


WARM = [
    (gm.LogisticRegression, {}, 2),
    (gm.LogisticRegression, {"regParam": 0.01, "elasticNetParam": 0.5}, 2),
    (gm.LogisticRegression, {"regParam": 0.01}, 3),
    (gm.LinearRegression, {"solver": "l-bfgs", "regParam": 0.1}, 0),
    (gm.LinearRegression, {"loss": "huber"}, 0),
    (gm.LinearSVC, {"regParam": 0.01}, 2),
]


@pytest.mark.parametrize("stage, params, classes", WARM)
def test_warm_start_fits_again_from_the_last_fit(stage, params, classes):
    x, y = data(classes) if classes else regression()
    est = stage(warm_start=True, **params)
    first = est.fit(x, y)
    again = est.fit(x, y)
    assert first.summary.totalIterations > 2 >= again.summary.totalIterations
    assert np.allclose(first.coef_, again.coef_, atol=1e-3)
    other = est.copy().fit(x, y)  # a copy is unfitted
    assert other.summary.totalIterations == first.summary.totalIterations
    est.setParams(warmStart=False)
    est.fit(x, y)
    assert est.fit(x, y).summary.totalIterations == first.summary.totalIterations
    assert est.fit(x, y, init=first).summary.totalIterations <= 2
    tight = stage(**params, **TIGHT)
    assert np.allclose(tight.fit(x, y, init=first).coef_, tight.fit(x, y).coef_, atol=1e-5)


def test_init_takes_features_by_name_in_any_order(tmp_path):
    x, y = data(3)
    rows = labelled(x, y)
    first = chain(gm.LogisticRegression(labelCol="y")).fit(rows)
    first.save(tmp_path / "first.gm")
    turned = chain(gm.LogisticRegression(labelCol="y"), "dbac")
    cold = turned.fit(rows)
    for init in (first, tmp_path / "first.gm", first.stages[1]):
        warm = turned.fit(rows, init=init)
        assert warm.stages[1].summary.totalIterations <= 2 < cold.stages[1].summary.totalIterations
    turned._rest["init"] = str(tmp_path / "first.gm")
    warm = turned.fit(rows)
    assert warm.stages[1].summary.totalIterations <= 2
    assert "init: " in warm.pipeline.text()
    pipeline = chain(gm.LogisticRegression(labelCol="y", warm_start=True))
    pipeline.fit(rows)
    assert pipeline.fit(rows).stages[1].summary.totalIterations <= 2
    assert pipeline.copy().fit(rows).stages[1].summary.totalIterations > 2
    (tmp_path / "first.gm").unlink()
    with pytest.raises(gm.NotFoundError, match="init"):
        turned.fit(rows)


def test_a_start_that_differs_is_refused_by_name():
    x, y = data(3)
    first = chain(gm.LogisticRegression(labelCol="y")).fit(labelled(x, y))

    def refused(pipeline, rows, words, init=first, error=gm.SchemaError):
        with pytest.raises(error) as e:
            pipeline.fit(rows, init=init)
        assert words in str(e.value), str(e.value)

    logistic = gm.LogisticRegression(labelCol="y")
    refused(chain(logistic, "abce"), labelled(x, y, "abce"), "has no feature 'e', but 'd'")
    refused(chain(logistic, "abcde"), labelled(x[:, [0, 1, 2, 3, 3]], y, "abcde"), "has no feature 'e'")
    refused(chain(logistic, "abc"), labelled(x, y), "has the feature 'd', which is not here")
    refused(chain(logistic), labelled(x, np.minimum(y, 1)), "has the class '2', which is not here")
    refused(chain(logistic), labelled(x, y + 1), "has no class '3', but '0'")
    refused(chain(logistic), labelled(x, np.where(y == 0, 5, y)), "has no class '5', but '0'")
    refused(chain(gm.LinearSVC(labelCol="y")), labelled(x, np.minimum(y, 1)), "holds LogisticRegression")
    assembler = gm.VectorAssembler(inputCols=["a"], outputCol="features")
    refused(gm.Pipeline(stages=[assembler]), labelled(x, y), "cannot start", error=gm.UsageError)
    empty = gm.Pipeline(stages=[assembler]).fit(labelled(x, y))
    refused(chain(logistic), labelled(x, y), "holds no learner", init=empty)
    refused(chain(logistic), labelled(x, y), "expected a fitted model", init=3, error=gm.UsageError)


def test_numbers_and_texts_as_classes_in_another_order_are_refused():
    x, y = data(2)
    as_numbers = chain(gm.LogisticRegression(labelCol="y")).fit(labelled(x, y + 9))
    as_texts = labelled(x, y).withColumn("y", "CASE WHEN y = 0 THEN '9' ELSE '10' END")
    with pytest.raises(gm.SchemaError, match="another order: they are numbers there"):
        chain(gm.LogisticRegression(labelCol="y")).fit(as_texts, init=as_numbers)


def test_the_normal_equations_need_no_start():
    x, y = regression()
    first = gm.LinearRegression().fit(x, y)
    again = gm.LinearRegression().fit(x, y, init=first)
    assert np.array_equal(first.coef_, again.coef_)


def test_low_code_starts_from_a_model():
    x, y = data(2)
    rows = labelled(x, y)
    first = gm.train(rows, "y")
    again = gm.train(rows, "y", init=first)
    assert again.stages[-1].summary.totalIterations <= 2 < first.stages[-1].summary.totalIterations
