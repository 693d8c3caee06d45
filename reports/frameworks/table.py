#!/usr/bin/env python3
"""Judges every framework that install.sh installed, and writes the accuracy table: table.json, README.md, worst rows.

usage: table.py [--normcheck PROGRAM] [--out FOLDER] [--work FOLDER] [--only NAME]... [--merge]
What a work folder already holds is not run again; an interrupted report goes on from where it stopped."""
import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import page

HERE = Path(__file__).resolve().parent
SEED, CASES = 1, 20
# name, environment, adapter and its argument, seconds for the report
KERNELS = [
    ("numpy-f32", "numpy", "numpy_kernel.py f32", 120),
    ("numpy-f16", "numpy", "numpy_kernel.py f16", 120),
    ("torch", "torch", "torch_kernel.py", 300),
    ("onnxruntime", "onnxruntime", "onnxruntime_kernel.py", 300),
    ("flax-two-pass", "jax", "jax_kernel.py slow", 420),
    ("flax-fast-variance", "jax", "jax_kernel.py fast", 420),
]
NOT_CHECKED = {name: "no adapter" for name in
               ("tensorflow", "openvino", "paddlepaddle", "mlx", "tinygrad", "ncnn", "torch.compile")}
NOT_CHECKED["onednn"] = "no adapter here; as a plug-in in ../plug-ins/onednn.md"


def environment(facts):
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return os.environ | threads | {"NORMCHECK_TIME_LIMIT": "20", "NORMCHECK_FRAMEWORK_FACTS": str(facts), "JAX_PLATFORMS": "cpu",
                                   "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}


def run(command, work, limit, grace):
    """stdout, stderr's last line and exit code; after `limit` seconds SIGINT, which normcheck answers with what it
    has once the calls that run have ended; after `grace` more seconds it is killed."""
    facts = work / "facts"
    facts.mkdir(exist_ok=True)
    process = subprocess.Popen(command, cwd=work, env=environment(facts), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    cut = False
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        cut = True
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=grace)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
    return {"command": shlex.join(["normcheck"] + command[1:]), "exit": process.returncode, "cut_after_s": limit if cut else None,
            "out": out, "err": (err.strip().splitlines() or [""])[-1]}


def ran_once(step, work, command, limit, only_merge):
    """run(), or what an earlier run of this step left in the work folder."""
    kept = work / f"{step}.json"
    if only_merge and not kept.exists():
        return {"command": shlex.join(["normcheck"] + command[1:]), "exit": None, "cut_after_s": None, "out": "", "err": "not run"}
    if not kept.exists():
        kept.write_text(json.dumps(run(command, work, limit, 180 if step == "report" else 15), indent=1))
    return json.loads(kept.read_text())


def launcher(work, python, adapter):
    """A program ./kernel, so that neither this machine's paths nor a long name get into what is published."""
    program = work / "kernel"
    program.write_text(f"#!/bin/sh\nexec {shlex.quote(str(python))} {shlex.quote(str(HERE))}/adapters/{adapter}\n")
    program.chmod(0o755)


def judge(normcheck, name, environment_name, adapter, limit, work, only_merge):
    """All steps on one kernel; None and a reason where its framework is not installed."""
    root = Path(os.environ.get("NORMCHECK_FRAMEWORKS", Path.home() / ".cache/normcheck-frameworks"))
    python = root / environment_name / "bin/python"
    if not python.exists():
        return {"name": name, "not_checked": f"not installed: install.sh {environment_name}"}
    work.mkdir(parents=True, exist_ok=True)
    launcher(work, python, adapter)
    kernel = ["--kernel", "exec:./kernel"]
    steps = {step: ran_once(step, work, [str(normcheck), *arguments, *kernel], seconds, only_merge) for step, arguments, seconds in (
        ("report", ["report", "--quick", "--seed", str(SEED), "--out", "report"], limit),
        ("probe", ["judge", "--probe"], 75),
        ("replay", ["properties", "--replay"], 75),
        ("laws", ["properties", "--all", "--cases", str(CASES), "--seed", str(SEED)], 75))}
    if not (work / "report/report.json").exists():
        return {"name": name, "not_checked": steps["report"]["err"]}
    facts = [json.loads(file.read_text()) for file in sorted((work / "facts").glob("*.json"))]
    return {"name": name, "adapter": adapter, "steps": steps, "facts": facts, "report": json.loads((work / "report/report.json").read_text())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = HERE.parent.parent
    parser.add_argument("--normcheck", type=Path, default=root / "build/release/reports/normcheck")
    parser.add_argument("--out", type=Path, default=root / "reports/published/frameworks")
    parser.add_argument("--work", type=Path, default=root / "build/frameworks")
    parser.add_argument("--only", action="append", help="judge only these, and fill the work folder: the page has their rows alone")
    parser.add_argument("--merge", action="store_true", help="run nothing: the page of what the work folder holds")
    given = parser.parse_args()
    if not given.normcheck.exists():
        print(f"table.py: no program {given.normcheck}: ./normcheck kernels builds it, or --normcheck PROGRAM", file=sys.stderr)
        return 2
    results = []
    for name, environment_name, adapter, limit in KERNELS:
        if given.only and name not in given.only:
            continue
        print(f"table.py: {name}", file=sys.stderr)
        results.append(judge(given.normcheck.resolve(), name, environment_name, adapter, limit, given.work.resolve() / name,
                             given.merge))
    results += [{"name": name, "not_checked": reason} for name, reason in NOT_CHECKED.items()]
    page.write(results, given.out, given.work.resolve(), SEED, CASES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
