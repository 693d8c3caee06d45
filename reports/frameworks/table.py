#!/usr/bin/env python3
"""Judges every framework that install.sh installed, and normcheck's own kernels, and writes the accuracy table: table.json, README.md,
index.html and the worst rows.

usage: table.py [--normcheck PROGRAM] [--fuzz FOLDER] [--out FOLDER] [--work FOLDER] [--again FOLDER] [--only NAME]...
What a work folder already holds is not run again; an interrupted table goes on from where it stopped. --again runs the whole table a
second time in another work folder and says in the table where the two differ."""
import argparse
import json
import os
import sys
import time
from pathlib import Path

import compare
import figures
import page
import steps
from kernels import KERNELS, NOT_CHECKED

ROOT = Path(__file__).resolve().parent.parent.parent


def judge(kernel, given, work):
    """All steps on one kernel as an entry of the table; a reason instead where its framework is not installed or does not start."""
    asker = steps.Asker(kernel, work / kernel.name, given.normcheck.resolve(), given.fuzz.resolve(), ROOT / "properties/regressions")
    if given.merge and not asker.answered():
        return {"name": kernel.name, "not_checked": "not run"}
    if kernel.environment and not asker.answered():
        python = Path(os.environ.get("NORMCHECK_FRAMEWORKS", Path.home() / ".cache/normcheck-frameworks")) / kernel.environment / "bin/python"
        if not python.exists():
            return {"name": kernel.name, "not_checked": f"not installed: install.sh {kernel.environment}"}
        asker.launcher(python)
        described = asker.description()
        if not described["ops"]:
            return {"name": kernel.name, "not_checked": described["err"] or "the adapter does not start"}
    return figures.entry(kernel, asker.all(), asker.work)


def whole_table(given, work):
    entries = []
    for kernel in KERNELS:
        if not given.only or kernel.name in given.only:
            print(f"table.py: {kernel.name} in {work}", file=sys.stderr, flush=True)
            entries.append(judge(kernel, given, work))
    return entries + [{"name": name, "not_checked": reason} for name, reason in NOT_CHECKED.items()]


def timed(given, work):
    """The entries of a run, and {seconds, cores} of it where the work folder holds a run of all columns in one go; else None."""
    in_one_go = not given.only and not any(work.glob("*/*.json"))
    begin = time.monotonic()
    entries = whole_table(given, work)
    path = work / "run.json"
    if in_one_go:
        path.write_text(json.dumps({"seconds": round(time.monotonic() - begin), "cores": len(os.sched_getaffinity(0))}))
    return entries, json.loads(path.read_text()) if path.exists() else None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--normcheck", type=Path, default=ROOT / "build/release/reports/normcheck")
    parser.add_argument("--fuzz", type=Path, default=ROOT / "build/release/black_box")
    parser.add_argument("--out", type=Path, default=ROOT / "reports/published/frameworks")
    parser.add_argument("--work", type=Path, default=ROOT / "build/frameworks")
    parser.add_argument("--again", type=Path, help="the second run's work folder")
    parser.add_argument("--merge", action="store_true", help="run nothing: the table of what the work folders hold")
    parser.add_argument("--only", action="append", help="these columns alone")
    return parser.parse_args()


def main():
    given = arguments()
    for path, mend in ((given.normcheck, "./normcheck kernels builds it, or --normcheck PROGRAM"),
                       (given.fuzz / "fuzz_layer_norm", "reports/frameworks/black_box.sh builds it, or --fuzz FOLDER")):
        if not path.exists():
            print(f"table.py: no {path}: {mend}", file=sys.stderr)
            return 2
    entries, took = timed(given, given.work.resolve())
    second, took_again = timed(given, given.again.resolve()) if given.again else (None, None)
    again = compare.differences(entries, second) if given.again else None
    page.write(entries, again, figures.head(given.work.resolve()) | {"runs": [took, took_again]}, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
