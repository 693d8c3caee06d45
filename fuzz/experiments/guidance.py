#!/usr/bin/env python3
"""Executions to the first broken promise: mutants x (plain libFuzzer, value profile, mutator, mutator and guidance).

    fuzz/experiments/guidance.py [--seeds 5] [--cap 2000000] [--minutes 110] [--jobs N] [--out reports/published/guidance]

needs two builds: `cmake --preset fuzz` and, with mutants that carry coverage,
`cmake --preset fuzz -B build/fuzz-covered -DNORMCHECK_COVER_TEST_KERNELS=ON`, each with target `fuzzers`. Writes OUT.md and OUT.json.
"""
import argparse
import dataclasses
import json
import math
import os
import sys
import time

import fuzzer

COMPARED = ["plain", "value-profile", "mutator", "mutator+guidance"]
COUNTED_ABOVE = 1000  # executions that plain libFuzzer needs, for a mutant to count in the mean


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--covered", default="build/fuzz-covered/fuzz", help="targets whose mutants carry coverage")
    parser.add_argument("--black-box", default="build/fuzz/fuzz", help="targets whose mutants carry none")
    parser.add_argument("--mutants", nargs="+", required=True)
    parser.add_argument("--black-box-mutants", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cap", type=int, default=2_000_000, help="executions of one run")
    parser.add_argument("--minutes", type=float, default=110, help="for all runs together; shared out evenly over them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="reports/published/guidance")
    return parser.parse_args()


def tasks_of(arguments):
    wanted = [(arguments.covered, "covered", name) for name in arguments.mutants]
    wanted += [(arguments.black_box, "black box", name) for name in arguments.black_box_mutants]
    count = len(wanted) * len(COMPARED) * arguments.seeds
    seconds = max(1, int(arguments.minutes * 60 * arguments.jobs / count))
    return seconds, [(build, fuzzer.Task(f"{folder}/fuzz_layer_norm", name, mode, seed, arguments.cap, seconds))
                     for folder, build, name in wanted for mode in COMPARED for seed in range(1, arguments.seeds + 1)]


def geometric_mean(values):
    return math.exp(sum(math.log(max(1, v)) for v in values) / len(values))


def ratio_of(plain, other):
    """(factor, mark): '>=' where plain was cut off, '?' where the other was too and nothing follows."""
    factor = geometric_mean([o.executions for o in plain]) / geometric_mean([o.executions for o in other])
    if not all(o.found for o in other):
        return factor, "?"
    return factor, "" if all(o.found for o in plain) else ">="


def cell(outcomes):
    mean = geometric_mean([o.executions for o in outcomes])
    cut = sum(not o.found for o in outcomes)
    return f"{'> ' if cut else ''}{mean:,.0f}{f' ({cut} cut)' if cut else ''}"


def table(results, build):
    lines = [f"| mutant | {' | '.join(COMPARED)} | plain / guided |", "|---|" + "---:|" * (len(COMPARED) + 1)]
    ratios = []
    for name in dict.fromkeys(n for b, n, _ in results if b == build):
        rows = {mode: results[build, name, mode] for mode in COMPARED}
        factor, mark = ratio_of(rows["plain"], rows["mutator+guidance"])
        counts = geometric_mean([o.executions for o in rows["plain"]]) > COUNTED_ABOVE
        if counts:
            ratios.append((factor, mark))
        lines.append(f"| {name.removeprefix('mutant:')} | {' | '.join(cell(rows[m]) for m in COMPARED)} | "
                     f"{mark + ' ' if mark else ''}{factor:,.1f}{'' if counts else ' (not counted)'} |")
    return lines, ratios


def summary(ratios):
    sure = [factor for factor, mark in ratios if mark != "?"]
    if not sure:
        return "No mutant of this table needs more than 1,000 executions of plain libFuzzer."
    bound = any(mark == ">=" for _, mark in ratios)
    dropped = len(ratios) - len(sure)
    text = (f"Geometric mean of plain / guided over the {len(sure)} mutants for which plain libFuzzer needs more than "
            f"{COUNTED_ABOVE:,}: {'at least ' if bound else ''}**{geometric_mean(sure):,.1f}**.")
    return text + (f" {dropped} more were cut in the guided mode too and are left out." if dropped else "")


def markdown(arguments, facts, results, seconds):
    lines = ["# Executions to the first broken promise", "",
             f"Geometric means over {arguments.seeds} seeds, from an empty corpus, op layer_norm, one decoder and one target for all modes, "
             f"-max_len=4096. A run ends at {arguments.cap:,} executions or {seconds} s; `n cut` says how many seeds were cut there without "
             "a finding, so that their figures, and ratios marked >=, are lower bounds. The target asks laws that need no reference in every "
             "mode.", "", f"Command: `{facts['command']}`", "",
             f"Environment: {facts['processor']}, {facts['system']}, commit {facts['commit']}, load {facts['load_at_start']} at the start, "
             f"{facts['elapsed_minutes']} minutes.", "", "## Mutants compiled with coverage", ""]
    for build, title in (("covered", None), ("black box", "## Black boxes: the same without coverage")):
        if title and not any(b == build for b, _, _ in results):
            continue
        rows, ratios = table(results, build)
        lines += ([title, ""] if title else []) + rows + ["", summary(ratios), ""]
    return "\n".join(lines)


def main():
    arguments = parsed()
    seconds, tasks = tasks_of(arguments)
    facts = fuzzer.environment_facts(tasks[0][1].program)
    facts["command"] = " ".join(["fuzz/experiments/guidance.py", *sys.argv[1:]])
    start = time.monotonic()
    outcomes = fuzzer.run_all([task for _, task in tasks], arguments.jobs)
    facts["elapsed_minutes"] = round((time.monotonic() - start) / 60, 1)
    results = {}
    for (build, task), outcome in zip(tasks, outcomes):
        results.setdefault((build, task.kernel, task.mode), []).append(outcome)
    with open(arguments.out + ".md", "w") as file:
        file.write(markdown(arguments, facts, results, seconds))
    runs = [{"build": b, "mutant": n, "mode": m, "seed": i + 1} | dataclasses.asdict(o)
            for (b, n, m), found in results.items() for i, o in enumerate(found)]
    with open(arguments.out + ".json", "w") as file:
        json.dump({"schema": "normcheck/guidance/1", "environment": facts, "cap": arguments.cap, "seconds_a_run": seconds, "runs": runs}, file)


if __name__ == "__main__":
    main()
