# SPDX-License-Identifier: Apache-2.0
"""Parameters: Spark's accessors, scikit-learn's words, checks, copies, text."""

import pickle

import gristmill as gm
import numpy as np
import pytest


def test_accessors_and_aliases():
    lr = gm.LogisticRegression(maxIter=7, reg_param=0.5, featuresCol="f")
    assert lr.getMaxIter() == 7 and lr.getRegParam() == 0.5 and lr.getFeaturesCol() == "f"
    assert lr.setMaxIter(9) is lr and lr.getMaxIter() == 9
    assert lr.getLabelCol() == "label" and not lr.isSet("labelCol") and lr.isSet(lr.maxIter)
    assert lr.maxIter.name == "maxIter" and lr.maxIter.parent == lr.uid and lr.maxIter.doc
    assert lr.hasParam("maxIter") and not lr.hasParam("nothing") and lr.isDefined("labelCol")
    assert lr.clear(lr.maxIter).getMaxIter() == gm.LogisticRegression().getMaxIter()
    assert lr.set(lr.maxIter, 3).getOrDefault("maxIter") == 3
    assert repr(lr) == "LogisticRegression(regParam=0.5, featuresCol='f', maxIter=3)"
    assert [p.name for p in lr.params] == sorted(lr._rows)
    assert lr.uid.startswith("LogisticRegression_") and lr.uid != gm.LogisticRegression().uid


def test_explain_and_maps():
    lr = gm.LogisticRegression(maxIter=7)
    assert "current: 7" in lr.explainParam("maxIter") and "default: 100" in lr.explainParam(lr.maxIter)
    assert len(lr.explainParams().splitlines()) == len(lr._rows)
    found = lr.extractParamMap({lr.regParam: 0.3})
    assert found[lr.maxIter] == 7 and found[lr.regParam] == 0.3 and found[lr.getParam("labelCol")] == "label"
    other = lr.copy({lr.maxIter: 2, "regParam": 0.1})
    assert other.uid == lr.uid and other.getMaxIter() == 2 and lr.getMaxIter() == 7


def test_wrong_names_and_values():
    with pytest.raises(gm.ParamError, match="did you mean 'maxIter'"):
        gm.LogisticRegression(maxiter2=3)
    with pytest.raises(ValueError, match="expected int"):
        gm.LogisticRegression(maxIter="many")
    with pytest.raises(gm.ParamError, match="one of auto"):
        gm.LogisticRegression(family="normal")
    with pytest.raises(gm.ParamError, match="expected list"):
        gm.VectorAssembler(inputCols=[1, 2])
    with pytest.raises(TypeError):
        gm.LogisticRegression(5)
    with pytest.raises(gm.ParamError):  # the library's own check, when used
        gm.LogisticRegression(regParam=-1).fit({"features": [[1.0], [2.0]], "label": [0, 1]})


def test_numpy_values_are_fine():
    lr = gm.LogisticRegression(maxIter=np.int64(4), regParam=np.float32(0.5), thresholds=np.array([0.3, 0.7]))
    assert lr.getMaxIter() == 4 and type(lr.getMaxIter()) is int and lr.getThresholds() == [0.3, 0.7]
    assert gm.VectorAssembler(inputCols=np.array(["a", "b"])).getInputCols() == ["a", "b"]
    assert gm.LogisticRegression(maxIter=5.0).getMaxIter() == 5


def test_sklearn_words():
    from sklearn.base import clone

    lr = gm.LogisticRegression(sample_weight="w", class_weight={0: 1.0, 1: 3.0}, max_iter=5)
    assert lr.getWeightCol() == "w" and lr.get_params()["class_weight"] == {0: 1.0, 1: 3.0}
    assert lr.get_params()["maxIter"] == 5 and lr.get_params()["labelCol"] == "label"
    assert lr.set_params(regParam=0.25, class_weight=None) is lr and lr.getRegParam() == 0.25
    twin = clone(lr)
    assert type(twin) is type(lr) and twin.get_params() == lr.get_params() and twin.uid != lr.uid
    with pytest.raises(gm.ParamError, match="fit"):
        gm.LogisticRegression(sample_weight=[1, 2])
    with pytest.raises(gm.ParamError):
        gm.LogisticRegression(class_weight="heavy")


def test_pickle_stage():
    lr = gm.LogisticRegression(maxIter=7, class_weight="balanced")
    back = pickle.loads(pickle.dumps(lr))
    assert type(back) is gm.LogisticRegression and back.get_params() == lr.get_params() and back.uid == lr.uid


def pipeline():
    return gm.Pipeline(
        stages=[
            gm.StringIndexer(inputCols=["city"], outputCols=["c"], handleInvalid="keep"),
            gm.VectorAssembler(inputCols=["c", "age"], outputCol="features"),
            gm.LogisticRegression(labelCol="buys", maxIter=20),
        ],
        split=0.2,
        name="people",
    )


def test_pipeline_params():
    p = pipeline()
    assert [type(s).__name__ for s in p.getStages()] == [
        "StringIndexer",
        "VectorAssembler",
        "LogisticRegression",
    ]
    lr = p.stages[2]
    q = p.copy({lr.maxIter: 3})
    assert q.stages[2].getMaxIter() == 3 and lr.getMaxIter() == 20
    p.set_params(**{"2__regParam": 0.5, "StringIndexer__handleInvalid": "skip"})
    assert p.get_params()["2__regParam"] == 0.5 and p.stages[0].getHandleInvalid() == "skip"
    with pytest.raises(gm.ParamError):
        p.set_params(nothing__x=1)
    with pytest.raises(gm.ParamError):
        p.copy({gm.LogisticRegression().maxIter: 3})
    with pytest.raises(gm.StageError, match="not a stage"):
        gm.Pipeline(stages=["LogisticRegression"])
    assert "StringIndexer" in p._repr_html_() and repr(p).startswith("Pipeline(stages=[StringIndexer(")
    assert pickle.loads(pickle.dumps(p))._document() == p._document()


def test_pipeline_text_round_trip(tmp_path):
    p = pipeline()
    text = p.text()
    assert "LogisticRegression" in text and "maxIter: 20" in text
    q = gm.Pipeline.parse(text)
    assert q.text() == text
    assert gm.Pipeline.parse(text, overrides=["LogisticRegression.maxIter=3"]).stages[2].getMaxIter() == 3
    assert "tol" in p.text(full=True)
    path = tmp_path / "p.yaml"
    p.save(path)
    assert gm.load(path).text() == text and gm.Pipeline.load(path).text() == text
    with pytest.raises(gm.FileError, match="exists already"):
        p.write().save(path)
    p.write().overwrite().save(path)
    lr = gm.LogisticRegression(maxIter=4)
    lr.save(tmp_path / "lr.yaml")
    assert gm.LogisticRegression.load(tmp_path / "lr.yaml").getMaxIter() == 4
    assert sorted(f.name for f in tmp_path.iterdir()) == ["lr.yaml", "p.yaml"]
    with pytest.raises(gm.NotFoundError):
        gm.Pipeline.load(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("stages:\n  - LogisticRegresion: {maxIter: 3}\n")
    with pytest.raises(gm.StageError, match="LogisticRegression") as caught:
        gm.Pipeline.load(tmp_path / "bad.yaml")
    assert "bad.yaml:2" in str(caught.value)


def test_explain_shows_the_plan(people):
    text = pipeline().explain(people)
    assert "StringIndexer" in text and "LogisticRegression" in text
    import json

    json.loads(pipeline().explain(people, form="json"))
