# SPDX-License-Identifier: Apache-2.0
"""The J1 job in Spark MLlib on local[2]: python j1_spark.py DATA"""

import json
import sys

from pyspark.ml import Pipeline
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import Imputer, OneHotEncoder, StandardScaler, StringIndexer, VectorAssembler
from pyspark.sql import SparkSession

NUM = [f"n{i}" for i in range(10)]
CAT = [f"c{i}" for i in range(6)]


def main():
    spark = SparkSession.builder.master("local[2]").config("spark.driver.memory", "8g").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    df = spark.read.csv(f"{sys.argv[1]}/clicks.csv", header=True, inferSchema=True)
    train, test = df.randomSplit([0.8, 0.2], seed=42)
    train = train.cache()
    features = Pipeline(
        stages=[
            Imputer(strategy="mean", inputCols=NUM, outputCols=[c + "_i" for c in NUM]),
            StringIndexer(inputCols=CAT, outputCols=[c + "_x" for c in CAT], handleInvalid="keep"),
            OneHotEncoder(inputCols=[c + "_x" for c in CAT], outputCols=[c + "_o" for c in CAT]),
            VectorAssembler(inputCols=[c + "_i" for c in NUM], outputCol="nv"),
            StandardScaler(inputCol="nv", outputCol="ns", withMean=True, withStd=True),
            VectorAssembler(inputCols=["ns"] + [c + "_o" for c in CAT], outputCol="features"),
        ]
    ).fit(train)
    learner = LogisticRegression(maxIter=100, featuresCol="features", labelCol="label")
    model = learner.fit(features.transform(train))
    scored = model.transform(features.transform(test))
    auc = BinaryClassificationEvaluator(labelCol="label").evaluate(scored)
    iterations, width = model.summary.totalIterations, model.numFeatures
    spark.stop()
    print(json.dumps({"auc": auc, "iterations": iterations, "features": width}))


if __name__ == "__main__":
    main()
