# SPDX-License-Identifier: Apache-2.0
"""Credentials in a pipeline's source reach neither the model nor the report, nor what the command prints."""

from test_cli import gristmill

PIPELINE = """
source:
  tables: {shop: {path: x.csv}}
  sql: >
    SELECT *, 'https://ann:geheim1@host/x?sig=geheim2' AS link FROM shop
    WHERE 'password=geheim3' <> '' AND 'secret_key: geheim4' <> ''
stages:
  - VectorAssembler: {inputCols: [a], outputCol: features}
  - LogisticRegression: {labelCol: y}
"""


def test_a_source_keeps_its_secrets(tmp_path):
    (tmp_path / "x.csv").write_text("a,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(60)))
    (tmp_path / "p.yaml").write_text(PIPELINE)
    trained = gristmill("train", "p.yaml", cwd=tmp_path)
    shown = gristmill("inspect", "p.gm", "--json", cwd=tmp_path)
    assert (trained.returncode, shown.returncode) == (0, 0), trained.stderr + shown.stderr
    files = [(tmp_path / name).read_bytes().decode("latin-1") for name in ("p.gm", "p.html")]
    for text in [*files, trained.stdout, trained.stderr, shown.stdout]:
        assert "geheim" not in text
    assert "host/x?sig=***" in shown.stdout


def test_an_address_that_fails_is_told_without_them(tmp_path):
    done = gristmill("sql", "SELECT * FROM 'https://ann:geheim@localhost:1/x.csv?token=geheim'", cwd=tmp_path)
    assert done.returncode != 0
    assert done.stderr.startswith("gristmill: ") and "geheim" not in done.stderr
