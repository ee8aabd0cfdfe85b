# SPDX-License-Identifier: Apache-2.0
"""The J1 job in scikit-learn: python j1_sklearn.py DATA plain|scaled [judge]

plain   as one writes it: mean of the gaps, numbers standardised, one-hot, regression without penalty;
        100 iterations at most, in which it does not converge
scaled  the one-hot columns divided by their deviation as well, which is what makes the solver converge
judge   on the fixed cut clicks_train.parquet / clicks_test.parquet instead of a random one from the CSV file
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

warnings.filterwarnings("ignore")
NUM = [f"n{i}" for i in range(10)]
CAT = [f"c{i}" for i in range(6)]


def main():
    data, how = sys.argv[1], sys.argv[2]
    if "judge" in sys.argv:
        train = pd.read_parquet(f"{data}/clicks_train.parquet")
        test = pd.read_parquet(f"{data}/clicks_test.parquet")
    else:
        df = pd.read_csv(f"{data}/clicks.csv", engine="pyarrow")
        train, test = train_test_split(df, test_size=0.2, random_state=42)
    one_hot = OneHotEncoder(handle_unknown="ignore")
    if how == "scaled":
        one_hot = make_pipeline(one_hot, StandardScaler(with_mean=False))
    features = ColumnTransformer(
        [("n", make_pipeline(SimpleImputer(strategy="mean"), StandardScaler()), NUM), ("c", one_hot, CAT)]
    )
    x = features.fit_transform(train)
    model = LogisticRegression(C=np.inf, solver="lbfgs", max_iter=100, tol=1e-6)
    model.fit(x, train["label"].to_numpy())
    y, s = test["label"].to_numpy(), model.predict_proba(features.transform(test))[:, 1]
    print(
        json.dumps(
            {
                "auc": float(roc_auc_score(y, s)),
                "loss": float(log_loss(y, s)),
                "iterations": int(model.n_iter_[0]),
                "features": x.shape[1],
            }
        )
    )


if __name__ == "__main__":
    main()
