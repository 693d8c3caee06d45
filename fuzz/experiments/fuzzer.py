"""Runs one fuzz target once and reads what it says of itself; shared by the experiments."""
import concurrent.futures
import dataclasses
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

MODES = {
    "plain": ("bytes", "off", []),
    "value-profile": ("bytes", "off", ["-use_value_profile=1"]),
    "mutator": ("row-moves", "off", ["-entropic=0"]),
    "mutator+guidance": ("row-moves", "on", ["-entropic=0"]),
    "fresh": ("fresh", "off", ["-entropic=0"]),
}
BROKEN = (77, 1)  # libFuzzer's exit codes after an abort of the target, and after a signal that the sanitizers' runtime takes


@dataclasses.dataclass
class Task:
    program: str
    kernel: str
    mode: str
    seed: int
    runs: int
    seconds: int
    stats: bool = False  # record findings and go on, instead of ending with the first broken promise


@dataclasses.dataclass
class Outcome:
    executions: int
    found: bool
    seconds: float
    worst_bound_ratio: float = 0.0
    worst_row_ulp: float = 0.0
    words: str = ""  # what the target said first
    worst_by_cell: dict = dataclasses.field(default_factory=dict)  # row ulps by "FORMAT OF X, CLASS OF THE ROW"


def run(task):
    mutations, guidance, flags = MODES[task.mode]
    with tempfile.TemporaryDirectory() as scratch:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NORMCHECK_")}
        environment |= {"NORMCHECK_KERNEL": task.kernel, "NORMCHECK_MUTATIONS": mutations, "NORMCHECK_GUIDANCE": guidance}
        if task.stats:
            os.mkdir(f"{scratch}/findings")
            environment |= {"NORMCHECK_FINDINGS": f"{scratch}/findings", "NORMCHECK_STATS": f"{scratch}/stats.json"}
        command = [task.program, f"-runs={task.runs}", f"-seed={task.seed}", f"-max_total_time={task.seconds}", "-max_len=4096",
                   "-len_control=0", "-use_cmp=0", "-print_final_stats=1", "-print_funcs=0", "-timeout=60", f"-artifact_prefix={scratch}/", *flags]
        start = time.monotonic()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
        seconds = time.monotonic() - start
        counted = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
        crashed = any(name.startswith("crash-") for name in os.listdir(scratch))
        if done.returncode not in (0, *BROKEN) or not counted or (done.returncode != 0) != crashed:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        words = re.search(r"^normcheck: (.*)$", done.stderr, re.M)
        said = words[1] if words else "crash" if crashed else ""
        outcome = Outcome(int(counted[1]), crashed, seconds, words=said)
        if task.stats:
            with open(f"{scratch}/stats.json") as file:
                worst = json.load(file)
            outcome.worst_bound_ratio = worst["worst_bound_ratio_q20"] / 2**20
            outcome.worst_row_ulp = worst["worst_row_ulp_q20"] / 2**20
            for cell in worst["cells"]:
                name = f"{cell[1]}, {cell[4]}"
                outcome.worst_by_cell[name] = max(outcome.worst_by_cell.get(name, 0.0), cell[6] / 2**20)
            outcome.found = bool(os.listdir(f"{scratch}/findings"))
        return outcome


def run_all(tasks, jobs):
    """Outcomes in the order of the tasks; a line on stderr for each."""
    done = 0

    def one(task):
        nonlocal done
        outcome = run(task)
        done += 1
        print(f"{done}/{len(tasks)} {task.kernel} {task.mode} seed {task.seed}: {outcome.executions} executions, "
              f"{'broken' if outcome.found else 'kept'}, {outcome.seconds:.1f} s", file=sys.stderr, flush=True)
        return outcome

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, tasks))


def kernels(program, kind):
    listed = json.loads(subprocess.run([program, "kernels", "--json"], check=True, capture_output=True, text=True).stdout)
    return [kernel for kernel in listed["kernels"] if kernel["kind"] == kind]


def environment_facts(program):
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return {"processor": model[1] if model else platform.machine(), "system": platform.platform(), "commit": commit,
            "cores": os.cpu_count(), "load_at_start": round(os.getloadavg()[0], 1), "targets": os.path.basename(program)}
