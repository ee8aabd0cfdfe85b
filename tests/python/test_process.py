# SPDX-License-Identifier: Apache-2.0
"""The package as a guest in a process: Ctrl-C, threads, fork, exit, memory, progress, warnings, options."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import gristmill as gm
import pytest

LONG = "SELECT a.range * 7 % 13 AS x, b.range % 2 AS label FROM range(3000000) a, range(3000) b"

INTERRUPTED = """
import os, signal, sys, threading, time
import gristmill as gm
gm.config(threads=2, progress=False)
long = gm.sql({sql!r})
def work():
    {work}
def press():
    time.sleep(0.7)
    press.at = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    work()
    print("finished")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - press.at)
print(gm.table({{"x": [1, 2, 3]}}).agg(gm.F.sum("x")).first()[0], threading.active_count() <= 2)
"""

WORK = {
    "count": "long.filter('x < 0 or sqrt(x) < 0').count()",
    "export": "long.filter('sqrt(x + label) < 0').to_dict()",
    "arrow": "long.filter('sqrt(x + label) < 0').to_arrow()",
    "write": "long.write_parquet(os.path.join(os.environ['TMPDIR'], 'x.parquet'))",
    "persist": "long.persist()",
    "fit": "gm.Pipeline(stages=[gm.VectorAssembler(inputCols=['x'], outputCol='features'), "
    "gm.LogisticRegression()]).fit(long)",
}


@pytest.mark.parametrize("kind", list(WORK))
def test_ctrl_c_ends_the_call_at_once(kind, run, tmp_path):
    out = run(
        INTERRUPTED.format(sql=LONG, work=WORK[kind]), timeout=60, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert out.returncode == 0, out.stderr
    first, second = out.stdout.splitlines()
    word, seconds = first.split()
    assert word == "interrupted" and float(seconds) < 2, out.stdout
    assert second == "6 True"
    assert not [p for p in tmp_path.iterdir() if p.suffix == ".parquet"]


def test_ctrl_c_from_a_terminal(tmp_path):
    """SIGINT to the process as a shell sends it; the exception goes up to the top, as in any program."""
    code = f"import gristmill as gm\nprint('go', flush=True)\ngm.sql({LONG!r}).filter('sqrt(x) < 0').count()"
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "go\n"
    time.sleep(0.7)
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert time.monotonic() - start < 3
    assert child.returncode in (-signal.SIGINT, 130) and errors.rstrip().endswith("KeyboardInterrupt")


def test_another_signal_handler_s_exception_cancels_too(run):
    code = f"""
import signal, gristmill as gm
class Late(Exception): pass
def ring(*_): raise Late()
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    gm.sql({LONG!r}).filter("sqrt(x) < 0").count()
except Late:
    print("late", gm.table({{"x": [1]}}).count())
"""
    out = run(code, timeout=60)
    assert out.stdout == "late 1\n", out.stderr


def test_threads_work_at_once():
    t = gm.table({"x": list(range(20_000)), "g": [i % 7 for i in range(20_000)]})
    found, errors = [], []

    def work(k):
        try:
            for _ in range(5):
                found.append(t.filter(gm.col("g") == k).agg(gm.F.sum("x")).first()[0])
                try:
                    t.select(f"no_such_column_{k}").collect()
                except gm.SqlError as error:
                    assert f"no_such_column_{k}" in str(error)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sorted(set(found)) == sorted({sum(range(k, 20_000, 7)) for k in range(7)}) and len(found) == 35


def test_the_gil_is_released():
    """A Python thread goes on while the main thread waits for the library."""
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    gm.sql("SELECT count(*) AS n FROM range(60000000) WHERE sqrt(range) % 3 < 1").collect()
    took = time.monotonic() - start
    stop.set()
    thread.join()
    assert len(ticks) > took * 20


def test_fork(run):
    code = """
import os, gristmill as gm
t = gm.table({"x": [1, 2, 3]})
assert t.count() == 3
pid = os.fork()
if pid == 0:
    try:
        t.count()
        os._exit(1)
    except gm.UsageError as error:
        assert "fork" in str(error)
    n = gm.table({"x": [1, 2]}).count()
    os._exit(0 if n == 2 else 2)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), t.count())
"""
    out = run(code)
    assert out.stdout == "0 3\n", out.stderr


def test_exit_with_everything_alive(run):
    code = """
import threading, time
import gristmill as gm
t = gm.table({"x": list(range(100000)), "s": [str(i) for i in range(100000)]})
capsule = t.__arrow_c_stream__()
import pyarrow as pa
reader = pa.RecordBatchReader.from_stream(t)
first = reader.read_next_batch()
arrow = t.to_arrow()
import polars as pl
frame = t.to_polars()
lazy = t.filter("x > 3")
import builtins
builtins.kept = [capsule, reader, first, arrow, frame, t, lazy]
cycle = [t]; cycle.append(cycle)
def late(): time.sleep(0.05); gm.table({"x": [1]}).count()
threading.Thread(target=late).start()
import atexit
atexit.register(lambda: print("rows", t.count()))
"""
    for _ in range(3):
        out = run(code)
        assert (out.returncode, out.stderr) == (0, ""), out.stderr
        assert out.stdout == "rows 100000\n"


def test_exit_while_a_call_runs_in_a_daemon_thread(run):
    code = f"""
import threading, time, gristmill as gm
t = gm.sql({LONG!r}).filter("sqrt(x) < 0")
threading.Thread(target=t.count, daemon=True).start()
time.sleep(0.4)
"""
    start = time.monotonic()
    out = run(code)
    assert out.returncode == 0 and time.monotonic() - start < 10, out.stderr


def test_capsules_die_on_other_threads(run):
    code = """
import threading, gristmill as gm
t = gm.table({"x": list(range(1000))})
box = [t.__arrow_c_stream__() for _ in range(20)]
def drop():
    while box: box.pop()
threads = [threading.Thread(target=drop) for _ in range(4)]
[x.start() for x in threads]; [x.join() for x in threads]
print(t.count())
"""
    out = run(code)
    assert out.stdout == "1000\n" and out.returncode == 0, out.stderr


def test_memory_does_not_grow(run):
    code = """
import resource, gc, gristmill as gm
import pyarrow as pa
source = pa.table({"x": list(range(20000))})
def round():
    t = gm.table(source)
    t.__arrow_c_stream__()
    t.filter("x > 5").to_arrow()
    gm.table({"y": list(range(1000))}).to_dict()
for _ in range(30): round()
gc.collect(); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(150): round()
gc.collect(); after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
from gristmill import _lib
print(after - before, _lib.Handle.alive("table"))
"""
    out = run(code)
    grown, alive = map(int, out.stdout.split())
    assert grown < 20_000 and alive == 0, out.stdout


def test_config():
    assert gm.config()["threads"] == 2
    with pytest.raises(gm.ParamError, match="threads"):
        gm.config(thread=3)
    with pytest.raises(gm.ParamError):
        gm.config(progress="often")
    t = gm.table({"x": [1]})
    with pytest.raises(gm.UsageError, match="while tables are in use"):
        gm.config(threads=1)
    assert t.count() == 1


def test_config_options(run, tmp_path):
    code = f"""
import gristmill as gm
gm.config(threads=1, memory="400MB", seed=3, spill={str(tmp_path)!r})
print(gm.table({{"x": [1, 2]}}).count(), gm.config()["memory"], gm.config(memory=None)["memory"])
try:
    gm.config(threads=-4)
except gm.Error as error:
    print(type(error).__name__, gm.config()["threads"])
try:
    gm.config(memory="lots")
except gm.Error as error:
    print(type(error).__name__)
gm.config(locked=True)
try:
    gm.sql("SELECT * FROM read_csv('/etc/passwd')").count()
except gm.Error as error:
    print("locked")
"""
    out = run(code)
    assert out.stdout.splitlines() == ["2 400MB None", "ParamError 1", "ParamError", "locked"], (
        out.stdout + out.stderr
    )


def test_missing_library(run):
    out = run(
        "import gristmill as gm\ntry: gm.table({'x': [1]})\n"
        "except ImportError as e: print(type(e).__name__, e)",
        env={**os.environ, "GRISTMILL_LIBRARY": "/no/such/lib.so"},
    )
    assert out.stdout.startswith("LibraryError libgristmill.so was not found: /no/such/lib.so"), out.stderr


def test_errors_pickle_and_carry_code_and_hint():
    import pickle

    with pytest.raises(gm.NotFoundError) as caught:
        gm.read_csv("/no/such/file.csv").count()
    error = pickle.loads(pickle.dumps(caught.value))
    assert type(error) is gm.NotFoundError and isinstance(error, FileNotFoundError)
    assert error.code == "GM_ENOENT" and str(error) == str(caught.value) and "/no/such/file.csv" in str(error)


def test_events_reach_a_function():
    seen = []
    gm.config(on_event=seen.append)
    try:
        gm.sql("SELECT sum(range) AS s FROM range(20000000)").collect()
        lr = gm.LogisticRegression()
        gm.Pipeline(stages=[gm.VectorAssembler(inputCols=["x"], outputCol="features"), lr]).fit(
            {"x": [0.0, 1.0, 2.0, 3.0] * 50, "label": [0, 1, 0, 1] * 50}
        )
    finally:
        gm.config(on_event=None)
    assert seen and all({"level", "code", "text", "fields", "done", "total", "unit"} <= set(e) for e in seen)


def test_progress_on_a_terminal():
    """A bar on standard error when it is a terminal, cleared at the end; nothing on standard output."""
    import pty

    code = (
        "import gristmill as gm; gm.config(threads=2)\n"
        "stages = [gm.VectorAssembler(inputCols=['x'], outputCol='features'), gm.LogisticRegression()]\n"
        "slow = 'sha256(repeat(range::VARCHAR, 200))'  # seconds of reading: a bar shows\n"
        "query = 'SELECT (range * 7919 % 1000)::DOUBLE AS x, range % 2 AS label FROM range(1500000) '\n"
        "query += f'WHERE {slow} IS NOT NULL'\n"
        "gm.Pipeline(stages=stages).fit(gm.sql(query))"
    )
    master, slave = pty.openpty()
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    out, _ = child.communicate(timeout=60)
    os.close(master)
    assert child.returncode == 0 and out == b"", seen
    assert b"\r\x1b[2Kreading" in seen, seen[-500:]
    assert seen.endswith(b"\r\x1b[2K")


def test_progress_line():
    from gristmill._progress import line

    text = line("fit", (b"scan.progress", b"reading", b"rows", 250_000.0, 1_000_000.0), 0.0, 2.0, 200)
    assert text == "reading  [#####...............]  25 %  250k/1M rows  125k rows/s  6 s left"
    text = line("fit", (b"fit.iteration", b"", b"iterations", 3.0, 0.0), 0.0, 6.0, 200)
    assert text == "fit  3 iterations  2.0 s each"
    assert len(line("x" * 300, (b"a", b"", b"", 1.0, 2.0), 0.0, 1.0, 40)) <= 40


def test_progress_in_a_notebook(monkeypatch):
    from gristmill import _progress

    shown = []

    class Display:
        def update(self, page):
            shown.append(page)

    class Page(str):
        pass

    import types

    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=1))
    display = types.SimpleNamespace(
        HTML=Page, display=lambda page, display_id: shown.append(page) or Display()
    )
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    call = types.SimpleNamespace(last=(b"a", b"<i>reading</i>", b"rows", 1.0, 2.0), title="fit")
    bar = _progress.Bar(call, "auto")
    bar.start -= 5
    bar.draw()
    bar.draw()
    bar.close()
    assert len(shown) == 3 and "&lt;i&gt;reading" in shown[0] and shown[-1] == ""


def test_warnings_point_at_the_caller():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        value = gm.BinaryClassificationEvaluator().evaluate(
            {"rawPrediction": [0.1, 0.2], "label": [1.0, 1.0]}
        )
    assert value != value
    assert len(seen) == 1 and seen[0].category is gm.Warning and seen[0].filename == __file__
    assert "areaUnderROC is undefined" in str(seen[0].message)
