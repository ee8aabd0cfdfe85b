# SPDX-License-Identifier: Apache-2.0
"""What a call takes: resident memory of a process of its own, passes over the rows, and the limit."""

import json

import gristmill as gm
import pytest

PEAK = """
def peak():
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmHWM"))
"""


@pytest.mark.parametrize(
    ("options", "says"),
    [("{}", "a number is needed"), ("{'types': {'a': 'BIGINT'}}", "which is no BIGINT")],
)
def test_a_column_with_many_misfits_takes_no_memory_for_them(options, says, run, tmp_path):
    """Numbers beyond what the first look sees, then 600,000 words: the first of them is told."""
    numbers = "".join(f"{i},{i % 2}\n" for i in range(200_000))
    (tmp_path / "late.csv").write_text("a,y\n" + numbers + "word,1\n" * 600_000)
    out = run(
        PEAK
        + f"""
import gristmill as gm
gm.config(threads=2, progress=False)
t = gm.read_csv({str(tmp_path / "late.csv")!r}, **{options})
stages = [gm.VectorAssembler(inputCols=["a"], outputCol="f"),
          gm.LogisticRegression(featuresCol="f", labelCol="y", maxIter=2)]
try:
    gm.Pipeline(stages=stages).fit(t)
except gm.DataError as e:
    print(e)
print(peak())
"""
    )
    assert out.returncode == 0, out.stderr
    said, megabytes = out.stdout.strip().rsplit("\n", 1)
    assert says in said and ":200002: column 'a'" in said and "'word'" in said, said
    assert float(megabytes) < 350, megabytes  # a list of the misfits takes 700 MB more


FIT = """
import hashlib, json, sys
import gristmill as gm
events = []
memory, query, text, numbers = json.loads(sys.argv[1])
gm.config(threads=2, progress=False, on_event=events.append, **({"memory": memory} if memory else {}))
stages = [gm.StringIndexer(inputCol=text, outputCol="x"), gm.OneHotEncoder(inputCol="x", outputCol="o"),
          gm.VectorAssembler(inputCols=[*numbers, "o"], outputCol="f"),
          gm.LogisticRegression(featuresCol="f", labelCol="y", maxIter=3, regParam=0.01)]
try:
    model = gm.Pipeline(stages=stages).fit(gm.sql(query))
except gm.MemoryLimitError as e:
    sys.exit(f"MemoryLimitError: {e}")
learnt = model.stages[-1]
values = [float(v).hex() for v in [*learnt.coefficients, learnt.intercept]]
print(json.dumps({"values": hashlib.sha256(repr(values).encode()).hexdigest(), "n": len(values),
                  "codes": [e["code"] for e in events], "fit": model.info["fit"]}))
"""


@pytest.fixture
def fit(run):
    """Fits numbers and a one-hot text in a process of its own, under a limit: fit(memory, query, ...)."""

    def start(memory, query, text, numbers):
        code = FIT.replace("sys.argv[1]", repr(json.dumps([memory, query, text, numbers])))
        return run(code, timeout=60)

    return start


def done(out):
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


@pytest.mark.parametrize("levels", [100_000, 200_000])
def test_one_hot_memory_grows_with_rows_and_not_with_rows_times_levels(levels, fit):
    """The budget refuses what is over the limit, so a fit that ends without the disk never took more. The
    limit is 800 bytes a row; rows x levels would be 320 GB."""
    query = f"SELECT 'level ' || range AS k, (range * 31 % 100 > 40)::INT AS y FROM range({levels})"
    got = done(fit(levels * 800, query, "k", []))
    assert got["n"] >= levels and got["fit"]["rows"]["read"] == levels
    assert got["fit"]["bytes"]["onDisk"] == 0 and "hold.spill" not in got["codes"]
    assert got["fit"]["bytes"]["rows"] + got["fit"]["bytes"]["blocks"] < 60 * levels


def test_300_indexed_columns_take_one_scan_and_one_pass():
    columns = ", ".join(f"'v' || ((range + {j}) % {5 + j % 13}) AS c{j}" for j in range(300))
    events = []
    gm.config(on_event=events.append)
    try:
        stages = [gm.StringIndexer(inputCol=f"c{j}", outputCol=f"x{j}") for j in range(300)]
        model = gm.Pipeline(stages=stages).fit(gm.sql(f"SELECT {columns} FROM range(3000)"))
    finally:
        gm.config(on_event=None)
    codes = [e["code"] for e in events]
    assert codes.count("scan.begin") == 1 and codes.count("scan.done") == 1
    assert codes.count("fit.round") == 1
    assert model.info["fit"]["scans"] == 1 and model.info["fit"]["passes"] == 2  # the scan is one of them
    assert [len(s.labels) for s in model.stages] == [5 + j % 13 for j in range(300)]


LIMIT = 16_000_000
MORE = (
    "SELECT (range * 7919 % 1000) / 10.0 AS a, (range * 104729 % 99991) / 7.0 AS b, range % 97 / 3.0 AS c, "
    "'k' || (range % 50) AS k, ((range * 31 % 100) + (range % 97) > 90)::INT AS y FROM range(1800000)"
)


def test_rows_of_four_times_the_limit_train_to_the_same_bits_from_disk(fit):
    limited, enough = (done(fit(memory, MORE, "k", ["a", "b", "c"])) for memory in (LIMIT, None))
    assert limited["fit"]["bytes"]["rows"] > 4 * LIMIT, limited["fit"]["bytes"]
    assert limited["fit"]["bytes"]["onDisk"] > 3 * LIMIT and "hold.spill" in limited["codes"]
    assert enough["fit"]["bytes"]["onDisk"] == 0 and "hold.spill" not in enough["codes"]
    assert limited["values"] == enough["values"] and limited["n"] == enough["n"]


def test_a_limit_below_the_minimum_is_an_error_that_says_so(fit):
    out = fit(1_000_000, MORE, "k", ["a", "b", "c"])
    assert out.returncode == 1 and "MemoryLimitError" in out.stderr
    assert "the memory limit" in out.stderr and "raise the memory limit" in out.stderr, out.stderr
