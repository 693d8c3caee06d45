"""What is asked of one kernel, each step once: the work folder keeps its answer, and an interrupted table goes on from there."""
import contextlib
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import rows

HERE = Path(__file__).resolve().parent
SEED = 1
EPSILONS = "1e-5,1e-6,1e-12,0"
LAWS = ("empty", "batch-independence", "batch-size", "row-ranges", "many-rows", "repeatable")  # each starts the adapter anew
STEPS = ("report", "activations", "probe", "replay", "laws", "threads", "campaign")
GUARD_S = 1200  # a step that takes longer is cut; budgets are counts
CALL_GUARD_S = 120


def environment(work, step, threads=1):
    """Of an adapter: its threads, the folder of its facts, and caches of compiled code that begin empty in every work folder."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NORMCHECK_FRAMEWORK_THREADS", "CPU_COUNT")
    facts, cache = work / "facts" / step, work / "cache"
    for folder in (facts, cache):
        folder.mkdir(parents=True, exist_ok=True)
    return os.environ | {name: str(threads) for name in names} | {
        "NORMCHECK_TIME_LIMIT": str(CALL_GUARD_S), "NORMCHECK_FRAMEWORK_FACTS": str(facts), "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}", "JAX_COMPILATION_CACHE_DIR": str(cache / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"), "TORCHINDUCTOR_COMPILE_THREADS": "1", "DEV": "CPU", "PARALLEL": "0", "CACHEDB": str(cache / "tinygrad.db"), "TF_CPP_MIN_LOG_LEVEL": "3"}


def run(command, folder, given, limit=GUARD_S):
    """stdout, stderr's last line and exit code; after `limit` seconds SIGINT, which normcheck answers with what it has, then the end."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=given, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    cut = False
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        cut = True
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=180)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
    return {"command": shlex.join([Path(command[0]).name, *map(str, command[1:])]), "exit": process.returncode,
            "cut_after_s": limit if cut else None, "seconds": round(time.monotonic() - begin, 1), "out": out,
            "err": (err.strip().splitlines() or [""])[-1]}


def kept(work, step, make):
    """What make() answers, or what an earlier run of this step left."""
    path = work / f"{step}.json"
    if not path.exists():
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(make(), indent=1))
        partial.replace(path)
    return json.loads(path.read_text())


class Asker:
    """One kernel and its work folder. `normcheck`: the program; `fuzz`: the folder of the fuzz targets."""

    def __init__(self, kernel, work, normcheck, fuzz, regressions):
        self.kernel, self.work, self.normcheck, self.fuzz, self.regressions = kernel, work, normcheck, fuzz, regressions
        self.name = "exec:./kernel" if kernel.environment else kernel.adapter
        self.socket = work / "forks"
        work.mkdir(parents=True, exist_ok=True)
        (work / "facts").mkdir(exist_ok=True)

    def launcher(self, python):
        """A program ./kernel, so that neither this machine's paths nor a long name get into what is published; ./forked by preload.py."""
        direct = f"{shlex.quote(str(python))} {shlex.quote(str(HERE))}/adapters/{self.kernel.adapter}"
        forked = f"/usr/bin/python3 -S {shlex.quote(str(HERE))}/preload.py {shlex.quote(str(self.socket))}"
        program = self.work / "kernel"
        program.write_text(f"#!/bin/sh\n[ -S {shlex.quote(str(self.socket))} ] && [ $NORMCHECK_FRAMEWORK_THREADS = 1 ] && exec {forked}\nexec {direct}\n")
        program.chmod(0o755)
        self.direct = direct

    @contextlib.contextmanager
    def preloaded(self):
        """Meanwhile the adapter's processes are forks of one, where the kernel wants that."""
        if not self.kernel.preload:
            yield
            return
        self.socket.unlink(missing_ok=True)
        keeper = subprocess.Popen(shlex.split(self.direct), cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  env=environment(self.work, "describe") | {"NORMCHECK_FRAMEWORK_PRELOAD": str(self.socket)})
        try:
            while not self.socket.exists() and keeper.poll() is None:
                time.sleep(0.05)
            yield
        finally:
            keeper.kill()
            keeper.wait()
            self.socket.unlink(missing_ok=True)

    def description(self):
        """{ops, formats} as the adapter's first lines have them; without ops, and with the last line of stderr, where it does not start."""
        if not self.kernel.environment:
            return {"ops": [self.kernel.adapter.removesuffix("_fast")], "formats": ["f32", "f16", "bf16"]}
        answer = subprocess.run(["./kernel"], cwd=self.work, env=environment(self.work, "describe"), stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=GUARD_S, check=False)
        lines = dict(line.split(" ", 1) for line in answer.stdout.splitlines() if " " in line)
        return {"ops": lines.get("ops", "").split(), "formats": lines.get("formats", "").split(),
                "err": (answer.stderr.strip().splitlines() or [""])[-1]}

    def normcheck_run(self, step, *arguments):
        return run([str(self.normcheck), *map(str, arguments), "--kernel", self.name], self.work, environment(self.work, step))

    def report(self):
        shard = [] if self.kernel.shard == "1/1" else ["--shard", self.kernel.shard]
        return self.normcheck_run("report", "report", "--quick", "--no-laws", "--epsilons", EPSILONS, "--seed", SEED, "--out", "report", *shard)

    def activations(self):
        rows.write_activations(self.regressions, self.work / "rows")
        return self.normcheck_run("activations", "judge", "--json", "--outputs", *sorted(f"rows/{path.name}" for path in (self.work / "rows").glob("act*.json")))

    def probe(self):
        return self.normcheck_run("probe", "judge", "--probe")

    def replay(self):
        return self.normcheck_run("replay", "properties", "--replay")

    def laws(self):
        return self.normcheck_run("laws", "properties", "--all", "--no-shrink", "--cases", self.kernel.cases, "--seed", SEED,
                                  *(word for law in LAWS for word in ("--law", law)))

    def threads(self):
        """{op: {threads: digest of the outputs}} on one wide call."""
        if not self.kernel.environment:
            return {}
        described, found = self.description(), {}
        triple = (described["formats"][0].split("/") * 3)[:3]
        for op in described["ops"]:
            case = rows.write_wide(self.work, op, triple)
            for count in (1, 2):
                answer = run([str(self.normcheck), "judge", "--json", "--outputs", "--kernel", self.name, case.name], self.work,
                             environment(self.work, f"threads-{count}", count))
                got = json.loads(answer["out"])[0].get("got") if answer["exit"] in (0, 1) else None
                found.setdefault(op, {})[str(count)] = hashlib.sha256(json.dumps(got).encode()).hexdigest() if got else answer["err"]
        return found

    def campaign(self):
        """The fuzz target of each op (black_box.sh), with everything off that hangs on the clock or on addresses: the same inputs in each run."""
        found = {}
        for op in self.description()["ops"]:
            folder = self.work / f"campaign-{op}"
            shutil.rmtree(folder, ignore_errors=True)  # of one that was interrupted
            for part in ("findings", "worst"):
                (folder / part).mkdir(parents=True, exist_ok=True)
            given = environment(self.work, "campaign") | {"NORMCHECK_KERNEL": self.name.replace("./", "../"), "NORMCHECK_FINDINGS": "findings",
                                                          "NORMCHECK_WORST": "worst"}
            found[op] = run([str(self.fuzz / f"fuzz_{op}"), f"-runs={self.kernel.runs}", f"-seed={SEED}", "-max_len=2048", "-use_cmp=0",
                             "-reload=0", "-entropic=0", "-len_control=0", "-print_funcs=0", "-timeout=600"], folder, given) | {"worst": self.worst_of(folder)}
        return found

    def worst_of(self, folder):
        """The verdict's worst element on the campaign's worst row."""
        worst = max(sorted(folder.glob("worst/*.row-ulp.figures.json")), key=lambda path: json.loads(path.read_text())["row_ulp_q20"], default=None)
        if worst is None:
            return None
        row = worst.name.replace(".figures.", ".row.")
        answer = self.normcheck_run("campaign", "judge", "--json", f"{folder.name}/worst/{row}")
        return json.loads(answer["out"])[0].get("worst") if answer["exit"] in (0, 1) else None

    def answered(self):
        return all((self.work / f"{step}.json").exists() for step in STEPS)

    def all(self):
        with contextlib.nullcontext() if self.answered() else self.preloaded():
            return {step: kept(self.work, step, getattr(self, step)) for step in STEPS}
