# SPDX-License-Identifier: Apache-2.0
"""Makes the data of the benchmarks: python gen.py FOLDER. Files that are there are kept.

clicks   1,000,000 rows: 10 numeric columns of different scale with 5 % gaps, 6 text columns of 4 .. 5000
         levels (Zipf), a binary label; the logit is linear in a mild transform of the numbers plus an effect
         per level
large    the rows of clicks.csv six times over, for training beyond the memory limit
levels   200,000 rows with 200,000 distinct texts, two numbers and a label
wide     50,000 rows of 300 text columns of 20 levels and a label
flowers  150 rows, 4 numbers, 3 classes
"""

import pathlib
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

CARDS = [4, 10, 50, 200, 1000, 5000]
WEIGHTS = np.array([0.6, -0.5, 0.4, -0.3, 0.3, 0.25, -0.25, 0.2, 0.15, -0.1])


def click_numbers(z):
    return {
        "n0": z[:, 0],
        "n1": z[:, 1] * 1000 + 500,  # large scale
        "n2": np.exp(z[:, 2]),  # lognormal
        "n3": np.exp(1.5 * z[:, 3]) * 10,  # heavy tail
        "n4": np.floor(np.exp(1 + z[:, 4])),  # skewed counts
        "n5": z[:, 5] * 0.001,  # tiny scale
        "n6": 1 / (1 + np.exp(-z[:, 6])),  # between 0 and 1
        "n7": np.abs(z[:, 7]) ** 2 * 100,
        "n8": np.round(z[:, 8] * 3 + 40),  # whole numbers
        "n9": 1e6 + z[:, 9] * 1e5,  # large offset
    }


def clicks(folder, n=1_000_000):
    rng = np.random.default_rng(20260)
    z = rng.standard_normal((n, 10))
    cols = click_numbers(z)
    logit = z @ WEIGHTS
    for k, c in enumerate(CARDS):
        p = 1.0 / np.arange(1, c + 1) ** 1.1
        p /= p.sum()
        v = rng.choice(c, size=n, p=p)
        eff = rng.standard_normal(c) * 0.55
        logit = logit + eff[v]
        names = np.array([f"c{k}_{x:05x}" for x in rng.permutation(c * 7)[:c]])
        cols[f"c{k}"] = names[v]
    logit = 1.22 * (logit - logit.mean()) - 0.8
    y = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(np.int32)
    for j in range(10):
        cols[f"n{j}"] = np.where(rng.random(n) < 0.05, np.nan, cols[f"n{j}"])
    df = pd.DataFrame({"label": y, **cols})
    for j in range(10):
        df[f"n{j}"] = df[f"n{j}"].round(6)
    t = pa.Table.from_pandas(df, preserve_index=False)
    pq.write_table(t, folder / "clicks.parquet", row_group_size=100_000)
    df.to_csv(folder / "clicks.csv", index=False)
    # One fixed cut for judging the quality of the coefficients: the same rows for everyone.
    test = np.random.default_rng(42).random(n) < 0.2
    for name, part in (("clicks_train", df[~test]), ("clicks_test", df[test])):
        pq.write_table(pa.Table.from_pandas(part, preserve_index=False), folder / f"{name}.parquet")


def large(folder):
    with open(folder / "clicks.csv", "rb") as f:
        head = f.readline()
        body = f.read()
    with open(folder / "large.csv", "wb") as f:
        f.write(head)
        for _ in range(6):
            f.write(body)


def levels(folder, n=200_000):
    rng = np.random.default_rng(20270)
    x = rng.standard_normal((n, 2))
    y = (rng.random(n) < 1 / (1 + np.exp(-x @ [1.0, -0.5]))).astype(np.int32)
    ids = [f"user-{k:06d}" for k in rng.permutation(n)]
    pd.DataFrame({"label": y, "x0": x[:, 0], "x1": x[:, 1], "user": ids}).round(6).to_csv(
        folder / "levels.csv", index=False
    )


def wide(folder, n=50_000, cols=300):
    rng = np.random.default_rng(20271)
    names = np.array([f"level{k}" for k in range(20)])
    draw = {f"t{j}": names[rng.integers(0, 20, n)] for j in range(cols)}
    pq.write_table(pa.table({"label": rng.integers(0, 2, n), **draw}), folder / "wide.parquet")


def flowers(folder):
    rng = np.random.default_rng(20272)
    centre = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
    kind = np.repeat([0, 1, 2], 50)
    x = centre[kind] + rng.standard_normal((150, 4)) * 0.3
    df = pd.DataFrame(x.round(1), columns=["sepal_length", "sepal_width", "petal_length", "petal_width"])
    df["species"] = np.array(["setosa", "versicolor", "virginica"])[kind]
    df.to_csv(folder / "flowers.csv", index=False)


MADE = {
    clicks: ["clicks.csv", "clicks.parquet", "clicks_train.parquet", "clicks_test.parquet"],
    large: ["large.csv"],
    levels: ["levels.csv"],
    wide: ["wide.parquet"],
    flowers: ["flowers.csv"],
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make, files in MADE.items():
        if not all((folder / name).exists() for name in files):
            make(folder)


if __name__ == "__main__":
    main()
