#!/usr/bin/env python3
"""What a minute on one core reaches: every mutant found, and the worst error of honest kernels against a random sweep.

    fuzz/experiments/reach.py mutants [--seeds 3] [--seconds 60] [--jobs N] [--out reports/published/reach-mutants]
    fuzz/experiments/reach.py honest  [--seeds 5] [--seconds 60] [--sweep 1000000] [--jobs N] [--out reports/published/reach-honest]

from empty corpora, on the targets of `cmake --preset fuzz`; writes OUT.md and OUT.json. Exit 1 where something was missed.
"""
import argparse
import dataclasses
import json
import os
import sys
import time

import fuzzer

X_FORMATS = ["f32", "f16", "bf16"]
SATURATED = 2.0**43 - 1  # row ulps: the largest figure that a worker counts
HONEST = ["honest:two-pass-recursive-f32", "honest:welford-recursive-f32", "honest:one-pass-recursive-f32"]


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["mutants", "honest"])
    parser.add_argument("--targets", default="build/fuzz/fuzz")
    parser.add_argument("--normcheck", default="./normcheck")
    parser.add_argument("--kernels", nargs="*", help="instead of all")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--sweep", type=int, default=1_000_000, help="cases of the random sweep")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--render", metavar="OUT.json", help="honest: the tables of these runs again, none is made")
    parser.add_argument("--out")
    return parser.parse_args()


def write(out, facts, rows, lines):
    with open(out + ".md", "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(out + ".json", "w") as file:
        json.dump({"schema": "normcheck/reach/1", "environment": facts, "runs": rows}, file)


def opening(title, arguments, facts, seeds):
    return [f"# {title}", "", f"{seeds} seeds, {arguments.seconds} s each on one core, from an empty corpus. Command: `{facts['command']}`.", "",
            f"Environment: {facts['processor']}, {facts['system']}, commit {facts['commit']}, load {facts['load_at_start']} at the start.", ""]


def mutants(arguments, facts):
    seeds = arguments.seeds or 3
    listed = fuzzer.kernels(arguments.normcheck, "mutant")
    chosen = [k for k in listed if not arguments.kernels or k["name"] in arguments.kernels]
    tasks = [fuzzer.Task(f"{arguments.targets}/fuzz_{k['ops'][0]}", k["name"], "mutator+guidance", seed, -1, arguments.seconds)
             for k in chosen for seed in range(1, seeds + 1)]
    outcomes = fuzzer.run_all(tasks, arguments.jobs)
    rows = [dataclasses.asdict(t) | {"program": os.path.basename(t.program)} | dataclasses.asdict(o) for t, o in zip(tasks, outcomes)]
    missed = sorted({row["kernel"] for row in rows if not row["found"]})
    lines = opening("Every mutant in a minute", arguments, facts, seeds)
    lines += [f"{len(chosen) - len(missed)} of {len(chosen)} mutants found in {seeds} of {seeds} seeds"
              + (f"; missed by a seed at least: {', '.join(missed)}" if missed else "") + ".", "",
              "| mutant | slowest seed, s | most executions | found by |", "|---|---:|---:|---|"]
    for k in sorted(chosen, key=lambda k: -max(r["seconds"] for r in rows if r["kernel"] == k["name"])):
        own = [r for r in rows if r["kernel"] == k["name"]]
        words = max(own, key=lambda r: r["seconds"])["words"].removeprefix(k["name"] + " ").split(":")[0]
        lines.append(f"| {k['name'].removeprefix('mutant:')} | {max(r['seconds'] for r in own):.1f} | "
                     f"{max(r['executions'] for r in own):,} | {words or 'MISSED'} |")
    write(arguments.out or "reports/published/reach-mutants", facts, rows, lines)
    return not missed


def cells_text(campaign, sweep):
    """Cells of the sweep by how the campaign stands there: (worse, equal, both saturated, the names of those that it missed)."""
    worse = equal = saturated = 0
    missed = []
    for name, most in sorted(sweep["worst_by_cell"].items()):
        own = campaign["worst_by_cell"].get(name, 0.0)
        if most == 0.0:
            continue  # nothing was promised there
        if min(own, most) >= SATURATED:
            saturated += 1
        elif own > most:
            worse += 1
        elif own == most:
            equal += 1
        else:
            missed.append(f"{name}: {own:.4g} against {most:.4g}")
    return worse, equal, saturated, missed


def in_each_cell(campaigns, sweep):
    lines = ["| x, class of the row | sweep | least of the campaigns | most |", "|---|---:|---:|---:|"]
    for name, most in sorted(sweep["worst_by_cell"].items()):
        own = [c["worst_by_cell"].get(name, 0.0) for c in campaigns]
        if most > 0.0:
            lines.append(f"| {name} | {most:.4g} | {min(own):.4g} | {max(own):.4g} |")
    return lines


def worst_of(outcome, cells):
    return max((outcome["worst_by_cell"].get(name, 0.0) for name in cells), default=0.0)


def honest_runs(arguments, program, seeds):
    tasks = []
    for name in arguments.kernels or HONEST:
        tasks.append(fuzzer.Task(program, name, "fresh", 1, arguments.sweep, 86400, stats=True))
        tasks += [fuzzer.Task(program, name, "mutator+guidance", seed, -1, arguments.seconds, stats=True) for seed in range(1, seeds + 1)]
    outcomes = fuzzer.run_all(tasks, arguments.jobs)
    return [dataclasses.asdict(t) | {"program": os.path.basename(t.program)} | dataclasses.asdict(o) for t, o in zip(tasks, outcomes)]


def honest_line(campaign, sweep):
    """A row of the table, and whether the campaign's worst error over all formats is at least the sweep's."""
    decided = [name for name, most in sweep["worst_by_cell"].items() if 0.0 < most < SATURATED]
    figures = []
    for x in X_FORMATS:
        own, most = (worst_of(outcome, [name for name in decided if name.startswith(x + ",")]) for outcome in (campaign, sweep))
        figures.append(f"{own:.4g} / {most:.4g}" + ("" if own >= most else " LESS"))
    worse, equal, saturated, missed = cells_text(campaign, sweep)
    q20 = [round(outcome["worst_bound_ratio"] * 2**20) for outcome in (campaign, sweep)]
    reached = worst_of(campaign, decided) >= worst_of(sweep, decided) and q20[0] >= q20[1]
    return (f"| {campaign['kernel'].removeprefix('honest:')} | {campaign['seed']} | {campaign['executions']:,} | {'yes' if reached else 'NO'} | "
            f"{' | '.join(figures)} | {q20[0]:,} / {q20[1]:,} | {worse}, {equal}, {saturated} | {'; '.join(missed) or 'none'} |"), reached


def honest(arguments, facts):
    seeds = arguments.seeds or 5
    if arguments.render:
        with open(arguments.render) as file:
            known = json.load(file)
        facts, rows = known["environment"], known["runs"]
    else:
        rows = honest_runs(arguments, f"{arguments.targets}/fuzz_layer_norm", seeds)
    lines = opening("The worst error of honest kernels", arguments, facts, seeds)
    lines += [f"Campaigns of {arguments.seconds} s against one random sweep of {arguments.sweep:,} cases of the same families, both judged by the "
              "target. Errors are the worst row ulps (cases without a promise left out), campaign / sweep, for each format of x. The figure ends at "
              f"{SATURATED:.4g} (an output of infinity counts as 2^(emax+1)), which on some rows any f32 formula reaches: cells (format of x by "
              "class of the row, `fuzz/row_class.h`) in which the sweep stands there are left out of these figures. `at least as bad`: over all "
              "formats, and on the contract's own scale, observed/promised in 2^-20, which is nearly 1 wherever the last rounding dominates the "
              "bound and tells little. Cells: in how many the campaign is worse, equal, both at the end; then those in which it is less.", "",
              "| kernel | seed | executions | at least as bad | f32 | f16 | bf16 | observed/promised, 2^-20 | cells | less in |",
              "|---|---:|---:|---|---:|---:|---:|---:|---|---|"]
    kept = True
    tables = []
    for name in dict.fromkeys(row["kernel"] for row in rows):
        sweep, *campaigns = [row for row in rows if row["kernel"] == name]
        for campaign in campaigns:
            line, reached = honest_line(campaign, sweep)
            lines.append(line)
            kept &= reached
        tables += ["", f"## {name}", ""] + in_each_cell(campaigns, sweep)
    write(arguments.out or "reports/published/reach-honest", facts, rows, lines + tables)
    return kept


def main():
    arguments = parsed()
    facts = fuzzer.environment_facts(f"{arguments.targets}/fuzz_layer_norm")
    facts["command"] = " ".join(["fuzz/experiments/reach.py", *sys.argv[1:]])
    start = time.monotonic()
    reached = {"mutants": mutants, "honest": honest}[arguments.what](arguments, facts)
    print(f"{(time.monotonic() - start) / 60:.1f} minutes", file=sys.stderr)
    sys.exit(0 if reached else 1)


if __name__ == "__main__":
    main()
