# SPDX-License-Identifier: Apache-2.0
"""Data in and out: pandas, polars, pyarrow, DuckDB and anything with the Arrow PyCapsule interface."""

import datetime as dt

import duckdb
import gristmill as gm
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

IDS = [9007199254740993, None, 9007199254740992]


def frames():
    arrow = pa.table({"id": pa.array(IDS, pa.int64()), "s": ["a", None, "c"], "f": [0.5, None, 2.5]})
    return {
        "pyarrow": arrow,
        "batches": pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches(max_chunksize=2)),
        "batch": arrow.to_batches()[0],
        "polars": pl.DataFrame(arrow),
        "lazy": pl.DataFrame(arrow).lazy(),
        "pandas": pd.DataFrame(
            {"id": pd.array(IDS, dtype="Int64"), "s": ["a", None, "c"], "f": [0.5, None, 2.5]}
        ),
        "duckdb": duckdb.from_arrow(arrow),
        "capsules only": Capsules(arrow),
        "array only": OneBatch(arrow.to_batches()[0]),
        "dict": {"id": IDS, "s": ["a", None, "c"], "f": [0.5, None, 2.5]},
    }


class Capsules:
    def __init__(self, arrow):
        self.arrow = arrow

    def __arrow_c_stream__(self, requested_schema=None):
        return self.arrow.__arrow_c_stream__(requested_schema)


class OneBatch:
    def __init__(self, batch):
        self.batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


@pytest.mark.parametrize("kind", list(frames()))
def test_in(kind):
    t = gm.table(frames()[kind])
    assert t.columns == ["id", "s", "f"]
    for _ in range(2):  # a table is read as often as one likes
        assert t.to_dict() == {"id": IDS, "s": ["a", None, "c"], "f": [0.5, None, 2.5]}
    assert t.filter("id = 9007199254740993").count() == 1


def test_out_is_exact():
    t = gm.table(
        {"id": IDS, "n": [1, 2, 3], "s": ["a", None, "c"], "f": [0.5, None, 2.5], "b": [True, False, None]}
    )
    arrow = t.to_arrow()
    assert arrow.column("id").to_pylist() == IDS and arrow.schema.field("id").type == pa.int64()
    frame = t.to_pandas()
    assert frame["id"].dtype == "Int64" and [None if pd.isna(v) else int(v) for v in frame["id"]] == IDS
    assert frame["n"].dtype == "int64" and frame["f"].dtype == "float64"
    assert t.to_polars()["id"].to_list() == IDS
    assert t.to_numpy("id").tolist() == IDS
    assert t.to_numpy("n").dtype == np.int64 and np.isnan(t.to_numpy("f")[1])
    assert t.to_numpy("n", "f").shape == (3, 2)
    assert pl.DataFrame(t).to_dict(as_series=False) == t.to_dict()
    assert pa.table(t).to_pydict() == t.to_dict()
    assert pa.RecordBatchReader.from_stream(t).read_all().num_rows == 3
    assert duckdb.sql("SELECT max(id) FROM arrow").fetchone()[0] == IDS[0]


def test_duckdb_reads_a_table():
    t = gm.table({"x": list(range(5000))})
    reader = pa.RecordBatchReader.from_stream(t)  # noqa: F841  (DuckDB finds it by name)
    assert duckdb.sql("SELECT sum(x) FROM reader").fetchone()[0] == 12497500


def test_many_batches():
    n = 300_000
    t = gm.table({"x": np.arange(n), "s": [f"v{i % 1000}" for i in range(n)]})
    assert t.count() == n
    assert t.to_polars()["x"].sum() == n * (n - 1) // 2
    assert t.to_numpy("x").sum() == n * (n - 1) // 2
    assert t.to_arrow().num_rows == n
    assert len(set(t.select("s").to_dict()["s"])) == 1000


def test_pandas_frames_as_people_have_them():
    frame = pd.DataFrame({"x": [3, 1, 2], "c": pd.Categorical(["u", "v", "u"])}, index=[10, 20, 30])
    t = gm.table(frame[frame["x"] > 1])
    assert t.columns == ["x", "c"] and t.to_dict() == {"x": [3, 2], "c": ["u", "u"]}
    assert gm.table(pd.DataFrame({0: [1], 1: [2]})).columns == ["0", "1"]
    assert gm.table(pd.Series([1, 2], name="s")).to_dict() == {"s": [1, 2]}
    with pytest.raises(gm.SchemaError, match="several columns named x"):
        gm.table(pd.DataFrame([[1, 2]], columns=["x", "x"]))
    with pytest.raises(gm.DataError, match="one type"):
        gm.table(pd.DataFrame({"m": [1, "a", dt.date(2024, 1, 1)]}))
    moments = pd.DataFrame({"t": pd.to_datetime(["2024-01-01 10:00", None])})
    assert gm.table(moments).to_dict() == {"t": [dt.datetime(2024, 1, 1, 10), None]}


def test_pandas_without_pyarrow(run):
    code = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd, gristmill as gm
f = pd.DataFrame({"i": [1, 2, 3], "f": [0.5, None, 2.5], "s": ["a", None, "c"], "b": [True, False, True],
                  "t": pd.to_datetime(["2024-01-01", None, "2024-01-03"]), "n": pd.array([1, None,
                  9007199254740993], dtype="Int64")})
t = gm.table(f)
print(t.to_dict())
back = t.to_pandas()
print(back["n"].tolist(), back["f"].tolist())
"""
    out = run(code)
    assert out.returncode == 0, out.stderr
    assert (
        "'n': [1, None, 9007199254740993]" in out.stdout and "9007199254740993]" in out.stdout.splitlines()[1]
    )


def test_numpy_in():
    t = gm.table(np.arange(6.0).reshape(3, 2))
    assert t.columns == ["x0", "x1"] and t.to_numpy("x0", "x1").tolist() == [[0, 1], [2, 3], [4, 5]]
    t = gm.table({"i": np.array([1, 2], "i4"), "u": np.array([1, 2], "u8"), "h": np.array([1.5, 2], "f2"),
                  "b": np.array([True, False]), "d": np.array(["2024-01-01", "NaT"], "M8[D]"),
                  "s": np.array(["a", "bc"]), "v": np.array([[1.0, 2.0], [3.0, 4.0]])})  # fmt: skip
    assert t.to_dict() == {
        "i": [1, 2], "u": [1, 2], "h": [1.5, 2.0], "b": [True, False], "d": [dt.date(2024, 1, 1), None],
        "s": ["a", "bc"], "v": [[1.0, 2.0], [3.0, 4.0]],
    }  # fmt: skip
    structured = np.array([(1, 2.5)], dtype=[("a", "i8"), ("b", "f8")])
    assert gm.table(structured).to_dict() == {"a": [1], "b": [2.5]}


def test_what_is_no_table():
    for thing in (42, None, object(), [1, 2], lambda: 1):
        with pytest.raises(gm.UsageError, match="is not a table"):
            gm.table(thing)
    with pytest.raises(gm.DataError, match="different lengths"):
        gm.table({"a": [1], "b": [1, 2]})
    with pytest.raises(gm.DataError, match="'a'"):
        gm.table({"a": [1, "x"]})
    with pytest.raises(gm.DataError, match="exact"):
        gm.table({"a": [9007199254740993, 0.5]})
    with pytest.raises(gm.SchemaError):
        gm.table({})


def test_capsule_is_single_use_and_released():
    t = gm.table({"x": [1, 2, 3]})
    capsule = t.__arrow_c_stream__()
    assert type(capsule).__name__ == "PyCapsule"
    del capsule  # never consumed

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return t.__arrow_c_stream__()

    for _ in range(50):
        assert pa.table(Once()).num_rows == 3


def test_batches_outlive_everything():
    t = gm.table({"x": list(range(10_000)), "s": [str(i) for i in range(10_000)]})
    arrow = t.filter("x % 2 = 0").to_arrow()
    del t
    import gc

    gc.collect()
    assert arrow.column("s")[4999].as_py() == "9998"


def test_source_frame_may_go():
    frame = pl.DataFrame({"x": list(range(1000))})
    t = gm.table(frame)
    del frame
    import gc

    gc.collect()
    assert t.count() == 1000 and t.agg(gm.F.sum("x")).first()[0] == 499500
