# SPDX-License-Identifier: Apache-2.0
"""The package is imported as it was installed; two threads, a fixed seed and no progress bars."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("TZ", "UTC")


@pytest.fixture(scope="session", autouse=True)
def session():
    import gristmill as gm

    gm.config(threads=2, progress=False)


@pytest.fixture
def run():
    """Runs Python code in a process of its own: run(code) -> CompletedProcess."""

    def start(code, *arguments, timeout=120, **options):
        return subprocess.run(
            [sys.executable, *arguments, "-c", code],
            capture_output=True,
            text=True,
            timeout=timeout,
            **options,
        )

    return start


@pytest.fixture(scope="session")
def people():
    """Rows with text, gaps, booleans and a label, the same each time."""
    import random

    draw = random.Random(5)
    rows = []
    for i in range(600):
        age = draw.randint(18, 80)
        city = draw.choice(["Oslo", "Rome", "Lima", "Oslo", "Kyoto"])
        pay = round(draw.gauss(50, 12), 2)
        score = 0.08 * (age - 45) + (1.2 if city == "Rome" else 0.0) + 0.05 * (pay - 50) + draw.gauss(0, 1)
        rows.append(
            {
                "id": 9007199254740992 + i,
                "age": age,
                "city": city,
                "pay": None if i % 37 == 0 else pay,
                "member": bool(i % 3),
                "buys": int(score > 0),
            }
        )
    return rows
