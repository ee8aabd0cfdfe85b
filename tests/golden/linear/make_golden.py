#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes golden.h: data, and what scikit-learn and Spark make of them.

    pip install scikit-learn==1.9.1 pyspark==3.5.3; python make_golden.py > golden.h

Spark standardises by the deviation with n - 1; for scikit-learn that is done here by hand.
"""

import numpy as np
from pyspark.ml.classification import LinearSVC as SparkSVC
from pyspark.ml.classification import LogisticRegression as SparkLogistic
from pyspark.ml.linalg import Vectors
from pyspark.ml.regression import LinearRegression as SparkLinear
from pyspark.sql import SparkSession
from sklearn.linear_model import ElasticNet, HuberRegressor, LinearRegression, LogisticRegression, Ridge
from sklearn.svm import SVC

N, D = 150, 4
draw = np.random.default_rng(11)
x = np.round(draw.normal(size=(N, D)) * [1, 3, 0.2, 1] + [0, 5, 0, -2], 4)
score = x @ np.array([[0.8, -1, 0.3], [-0.3, 0.2, 0.1], [2, -3, 0], [0, 0, 0.4]]) + draw.gumbel(size=(N, 3))
two = (score[:, 0] > score[:, 1]).astype(float)
three = score.argmax(axis=1).astype(float)
number = np.round(x @ [1, -0.5, 4, 0] + 2.5 + draw.normal(size=N), 4)
far = number.copy()
far[::30] += 40
weight = 1.0 + draw.integers(0, 3, N)
fraction = np.round(draw.uniform(0.2, 2, N), 3)
sd = x.std(axis=0, ddof=1)
out = []


def put(name, *arrays):
    values = ", ".join(repr(float(v)) for a in arrays for v in np.ravel(a))
    out.append(f"static const double golden_{name}[] = {{{values}}};")


def logistic(name, y, lam=0.0, l1=0.0, std=True, w=None, icpt=True):
    """coefficients, then intercepts"""
    scale = sd if std else np.ones(D)
    total = N if w is None else w.sum()
    args = {"C": 1 / (lam * total) if lam else np.inf, "fit_intercept": icpt, "max_iter": 500000}
    if l1:
        m = LogisticRegression(solver="saga", l1_ratio=l1, tol=1e-13, **args)
    else:
        m = LogisticRegression(solver="newton-cholesky" if len(set(y)) == 2 else "lbfgs", tol=1e-13, **args)
    m.fit(x / scale, y, sample_weight=w)
    coef, b = m.coef_ / scale, m.intercept_
    if len(b) > 1:
        b = b - b.mean()
    if len(b) > 1 and not lam:
        coef = coef - coef.mean(axis=0)
    put(name, coef, b)


put("x", x)
put("two", two)
put("three", three)
put("number", number)
put("far", far)
put("weight", weight)
put("fraction", fraction)
logistic("plain", two)
logistic("plain_no_intercept", two, icpt=False)
logistic("ridge", two, 0.1)
logistic("ridge_as_is", two, 0.1, std=False)
logistic("elastic", two, 0.05, 0.5)
logistic("lasso_as_is", two, 0.05, 1.0, std=False)
logistic("weighted", two, 0.0, w=fraction)
logistic("weighted_as_is", two, 0.1, std=False, w=fraction)
logistic("multi_plain", three)
logistic("multi_ridge", three, 0.05)
logistic("multi_elastic", three, 0.03, 0.4)

m = LinearRegression().fit(x, number)
put("ols", m.coef_, m.intercept_)
m = LinearRegression().fit(x, number, sample_weight=fraction)
put("ols_weighted", m.coef_, m.intercept_)
m = LinearRegression(fit_intercept=False).fit(x, number)
put("ols_no_intercept", m.coef_)
m = Ridge(alpha=0.1 * N, solver="cholesky").fit(x / sd, number)
put("lr_ridge", m.coef_ / sd, m.intercept_)
m = Ridge(alpha=0.1 * N, solver="cholesky").fit(x, number)
put("lr_ridge_as_is", m.coef_, m.intercept_)
m = ElasticNet(alpha=0.2, l1_ratio=1.0, tol=1e-14, max_iter=10**6).fit(x / sd, number)
put("lr_lasso", m.coef_ / sd, m.intercept_)
m = ElasticNet(alpha=0.2, l1_ratio=0.4, tol=1e-14, max_iter=10**6).fit(x, number)
put("lr_elastic_as_is", m.coef_, m.intercept_)
m = HuberRegressor(epsilon=1.35, alpha=0.0, tol=1e-10, max_iter=100000).fit(x, far)
put("huber", m.coef_, m.intercept_, m.scale_)
m = HuberRegressor(epsilon=1.35, alpha=0.1 * N, tol=1e-10, max_iter=100000).fit(x, far)
put("huber_ridge_as_is", m.coef_, m.intercept_, m.scale_)
m = SVC(kernel="linear", C=1 / (0.05 * N), tol=1e-10).fit(x / sd, two)
put("svc", m.coef_ / sd, m.intercept_)

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "800m")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
columns = ["features", "two", "three", "number", "weight", "fraction"]
rows = zip(x, two, three, number, weight, fraction, strict=True)
frame = spark.createDataFrame([(Vectors.dense(r[0]), *map(float, r[1:])) for r in rows], columns)
TIGHT = {"tol": 1e-12, "maxIter": 2000}


def spark_logistic(name, label, **params):
    m = SparkLogistic(labelCol=label, **params, **TIGHT).fit(frame)
    put(name, m.coefficientMatrix.toArray(), m.interceptVector.toArray())


spark_logistic("spark_ridge", "two", regParam=0.1)
spark_logistic("spark_elastic", "two", regParam=0.05, elasticNetParam=0.5)
spark_logistic("spark_lasso_as_is", "two", regParam=0.05, elasticNetParam=1.0, standardization=False)
spark_logistic("spark_weighted", "two", regParam=0.05, weightCol="fraction")
spark_logistic("spark_multi_plain", "three")
spark_logistic("spark_multi_ridge", "three", regParam=0.05)
spark_logistic("spark_family", "two", regParam=0.05, family="multinomial")
m = SparkLinear(labelCol="number", solver="normal").fit(frame)
put("spark_ols", m.coefficients.toArray(), m.intercept)
put("spark_errors", m.summary.coefficientStandardErrors)
put("spark_t", m.summary.tValues)
put("spark_p", m.summary.pValues)
# Spark's ridge divides by the label's deviation: the documented objective is had by undoing it
m = SparkLinear(labelCol="number", solver="l-bfgs", regParam=0.1 * number.std(ddof=1), **TIGHT).fit(frame)
put("spark_lr_ridge", m.coefficients.toArray(), m.intercept)
m = SparkSVC(labelCol="two", regParam=0.05, **TIGHT).fit(frame)
put("spark_svc", m.coefficients.toArray(), m.intercept)
spark.stop()

print("/* SPDX-License-Identifier: Apache-2.0 */")
print("/* Made by make_golden.py from scikit-learn and Spark; do not edit. */")
print("/* clang-format off */")
print("#ifndef GM_GOLDEN_LINEAR_H\n#define GM_GOLDEN_LINEAR_H")
print(f"enum {{ GOLDEN_N = {N}, GOLDEN_D = {D} }};")
for line in out:
    head, values = line.split("{")
    print(head + "{")
    row = ""
    for v in values.rstrip("};").split(", "):
        if len(row) + len(v) > 100:
            print("    " + row.rstrip())
            row = ""
        row += v + ", "
    print("    " + row.rstrip(", ") + "};")
print("#endif")
