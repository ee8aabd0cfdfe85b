# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of the guides run, from top to bottom, in a folder with the files they name."""

import random
import re

import pytest
from conftest import ROOT

PAGES = ["python.md", "guide-spark.md", "guide-sklearn.md"]


def flights(path):
    draw = random.Random(1)
    lines = ["day,hour,carrier,origin,distance,wind_gust,dep_delay,late"]
    for i in range(2000):
        hour, carrier = draw.randint(5, 23), draw.choice(["UA", "B6", "EV", "DL", "UA"])
        delay = draw.gauss(0, 20) + hour + (8 if carrier == "EV" else 0)
        gust = "" if i % 9 == 0 else f"{draw.uniform(0, 40):.1f}"
        origin, distance = draw.choice(["JFK", "LGA", "EWR"]), draw.randint(90, 2500)
        lines.append(f"{i % 60},{hour},{carrier},{origin},{distance},{gust},{delay:.1f},{int(delay > 18)}")
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch, capsys):
    flights(tmp_path / "flights.csv")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text()
    blocks = [(m.start(), m.group(1)) for m in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)]
    assert len(blocks) >= 4
    names = {"__name__": "__docs__"}
    for start, block in blocks:
        line = text.count("\n", 0, start) + 1
        exec(compile("\n" * line + block, f"docs/{page}", "exec"), names)
    assert "\x1b" not in capsys.readouterr().out
