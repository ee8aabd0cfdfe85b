# SPDX-License-Identifier: Apache-2.0
"""Files behind http addresses: what comes over the wire, and servers that refuse, fail, or do not answer."""

import http.server
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import gristmill as gm
import pytest

GM = os.environ.get("GRISTMILL_BIN", "gristmill")
ROWS = "x,z,y\n" + "".join(f"{i % 7},{i % 11 / 4},{i * 7919 % 3 == 0}\n" for i in range(3000))


class Files(http.server.BaseHTTPRequestHandler):
    """GET and HEAD with ranges, as storage services do; /secret/ refuses, /broken/ fails."""

    protocol_version = "HTTP/1.1"
    served: dict = {}

    def answer(self, body):
        name = self.path.split("?")[0]
        if name.startswith(("/secret/", "/broken/")):
            return self.refuse(403 if name.startswith("/secret/") else 501)
        data = self.served.get(name)
        if data is None:
            return self.refuse(404)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, last = 0, len(data) - 1
        if wanted:
            first, last = int(wanted[1]), min(int(wanted[2] or last), last)
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(last - first + 1))
        self.send_header("Accept-Ranges", "bytes")
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.end_headers()
        if body:
            self.wfile.write(data[first : last + 1])

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        self.answer(True)

    def do_HEAD(self):
        self.answer(False)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    (folder / "a.csv").write_text(ROWS)
    gm.read_csv(folder / "a.csv").write_parquet(folder / "a.parquet")
    Files.served = {f"/{p.name}": p.read_bytes() for p in folder.iterdir()}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def silent():
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/a.csv"


def test_the_same_rows_as_from_the_file(web, tmp_path):
    (tmp_path / "a.csv").write_text(ROWS)
    local = gm.read_csv(tmp_path / "a.csv").to_arrow()
    assert gm.read_csv(f"{web}/a.csv").to_arrow().equals(local)
    assert gm.read_parquet(f"{web}/a.parquet").to_arrow().equals(local)
    assert gm.sql(f"SELECT count(*) AS n FROM '{web}/a.csv'").to_pandas()["n"][0] == 3000


def test_train_and_predict_over_the_wire(web, tmp_path):
    def run(*argv):
        done = subprocess.run([GM, *argv], cwd=tmp_path, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("train", f"{web}/a.parquet", "--label", "y")
    assert run("predict", "a.gm", f"{web}/a.csv", "--output", "-").count("\n") == 3001


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("none.csv", gm.NotFoundError, "check the address"),
        ("secret/a.csv", gm.FileError, "may all read it"),
        ("broken/a.parquet", gm.FileError, "breaks off"),
    ],
)
def test_servers_that_refuse(web, path, error, words):
    with pytest.raises(error, match=words):
        gm.sql(f"SELECT * FROM '{web}/{path}'").count()


def test_no_server():
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    with pytest.raises(gm.FileError, match="can be reached"):
        gm.read_csv(f"http://127.0.0.1:{port}/a.csv")


def test_a_stop_does_not_wait_for_a_silent_server(silent):
    p = subprocess.Popen([GM, "sql", f"SELECT * FROM '{silent}'"], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=25)
    assert p.returncode == 130 and err.startswith("gristmill: cancelled")


def test_python_does_not_wait_for_it_either(silent):
    code = f"""
import gristmill as gm, os, signal, threading
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    gm.read_csv({silent!r})
except KeyboardInterrupt:
    print("stopped", gm.sql("SELECT 7 AS x").to_pandas()["x"][0], flush=True)
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "stopped 7\n", done.stderr
