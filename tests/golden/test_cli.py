# SPDX-License-Identifier: Apache-2.0
"""Runs the transcripts in cli/*.txt against the real command.

A transcript is a shell session in an empty folder: lines that begin with "$ " are commands (a line that
begins with "> " continues one), the rest is what they print, standard output and error together, and
"[exit N]" when they fail. Times are written as T, the folder as $PWD. GRISTMILL_ACCEPT=1 writes the
transcripts anew; read the difference before you commit it.
"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BIN = pathlib.Path(os.environ.get("GRISTMILL_BIN", ROOT / "build/bin/gristmill"))
ENV = {
    "PATH": f"{BIN.parent}:{os.environ['PATH']}",
    "LC_ALL": "C.UTF-8",
    "TERM": "dumb",
    "TZ": "UTC",
    "HOME": "/nonexistent",
}
ENV.update(
    {
        k: v
        for k, v in os.environ.items()
        if k.startswith(("GRISTMILL_", "ASAN_", "LSAN_", "UBSAN_")) or k == "TMPDIR"
    }
)
CHANGING = [  # times, and what depends on how long they are in a model file
    (re.compile(r"\b\d+\.\d+(e-\d+)? s\b"), "T s"),
    (re.compile(r"\b\d+\.\d+ ms\b"), "T ms"),
    (re.compile(r"(\"seconds\": )[0-9.e-]+"), r"\1T"),
    (
        re.compile(r"checksum is [0-9a-f]{16}, its content gives [0-9a-f]{16}"),
        "checksum is H, its content gives H",
    ),
    (re.compile(r"header of \d+ bytes"), "header of N bytes"),
]


def shell(command, cwd):
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=cwd,
        env=ENV,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    return done.returncode, done.stdout.decode("utf-8", "backslashreplace")


def normal(text):
    for pattern, stand_in in CHANGING:
        text = pattern.sub(stand_in, text)
    return text


def commands(text):
    """The commands of a transcript, each as its lines."""
    found, running = [], False
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:]])
        elif line.startswith("> ") and running:
            found[-1].append(line[2:])
        running = line.startswith(("$ ", "> "))
    return found


def play(text, cwd):
    out = []
    for lines in commands(text):
        out.append("$ " + "\n> ".join(lines) + "\n")
        status, printed = shell("\n".join(lines), cwd)
        printed = normal(printed.replace(str(cwd), "$PWD"))
        out.append(printed if printed.endswith("\n") or not printed else printed + "\n")
        if status != 0:
            out.append(f"[exit {status}]\n")
    return "".join(out)


@pytest.mark.parametrize("name", sorted(p.stem for p in (HERE / "cli").glob("*.txt")))
def test_transcript(name, tmp_path):
    path = HERE / "cli" / f"{name}.txt"
    expected = path.read_text(encoding="utf-8")
    heading = expected[: expected.index("$ ")]
    played = heading + play(expected, tmp_path)
    if os.environ.get("GRISTMILL_ACCEPT") == "1":
        path.write_text(played, encoding="utf-8")
    assert played == expected


def gristmill(*args, cwd=None, **kw):
    return subprocess.run([BIN, *args], cwd=cwd, env=ENV, capture_output=True, text=True, timeout=60, **kw)


def document(done):
    return json.loads(done.stdout)


@pytest.mark.skipif("ASAN_OPTIONS" in ENV, reason="sanitizers take their time to start")
def test_version_is_quick():
    best = 1.0
    for _ in range(5):
        begun = time.monotonic()
        assert gristmill("--version").stdout.startswith("gristmill ")
        best = min(best, time.monotonic() - begun)
    assert best < 0.05  # 15 ms on a quiet machine; bench/ holds it to that


def test_every_stage_has_a_page():
    registry = document(gristmill("stages", "--json"))
    things = registry["stages"] + registry["evaluators"]
    assert len(things) > 20
    listed = gristmill("stages").stdout
    for thing in things:
        page = gristmill("help", thing["name"])
        assert page.returncode == 0
        assert f"\n  {thing['name']} " in listed
        for param in thing["params"]:
            assert re.search(rf"^  {param['name']} ", page.stdout, re.M), (thing["name"], param["name"])
            assert param["help"], (thing["name"], param["name"])


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_knows_everything(shell_name):
    script = gristmill("completion", shell_name).stdout
    for verb in document(gristmill("help", "--json"))["verbs"]:
        assert verb["name"] in script
        for option in document(gristmill("help", verb["name"], "--json"))["options"]:
            assert option["name"] in script
    for stage in document(gristmill("stages", "--json"))["stages"]:
        assert stage["name"] in script


def complete(tmp_path, *words):
    script = tmp_path / "gristmill.bash"
    script.write_text(gristmill("completion", "bash").stdout)
    line = " ".join(f"'{w}'" for w in words)
    code = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _gristmill; "
    code += "printf '%s\\n' \"${COMPREPLY[@]}\""
    status, out = shell(code, tmp_path)
    assert status == 0
    return out.split()


def test_bash_completion_offers(tmp_path):
    (tmp_path / "flights.csv").write_text("a\n1\n")
    assert complete(tmp_path, "gristmill", "tr") == ["train"]
    assert complete(tmp_path, "gristmill", "train", "--la") == ["--label"]
    assert complete(tmp_path, "gristmill", "train", "fl") == ["flights.csv"]
    assert "LogisticRegression" in complete(tmp_path, "gristmill", "train", "--learner", "Log")
    assert complete(tmp_path, "gristmill", "help", "StringI") == ["StringIndexer"]
    assert complete(tmp_path, "gristmill", "predict", "m.gm", "x.csv", "--format", "p") == ["parquet"]


COMPLETIONS = [
    ("gristmill tr", "gristmill train"),
    ("gristmill train --la", "gristmill train --label"),
    ("gristmill train fl", "gristmill train flights.csv"),
    ("gristmill train flights.csv --learner Log", "gristmill train flights.csv --learner LogisticRegression"),
    ("gristmill help StringI", "gristmill help StringIndexer"),
    ("gristmill predict m.gm x.csv --format pa", "gristmill predict m.gm x.csv --format parquet"),
]


def test_fish_completion_offers(tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    (tmp_path / "flights.csv").write_text("a\n1\n")
    (tmp_path / "g.fish").write_text(gristmill("completion", "fish").stdout)
    for typed, expected in COMPLETIONS:
        status, out = shell(f"fish --no-config -c 'source g.fish; complete -C \"{typed}\"'", tmp_path)
        assert status == 0, out
        assert [line.split("\t")[0] for line in out.splitlines()] == [expected.split()[-1]], (typed, out)


ZSH_KEYS = r"""
zmodload zsh/zpty
zpty z "cd $PWD; PATH=$PATH zsh -f -i"
zpty -w z 'PS1=; unsetopt beep; autoload -Uz compinit; compinit -D -u; source ./_gristmill'
zpty -w z 'tell() { print -r -- "$BUFFER" >>typed; BUFFER=; }; zle -N tell'
zpty -w z 'bindkey "^I" complete-word; bindkey "^G" tell'
zpty -w z 'print ready >typed'
for i in {1..200}; do [[ -s typed ]] && break; sleep 0.05; done
n=1
while read -r line; do
    zpty -n -w z "$line"$'\t'$'\a'
    n=$((n + 1))
    for i in {1..200}; do
        zpty -r -t z output >/dev/null
        (( $(wc -l <typed) >= n )) && break
        sleep 0.05
    done
done <keys
zpty -d z
"""


def test_zsh_completion_offers(tmp_path):
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    (tmp_path / "flights.csv").write_text("a\n1\n")
    (tmp_path / "_gristmill").write_text(gristmill("completion", "zsh").stdout)
    (tmp_path / "keys").write_text("".join(typed + "\n" for typed, _ in COMPLETIONS))
    (tmp_path / "drive").write_text(ZSH_KEYS)
    status, out = shell("timeout 60 zsh -f drive", tmp_path)
    typed = (tmp_path / "typed").read_text().splitlines() if (tmp_path / "typed").exists() else []
    expected = ["ready"] + [line for _, line in COMPLETIONS]
    assert [line.rstrip() for line in typed] == expected, (status, out)


# ---- what a person or a full disk does in the middle ----

ENDLESS = "SELECT count(*) FROM range(1000000000000) a(i) WHERE hash(i) % 7 = 9"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_a_query(number, tmp_path):
    command = subprocess.Popen(
        [BIN, "sql", ENDLESS], cwd=tmp_path, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(1.0)
    begun = time.monotonic()
    command.send_signal(number)
    out, err = command.communicate(timeout=20)
    assert time.monotonic() - begun < 5
    assert command.returncode == 128 + number
    assert (out, err) == (b"", b"gristmill: cancelled\n")


def test_signal_stops_training_and_leaves_nothing(tmp_path):
    (tmp_path / "one.csv").write_text("a\n1\n")
    (tmp_path / "p.yaml").write_text(
        "source:\n"
        "  tables: {one: {path: one.csv}}\n"
        "  sql: SELECT (i % 7)::DOUBLE AS x, (i % 2)::INTEGER AS y FROM one, range(100000000000) t(i)\n"
        "stages:\n"
        "  - VectorAssembler: {inputCols: [x], outputCol: features}\n"
        "  - LogisticRegression: {labelCol: y}\n"
        "model: m.gm\nreport: m.html\n"
    )
    command = subprocess.Popen(
        [BIN, "train", "p.yaml"],
        cwd=tmp_path,
        env=ENV | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.5)
    assert command.poll() is None
    command.send_signal(signal.SIGINT)
    _, err = command.communicate(timeout=20)
    assert command.returncode == 130
    assert err == b"gristmill: cancelled\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.csv", "p.yaml"]


def test_a_reader_that_leaves_ends_it_quietly(tmp_path):
    status, out = shell(
        "gristmill sql 'SELECT * FROM range(3000000)' -o - | head -n 2; echo ${PIPESTATUS[0]}", tmp_path
    )
    lines = out.splitlines()
    assert lines[:2] == ["range", "0"]
    assert lines[2:] in (["141"], ["0"])  # 0: all was written before head left


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


def test_full_disk_leaves_nothing(tmp_path):
    (tmp_path / "x.csv").write_text(
        "a,b,y\n" + "".join(f"{i % 13},{i % 7},{int(i % 13 > 6)}\n" for i in range(300))
    )
    done = gristmill("train", "x.csv", "--label", "y", cwd=tmp_path, preexec_fn=small_files)
    assert done.returncode == 6, done.stderr
    assert done.stderr.splitlines()[-1].startswith("gristmill: cannot write 'x.gm': ")
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]
    full = gristmill(
        "sql",
        "SELECT i, 'text ' || i AS t FROM range(20000) r(i)",
        "-o",
        "big.csv",
        cwd=tmp_path,
        preexec_fn=small_files,
    )
    assert full.returncode == 6, full.stderr
    assert "big.csv" in full.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]


def test_a_report_that_cannot_be_written_leaves_the_model(tmp_path):
    report, status = "/dev/full", 6
    (tmp_path / "x.csv").write_text("a,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(60)))
    done = gristmill("train", "x.csv", "--label", "y", "--report", report, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    told, hint = done.stderr.splitlines()[-2:]
    assert told.startswith("gristmill: the model is saved in x.gm, and only its report is not: ")
    assert report in told and hint == "  hint: gristmill inspect x.gm --report FILE writes the report"
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["x.csv", "x.gm"]
    assert gristmill("inspect", "x.gm", "--report", "r.html", cwd=tmp_path).returncode == 0
    assert "</html>" in (tmp_path / "r.html").read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_no_permission(tmp_path):
    (tmp_path / "x.csv").write_text("a,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(40)))
    (tmp_path / "x.csv").chmod(0)
    done = gristmill("train", "x.csv", "--label", "y", cwd=tmp_path)
    assert done.returncode == 6, done.stderr
    assert done.stderr.startswith("gristmill: cannot read ") and "x.csv" in done.stderr
    (tmp_path / "x.csv").chmod(0o600)
    tmp_path.chmod(0o500)
    done = gristmill("train", "x.csv", "--label", "y", cwd=tmp_path)
    assert done.returncode == 6, done.stderr
    assert done.stderr.splitlines()[-1].startswith("gristmill: cannot write 'x.gm': ")
    tmp_path.chmod(0o700)


def test_output_to_a_full_device():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([BIN, "help", "train"], env=ENV, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 6
    assert done.stderr == "gristmill: standard output: No space left on device\n"


# ---- JSON ----


def test_json_documents_fit_their_schema(tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    schema = document(gristmill("schema", "output"))
    jsonschema.Draft202012Validator.check_schema(schema)
    judge = jsonschema.Draft202012Validator(schema)
    (tmp_path / "x.csv").write_text(
        "a,b,y\n" + "".join(f"{i % 13},{'uvw'[i % 3]},{int(i % 13 > 6)}\n" for i in range(300))
    )
    runs = [
        ["train", "x.csv", "--label", "y"],
        ["train", "x.csv", "--label", "y", "--explain"],
        ["train", "x.csv", "--label", "y", "--print-pipeline"],
        ["train", "none.csv", "--label", "y"],
        ["predict", "x.gm", "x.csv", "-o", "out.csv"],
        ["evaluate", "x.gm", "x.csv"],
        ["inspect", "x.gm"],
        ["sql", "SELECT * FROM 'x.csv' LIMIT 3"],
        ["sql", "SELECT 1 AS a", "-o", "one.csv"],
        ["stages"],
        ["help"],
        ["help", "train"],
        ["help", "topics"],
        ["help", "errors"],
        ["help", "StringIndexer"],
        ["version"],
        ["schema"],
        ["schema", "output"],
        ["schema", "StringIndexer"],
        ["schema", "Nothing"],
        ["trian"],
    ]
    for args in runs:
        done = gristmill(*args, "--json", cwd=tmp_path)
        found = document(done)
        judge.validate(found)
        assert done.stderr == ""
        assert (done.returncode != 0) == ("error" in found)
        if "error" in found:
            assert found["error"]["exit_status"] == done.returncode
        else:
            assert ("$schema" in found) if args[0] == "schema" else (found["verb"] == args[0])


def test_json_keeps_wide_integers(tmp_path):
    found = document(
        gristmill(
            "sql", "SELECT 9007199254740993 AS id, 1.5 AS x, NULL AS n, 'a\"b' AS t", "--json", cwd=tmp_path
        )
    )
    assert found["rows"] == [{"id": 9007199254740993, "x": 1.5, "n": None, "t": 'a"b'}]


def test_a_model_of_another_format_version():
    """format9.gm was written by a build whose format number was 9; its checksums are right."""
    for verb in (["inspect", "format9.gm"], ["predict", "format9.gm", "-"], ["evaluate", "format9.gm", "-"]):
        done = gristmill(*verb, cwd=HERE / "models", input="a,y\n1,1\n")
        assert done.returncode == 5
        assert "format9.gm is a model of format 9, made by Gristmill" in done.stderr
        assert "use a newer Gristmill, or train again" in done.stderr
    failed = document(gristmill("inspect", "format9.gm", "--json", cwd=HERE / "models"))
    assert failed["error"]["code"] == "GM_EVERSION"
