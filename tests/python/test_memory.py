# SPDX-License-Identifier: Apache-2.0
"""What a call takes: resident memory of a process of its own, passes over the rows, and the limit."""

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
