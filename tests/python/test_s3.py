# SPDX-License-Identifier: Apache-2.0
"""Files on a storage service that checks every request's signature (make s3)."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
GM = os.environ.get("GRISTMILL_BIN", "gristmill")
SERVICE = os.environ.get("GRISTMILL_S3_PYTHON")
pytestmark = pytest.mark.skipif(not SERVICE, reason="make s3 starts a storage service")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The environment in which the bucket can be read."""
    folder = tmp_path_factory.mktemp("shop")
    rows = "".join(f"{i % 7},{i % 11 / 4},{i * 7919 % 3 == 0}\n" for i in range(3000))
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("x,z,y\n" + rows)
    subprocess.run([GM, "sql", "SELECT * FROM 'a.csv'", "-o", "a.parquet"], cwd=folder, check=True)
    files = [str(p) for p in sorted(folder.iterdir())]
    server = subprocess.Popen(
        [SERVICE, HERE / "s3_server.py", *files],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    told = json.loads(server.stdout.readline())
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    yield {
        **kept,
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{told['port']}/",
        "AWS_ACCESS_KEY_ID": told["key"],
        "AWS_SECRET_ACCESS_KEY": told["secret"],
        "AWS_REGION": "eu-west-1",
    }
    server.communicate("", timeout=30)


def gristmill(*argv, env, cwd=None):
    return subprocess.run([GM, *argv], env=env, cwd=cwd, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize(("path", "rows"), [("a.csv", 3000), ("*.csv", 6000), ("a.parquet", 3000)])
def test_files_and_globs(shop, path, rows):
    done = gristmill("sql", f"SELECT count(*) AS n FROM 's3://shop/{path}'", "--json", env=shop)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == [{"n": rows}]


def test_a_pipeline_reads_its_object_and_keeps_no_key(shop, tmp_path):
    (tmp_path / "p.yaml").write_text("""
source: {tables: {t: {path: 's3://shop/a.parquet'}}, sql: SELECT * FROM t WHERE x > 0}
stages:
  - VectorAssembler: {inputCols: [x, z], outputCol: features}
  - LogisticRegression: {labelCol: y}
""")
    done = gristmill("train", "p.yaml", env=shop, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("p.gm", "p.html"):
        text = (tmp_path / name).read_bytes()
        assert shop["AWS_SECRET_ACCESS_KEY"].encode() not in text
        assert shop["AWS_ACCESS_KEY_ID"].encode() not in text


def test_python_reads_it_too(shop):
    code = "import gristmill as gm; print(gm.read_csv('s3://shop/a.csv').count())"
    done = subprocess.run([sys.executable, "-c", code], env=shop, capture_output=True, text=True, timeout=100)
    assert done.stdout == "3000\n", done.stderr


def test_what_is_refused_says_why(shop):
    for change, status, words in (
        ({"AWS_SECRET_ACCESS_KEY": "wrong"}, 6, "AWS_SECRET_ACCESS_KEY"),
        ({"AWS_ACCESS_KEY_ID": "nobody"}, 6, "AWS_ACCESS_KEY_ID"),
        ({"AWS_ENDPOINT_URL": "shop.example"}, 2, "https://HOST"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, 6, "can be reached"),
    ):
        done = gristmill("sql", "SELECT * FROM 's3://shop/a.csv'", env={**shop, **change})
        assert done.returncode == status, (change, done.returncode, done.stderr)
        assert "  hint: " in done.stderr and words in done.stderr
        assert shop["AWS_SECRET_ACCESS_KEY"] not in done.stderr
    done = gristmill("sql", "SELECT * FROM 's3://shop/none.csv'", env=shop)
    assert done.returncode != 0 and "none.csv" in done.stderr
