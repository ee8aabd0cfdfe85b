# SPDX-License-Identifier: Apache-2.0
"""What the pages show runs: the blocks after a line `<!-- run -->`, from top to bottom, in a folder with
flights.csv and planes.csv. Shell blocks must end with status 0; YAML blocks are files whose name their first
line says; Python blocks run in a process of their own. The reference pages are fresh; links, names of files
and of functions lead somewhere; the example of a stage compiles; every error code is explained."""

import pathlib
import random
import re
import shutil
import subprocess
import sys

import pytest
from test_cli import BIN, ENV

ROOT = pathlib.Path(__file__).resolve().parents[2]
HANDWRITTEN = [p for g in ("*.md", "docs/*.md", "*/README.md", "src/*/README.md") for p in ROOT.glob(g)]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^<!-- run -->\n```(\w+)\n(.*?)^```", re.M | re.S)
PLACEHOLDER = re.compile(r"/(fuzz_|test_)?(x|X|NAME|clipper)(_isa)?\.c$")
LIBRARY = BIN.parent.parent / "lib" / "libgristmill.so"


def flights(folder):
    draw = random.Random(1)
    planes = [f"N{100 + i}" for i in range(40)]
    lines = ["day,hour,carrier,origin,tailnum,distance,wind_gust,dep_delay,late"]
    for i in range(2000):
        hour, carrier = draw.randint(5, 23), draw.choice(["UA", "B6", "EV", "DL", "UA"])
        delay = draw.gauss(0, 20) + hour + (8 if carrier == "EV" else 0)
        gust = "" if i % 9 == 0 else f"{draw.uniform(0, 40):.1f}"
        origin, plane = draw.choice(["JFK", "LGA", "EWR"]), draw.choice(planes)
        miles = draw.randint(90, 2500)
        row = [i % 60, hour, carrier, origin, plane, miles, gust, f"{delay:.1f}", int(delay > 18)]
        lines.append(",".join(str(v) for v in row))
    (folder / "flights.csv").write_text("\n".join(lines) + "\n")
    rows = [f"{p},{'NA' if i % 7 == 0 else 20 + 10 * (i % 20)}" for i, p in enumerate(planes)]
    (folder / "planes.csv").write_text("\n".join(["tailnum,seats", *rows]) + "\n")


def run(language, text, folder):
    if language == "yaml":
        name = re.match(r"# (\S+)\n", text)
        assert name, "a YAML block that runs begins with a comment that names its file"
        (folder / name[1]).write_text(text)
        return
    program = {"sh": ["bash", "-euo", "pipefail"], "python": [sys.executable]}[language]
    env = ENV | {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(
        [*program, "-c", text], cwd=folder, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", [p for p in PAGES if BLOCK.search(p.read_text())], ids=lambda p: p.name)
def test_blocks_run(page, tmp_path):
    flights(tmp_path)
    for block in BLOCK.finditer(page.read_text()):
        run(block[1], block[2], tmp_path)


def test_reference_is_fresh():
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "gen_docs.py", "--check", LIBRARY], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_links_lead_somewhere():
    lost = []
    for page in [*HANDWRITTEN, *ROOT.glob("docs/reference/*.md")]:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if not re.match(r"\w+:", target) and not (page.parent / target).exists():
                lost.append(f"{page.relative_to(ROOT)}: {target}")
    assert not lost


def source_files():
    folders = ("src", "include", "cmd", "python", "tests", "tools", "examples", "bench", "cmake", ".ci")
    return [p for f in folders for p in (ROOT / f).rglob("*") if p.is_file()]


def test_files_that_are_named_are_there():
    here = {p.name for p in source_files()}
    lost = []
    for page in HANDWRITTEN:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        for path in re.findall(r"`((?:src|include|cmd|tests|tools|examples|bench|docs)/[\w./-]+)`", text):
            if not (ROOT / path).exists() and not re.search(PLACEHOLDER, path):
                lost.append(f"{page.relative_to(ROOT)}: {path}")
        for name in re.findall(r"`(\w+\.(?:c|h|py|sh))`", text):
            if name not in here and name not in ("x.c", "clipper.c"):
                lost.append(f"{page.relative_to(ROOT)}: {name}")
    assert not lost


def test_functions_that_are_named_are_there():
    code = "".join(p.read_text() for p in source_files() if p.suffix in (".c", ".h"))
    known = set(re.findall(r"\bgm_\w+", code)) | {"gm_row_1"}
    lost = []
    for page in HANDWRITTEN:
        for name in re.findall(r"\bgm_\w*[a-z0-9]\b(?!\*|_)", page.read_text()):
            if name not in known and name not in ("gm_noun_verb", "gm_stage_clipper"):
                lost.append(f"{page.relative_to(ROOT)}: {name}")
    assert not lost


def test_the_example_of_a_stage_compiles(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    blocks = re.findall(r"^```c\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S)
    (tmp_path / "clipper.c").write_text(next(b for b in blocks if "gm_stage_clipper" in b))
    flags = ["-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    paths = [f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}"]
    done = subprocess.run([compiler, *flags, *paths, tmp_path / "clipper.c"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_code_is_explained():
    header = (ROOT / "include" / "gristmill.h").read_text()
    page = (ROOT / "docs" / "errors.md").read_text()
    rows = re.findall(r'X\((GM_\w+), \d+, "[^"]*", (\d+), (\d+), "(\w*)"\)', header)
    assert len(rows) > 15
    for name, status, http, exception in rows:
        python = f"`{exception}`" if exception else ""
        assert re.search(rf"^\| `{name}` \| {status} \| {http} \| {python}", page, re.M), name
        assert name == "GM_OK" or f"**{name}: " in page, name
