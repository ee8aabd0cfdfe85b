#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes features.inc: what scikit-learn makes of a small matrix, where it and Spark mean the same.

StandardScaler divides by n in scikit-learn and by n - 1 in Spark, so its result is scaled;
its idf adds 1 to Spark's.
"""

from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler, TargetEncoder

rng = np.random.default_rng(20130101)
n, width = 24, 4
x = rng.normal(size=(n, width)) * [1, 1e-3, 50, 1] + [0, 7, 1e4, -1]
x[rng.random((n, width)) < 0.2] = 0
counts = rng.poisson(0.7, size=(n, width)).astype(float)
category = rng.integers(0, 4, size=(n, 1)).astype(float)
y = rng.normal(size=n).round(3) + category[:, 0]
target = TargetEncoder(smooth=5.0, target_type="continuous").fit(category, y)

arrays = {
    "golden_x": x,
    "golden_standard": StandardScaler().fit_transform(x) * np.sqrt((n - 1) / n),
    "golden_min_max": MinMaxScaler(feature_range=(-1, 3)).fit_transform(x),
    "golden_max_abs": MaxAbsScaler().fit_transform(x),
    "golden_normal": Normalizer().fit_transform(x),
    "golden_counts": counts,
    "golden_idf": TfidfTransformer(norm=None).fit(counts).idf_ - 1,
    "golden_category": category,
    "golden_y": y,
    "golden_target": np.array([target.encodings_[0][int(c)] for c in category[:, 0]]),
}
out = f"/* made by features.py */\nenum {{ GOLDEN_ROWS = {n}, GOLDEN_WIDTH = {width} }};\n"
for name, a in arrays.items():
    # Inputs stand column by column, as the stage reads them; results row by row.
    flat = (a.T if name in ("golden_x", "golden_counts") else a).ravel()
    out += f"static const double {name}[] = {{\n"
    out += "".join(f"    {v!r},\n" for v in flat.tolist()) + "};\n"
Path(__file__).with_suffix(".inc").write_text(out)
