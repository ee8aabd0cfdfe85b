# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks and prints one table (called by run.sh).

Whole processes, timed from outside: wall clock, processor seconds and peak memory of the process tree.
Contenders take turns, after one warm-up each; the table holds medians. On a machine that does other work look
at the ratios only, and at processor seconds rather than wall clock.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
GM = str(ROOT / "build/bin/gristmill")
THREADS = "2"


def tree(pid):
    pids = [pid]
    for p in pids:
        try:
            for task in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{task}/children") as f:
                    pids += [int(c) for c in f.read().split()]
        except OSError:
            pass
    return pids


def resident(pid):
    try:
        with open(f"/proc/{pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def cpu_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0


def measure(argv, check=True):
    """Runs argv: wall, cpu (s), peak (MB), what it printed. A child's numbers are sampled while it lives."""
    env = dict(os.environ, OMP_NUM_THREADS=THREADS, PYTHONWARNINGS="ignore")
    start = time.perf_counter()
    p = subprocess.Popen(argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak, children, errors = 0, {}, []
    reader = threading.Thread(target=lambda: errors.append(p.stderr.read()))
    output = []
    printer = threading.Thread(target=lambda: output.append(p.stdout.read()))
    reader.start(), printer.start()
    while (status := os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is None:
        pids = tree(p.pid)
        peak = max(peak, sum(resident(q) for q in pids))
        children.update({q: cpu_seconds(q) for q in pids[1:]})
        time.sleep(0.02 if time.perf_counter() - start > 1 else 0.002)
    wall = time.perf_counter() - start
    usage = os.wait4(p.pid, 0)[2]
    p.returncode = status.si_status
    reader.join(), printer.join()
    if check and p.returncode != 0:
        sys.exit(f"{' '.join(argv)} failed with {p.returncode}:\n{errors[0][-2000:]}")
    return {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime + sum(children.values()),
        "peak": max(peak, usage.ru_maxrss * 1024 if not children else 0) / 1e6,
        "output": output[0],
        "status": p.returncode,
    }


def last_json(text):
    """The JSON document that text ends with: the whole, or its last line."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(text.strip().splitlines()[-1])


def median_of(runs):
    middle = {k: statistics.median(r[k] for r in runs) for k in ("wall", "cpu", "peak")}
    return middle | {"output": runs[-1]["output"]}


def take_turns(jobs, rounds):
    """jobs: {name: argv}; rounds: {name: n}. One warm-up each, then one run of each in turn."""
    for argv in jobs.values():
        measure(argv)
    runs = {name: [] for name in jobs}
    for i in range(max(rounds.values())):
        for name, argv in jobs.items():
            if i < rounds[name]:
                runs[name].append(measure(argv))
    return {name: median_of(r) for name, r in runs.items()}


def print_table(head, rows):
    rows = [[str(c) for c in r] for r in [head, *rows]]
    width = [max(len(r[k]) for r in rows) for k in range(len(head))]
    for i, r in enumerate(rows):
        print("  ".join(r[k].ljust(w) if k == 0 else r[k].rjust(w) for k, w in enumerate(width)).rstrip())
        if i == 0:
            print("  ".join("-" * w for w in width))


def train(out, pipeline, *more):
    report = ["--model", f"{out}/model.gm", "--report", f"{out}/report.html"]
    return [GM, "train", pipeline, *more, *report, "--threads", THREADS, "--json", "--quiet"]


# ---- parts: each prints its numbers and returns what goes into the results file ----


def j1(a):
    yaml = "bench/j1_gristmill.yaml"
    jobs = {
        "gristmill, CSV": train(a.out, yaml, f"source.path={a.data}/clicks.csv"),
        "gristmill, Parquet": train(a.out, yaml, f"source.path={a.data}/clicks.parquet"),
        "scikit-learn": [sys.executable, "bench/j1_sklearn.py", a.data, "plain"],
        "scikit-learn, one-hot scaled": [sys.executable, "bench/j1_sklearn.py", a.data, "scaled"],
    }
    rounds = dict.fromkeys(jobs, a.rounds)
    if a.spark > 0:
        jobs["Spark local[2]"] = [sys.executable, "bench/j1_spark.py", a.data]
        rounds["Spark local[2]"] = a.spark
    got = take_turns(jobs, rounds)
    ours, rows = got["gristmill, CSV"], []
    for name, r in got.items():
        d = last_json(r.pop("output"))
        r["auc"] = d["auc"] if "auc" in d else d["metrics"]["test"]["areaUnderROC"]
        r["phases"] = d.get("steps")
        cells = [f"{r['wall']:.2f}", f"{r['wall'] / ours['wall']:.1f}"]
        cells += [f"{r['cpu']:.2f}", f"{r['cpu'] / ours['cpu']:.1f}"]
        cells += [f"{r['peak']:.0f}", f"{r['peak'] / ours['peak']:.1f}", f"{r['auc']:.4f}"]
        rows.append([name, *cells])
    print("J1: 1,000,000 rows, 10 numbers, 6 texts, to a logistic regression; 2 threads")
    print("x: times gristmill, CSV\n")
    print_table(["", "wall s", "x", "cpu s", "x", "peak MB", "x", "AUC"], rows)
    for name in ("gristmill, CSV", "gristmill, Parquet"):
        print(f"\n{name}: " + ", ".join(f"{k} {v:.2f} s" for k, v in got[name]["phases"].items()), end="")
    print()
    return got


def quality(a):
    """The same rows to learn from and to judge on for both."""
    yaml = "bench/j1_gristmill.yaml"
    measure(train(a.out, yaml, f"source.path={a.data}/clicks_train.parquet", "split.test=0"))
    judged = measure([GM, "evaluate", f"{a.out}/model.gm", f"{a.data}/clicks_test.parquet", "--json"])
    d = last_json(judged["output"])
    got = {"gristmill": {"auc": d["metrics"]["areaUnderROC"], "loss": d["metrics"]["logLoss"]}}
    for how in ("plain", "scaled"):
        got[f"scikit-learn, {how}"] = last_json(
            measure([sys.executable, "bench/j1_sklearn.py", a.data, how, "judge"])["output"]
        )
    print("J1 on one cut: area under the ROC curve and log loss of the held-out rows\n")
    print_table(["", "AUC", "loss"], [[n, f"{r['auc']:.6f}", f"{r['loss']:.6f}"] for n, r in got.items()])
    return got


def start(a):
    version = statistics.median(measure([GM, "--version"])["wall"] for _ in range(max(a.rounds, 11)))
    flowers = train(a.out, f"{a.data}/flowers.csv", "--label", "species")
    measure(flowers)
    small = median_of([measure(flowers) for _ in range(max(a.rounds, 5))])
    print(f"gristmill --version         {version * 1e3:6.1f} ms (goal 15)")
    print(f"low code on 150 rows of CSV {small['wall'] * 1e3:6.1f} ms (goal 100), ", end="")
    print(f"{small['cpu'] * 1e3:.1f} ms of processor")
    return {
        "version_ms": version * 1e3,
        "flowers_ms": small["wall"] * 1e3,
        "flowers_cpu_ms": small["cpu"] * 1e3,
    }


def levels(a):
    pipeline = {
        "source": {"path": f"{a.data}/levels.csv"},
        "stages": [
            {"StringIndexer": {"inputCol": "user", "outputCol": "user_x", "handleInvalid": "keep"}},
            {"OneHotEncoder": {"inputCol": "user_x", "outputCol": "user_o"}},
            {"VectorAssembler": {"inputCols": ["x0", "x1", "user_o"], "outputCol": "features"}},
            {"LogisticRegression": {"labelCol": "label", "regParam": 0.01, "maxIter": 20}},
        ],
    }
    path = pathlib.Path(a.out) / "levels.json"
    path.write_text(json.dumps(pipeline))
    r = measure(train(a.out, str(path)))
    print(
        f"200,000 rows, one-hot of 200,000 levels: {r['wall']:.2f} s, {r['cpu']:.2f} s of processor, ", end=""
    )
    print(f"{r['peak']:.0f} MB (dense would be 320,000 MB)")
    return {k: r[k] for k in ("wall", "cpu", "peak")}


def wide(a):
    names = [f"t{j}" for j in range(300)]
    stages = [{"StringIndexer": {"inputCol": c, "outputCol": f"{c}_x"}} for c in names]
    one_hot = [f"{c}_o" for c in names]
    stages += [{"OneHotEncoder": {"inputCols": [f"{c}_x" for c in names], "outputCols": one_hot}}]
    stages += [{"VectorAssembler": {"inputCols": one_hot, "outputCol": "features"}}]
    stages += [{"LogisticRegression": {"labelCol": "label", "maxIter": 5}}]
    path = pathlib.Path(a.out) / "wide.json"
    path.write_text(json.dumps({"source": {"path": f"{a.data}/wide.parquet"}, "stages": stages}))
    r = measure(train(a.out, str(path)))
    plan = last_json(r["output"])["plan"]
    passes = sum(1 for s in plan["steps"] if any("StringIndexer" in stage for stage in s["stages"]))
    print(
        f"300 StringIndexer stages on 50,000 rows: {r['wall']:.2f} s, {r['cpu']:.2f} s of processor, ", end=""
    )
    print(f"{r['peak']:.0f} MB; {plan['scans']} scan, {passes} pass for all 300")
    return {k: r[k] for k in ("wall", "cpu", "peak")} | {"scans": plan["scans"], "passes": passes}


def tensors(path):
    data = pathlib.Path(path).read_bytes()
    n = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + n])
    return {
        k: (v["shape"], data[8 + n + v["data_offsets"][0] : 8 + n + v["data_offsets"][1]])
        for k, v in head.items()
        if k != "__metadata__"
    }


def memory(a):
    """A file several times the limit: the same model to the bit as with room for everything."""
    limit, file = 192, f"{a.data}/large.csv"
    size, got, models = os.path.getsize(file) / 1e6, {}, {}
    for name, limited in ((f"{limit} MB", f"{limit}MB"), ("enough", "4GB")):
        got[name] = measure(
            train(a.out, "bench/j1_gristmill.yaml", f"source.path={file}", "LogisticRegression.maxIter=10")
            + ["--memory", limited]
        )
        got[name].pop("output")
        models[name] = tensors(f"{a.out}/model.gm")
    same = len({json.dumps({k: [s, b.hex()] for k, (s, b) in m.items()}) for m in models.values()}) == 1
    print(f"{size:.0f} MB of CSV with --memory {limit}MB: ", end="")
    print("; ".join(f"{n}: {r['wall']:.1f} s, {r['peak']:.0f} MB peak" for n, r in got.items()), end="")
    print(f"; models {'equal to the bit' if same else 'DIFFER'}")
    return {"limits": got, "equal": same}


PARTS = {"start": start, "levels": levels, "wide": wide, "memory": memory, "quality": quality, "j1": j1}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--spark", type=int, default=1, help="measured runs of Spark; 0 leaves it out")
    p.add_argument("--only", default=",".join(PARTS))
    a = p.parse_args()
    a.out = str(ROOT / "build/bench-out")
    os.makedirs(a.out, exist_ok=True)
    done = {
        "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "machine": platform.processor() or platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        "versions": (HERE / "requirements.txt").read_text().split("\n")[2:],
        "load": os.getloadavg(),
    }
    for name in a.only.split(","):
        done[name] = PARTS[name](a)
        print(flush=True)
    done["load_after"] = os.getloadavg()
    load = f"load average {done['load'][0]:.1f} before, {done['load_after'][0]:.1f} after"
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    path = results / f"{done['date'].replace(':', '')}.json"
    path.write_text(json.dumps(done, indent=1))
    print(f"{load}, on {done['cpus']} processors; kept in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
