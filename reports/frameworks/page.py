"""Merges what table.py collected into table.json, README.md and the worst rows' case files."""
import datetime
import json
import shutil

LARGEST_CASE_BYTES = 20000
TALLY_ENDS = 2.0**43  # ulps; the reports' tallies hold larger errors as this
FIELDS = ("x", "got", "want", "ulp", "row_ulp", "width", "row", "index")


def number(value):
    return "-" if value is None else f"{'>= ' if value == TALLY_ENDS else ''}{value:.3g}"


def plain(formats):
    """f32 for f32/f32/f32; other triples as they are."""
    words = formats.split("/")
    return words[0] if len(set(words)) == 1 else formats


def largest(cells, field):
    measured = [cell for cell in cells if isinstance(cell.get(field), (int, float))]
    return max(measured, key=lambda cell: cell[field], default=None)


def worst_row(cells, result, out, work):
    """The worst row whose case file is small enough to be committed, copied into out/worst; None where there is none."""
    folder = work / result["name"] / "report"
    for cell in sorted((c for c in cells if c.get("worst") and isinstance(c.get("max_row_ulp"), (int, float))),
                       key=lambda c: -c["max_row_ulp"]):
        source = folder / cell["worst"]["file"]
        if source.exists() and source.stat().st_size <= LARGEST_CASE_BYTES:
            name = f"{result['name']}-{cell['op']}-{plain('/'.join((cell['x_format'], cell['param_format'], cell['y_format']))).replace('/', '-')}.case.json"
            (out / "worst").mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, out / "worst" / name)
            return {"file": f"worst/{name}", "family": cell["family"], "epsilon": cell["epsilon"],
                    "fault": cell["worst"].get("fault") or None, "diagnosis": cell["worst"].get("diagnosis") or [],
                    **{field: cell["worst"].get(field) for field in FIELDS}}
    return None


def figures(cells, result, out, work):
    judged = sum(cell["judged"] for cell in cells)
    row, element = largest(cells, "max_row_ulp"), largest(cells, "max_ulp")
    families = {name: largest([cell for cell in cells if cell["family"] == name], "max_row_ulp") for name in sorted({c["family"] for c in cells})}
    return {"judged": judged, "not_checked": sum(cell["not_checked"] for cell in cells),
            "correctly_rounded": sum(cell["correctly_rounded"] for cell in cells) / judged if judged else None,
            "max_row_ulp": row and row["max_row_ulp"], "max_row_ulp_family": row and row["family"],
            "max_ulp": element and element["max_ulp"], "class_faults": sum(cell["class_faults"] for cell in cells),
            "max_row_ulp_by_family": {name: cell and cell["max_row_ulp"] for name, cell in families.items()},
            "worst_row_published": worst_row(cells, result, out, work)}


def probe_answers(text):
    """{op: {aspect: [answers]}} from the first line of each finding of `judge --probe`."""
    answers = {}
    for line in text.splitlines():
        if line.startswith(("layer_norm ", "rms_norm ")):
            answers.setdefault(line[:11].strip(), {}).setdefault(line[11:26].strip(), []).append(line[26:].strip())
    return answers


def law_outcomes(text):
    """[{law, outcome, evidence}] of `properties --all`; the evidence of a broken law is the line below it."""
    laws = []
    for line in text.splitlines()[1:]:
        words = line.split()
        if line.startswith("  ") and not line.startswith("   ") and len(words) >= 4:
            laws.append({"law": words[0], "outcome": next(o for o in ("BROKEN", "gave up", "not applicable", "kept", "?") if o in line or o == "?")})
        elif laws and line.startswith("    ") and "evidence" not in laws[-1] and laws[-1]["outcome"] == "BROKEN":
            laws[-1]["evidence"] = line.strip()
    return laws


def replayed(text):
    lines = [line.split(None, 1) for line in text.splitlines()[1:] if line.strip()]
    kinds = {outcome: sum(rest.startswith(outcome) for _, rest in lines) for outcome in ("HAS IT", "free", "not asked")}
    return {"counts": kinds, "above": [f"{row} {rest.removeprefix('HAS IT').strip()}" for row, rest in lines if rest.startswith("HAS IT")]}


def merged(result, out, work):
    if "not_checked" in result:
        return result
    cells, facts, steps = result["report"]["kernels"][0]["cells"], result["facts"], result["steps"]
    keys = sorted({(c["op"], "/".join((c["x_format"], c["param_format"], c["y_format"]))) for c in cells})
    largest_run = max(facts, key=lambda fact: fact["elements"], default=None)
    return {"name": result["name"], "adapter": result["adapter"], "release": facts[0]["release"] if facts else None,
            "interrupted": bool(result["report"].get("interrupted")), "cells": len(cells), "epsilon": facts[0]["epsilon"] if facts else None,
            "threads": facts[0]["threads"] if facts else None,
            "mxcsr_before": sorted({f["mxcsr_before"] for f in facts}), "mxcsr_after": sorted({f.get("mxcsr_after") for f in facts}),
            "elements_per_s": largest_run and largest_run["elements"] / largest_run["seconds"],
            "figures": [{"op": op, "formats": formats, **figures(
                [c for c in cells if c["op"] == op and formats == "/".join((c["x_format"], c["param_format"], c["y_format"]))], result, out, work)}
                for op, formats in keys],
            "probe": probe_answers(steps["probe"]["out"]), "public_bugs": replayed(steps["replay"]["out"]),
            "laws": law_outcomes(steps["laws"]["out"]),
            "commands": {name: {"command": step["command"], "exit": step["exit"], "cut_after_s": step["cut_after_s"],
                                "note": step.get("note")} for name, step in steps.items()}}


def grid(heads, rows):
    return ["", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)] + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def accuracy_rows(table):
    for entry in table:
        if "not_checked" in entry:
            yield [entry["name"], "", "", "not checked: " + entry["not_checked"]] + [""] * 5
            continue
        for f in entry["figures"]:
            if not f["judged"]:
                yield [entry["name"], f["op"], plain(f["formats"]), "not checked: no case within what the op has"] + [""] * 5
                continue
            yield [entry["name"], f["op"], plain(f["formats"]), f["judged"], f"{100 * f['correctly_rounded']:.2f} %",
                   number(f["max_row_ulp_by_family"].get("activations")), f"{number(f['max_row_ulp'])} ({f['max_row_ulp_family']})",
                   number(f["max_ulp"]), f["class_faults"]]


def worst_rows(table):
    for entry in table:
        for f in entry.get("figures", []):
            if w := f["worst_row_published"]:
                yield [entry["name"], f["op"], plain(f["formats"]), w["family"], w["epsilon"], w["x"], w["got"], w["want"], number(w["row_ulp"]),
                       f"[case]({w['file']})"]


def run_rows(table):
    for entry in table:
        if "not_checked" not in entry:
            yield [entry["name"], entry["release"], entry["epsilon"], entry["threads"], ", ".join(entry["mxcsr_before"]),
                   ", ".join(map(str, entry["mxcsr_after"])), f"{entry['elements_per_s']:,.0f}",
                   f"{entry['cells']}{', ended by the time limit' if entry['interrupted'] else ''}"]


def probe_rows(table):
    for entry in table:
        for op, aspects in entry.get("probe", {}).items():
            special = [answer for answer in aspects.get("special values", []) if not answer.endswith("as defined")]
            yield [entry["name"], op, *("; ".join(aspects.get(name, ["-"])) for name in ("epsilon", "accumulation", "order", "output")),
                   "; ".join(special) or "as defined"]


def law_rows(table):
    for entry in table:
        if "not_checked" not in entry:
            broken = [law for law in entry["laws"] if law["outcome"] == "BROKEN"]
            cut = ", ended by the time limit" if entry["commands"]["laws"]["cut_after_s"] else ""
            yield [entry["name"], f"{sum(law['outcome'] == 'kept' for law in entry['laws'])}{cut}" if entry["laws"] else "not checked: time limit", ", ".join(law["law"] for law in broken) or "-",
                   *(next((law["outcome"].lower() for law in entry["laws"] if law["law"] == name), "not checked: time limit")
                     for name in ("batch-independence", "batch-size", "row-ranges", "repeatable")),
                   "not checked: time limit" if not entry["public_bugs"]["counts"]["free"] else
                   f"{entry['public_bugs']['counts']['HAS IT']} of {entry['public_bugs']['counts']['HAS IT'] + entry['public_bugs']['counts']['free']}"]


def text(head, table):
    lines = ["# The accuracy of LayerNorm and RMSNorm across frameworks", "",
             f"Made by `reports/frameworks/table.py` on {head['date']}, seed {head['seed']}: {head['processor']}, {head['system']}, normcheck "
             f"{head['normcheck']}. Every output is judged against the exact result. All on the CPU, one thread a process.",
             "", "**Row ulps**: the error in units of the row's largest possible output; **element ulps**: of the output itself. "
             "*Activations*: rows recorded from models. The other families are made: offsets, near-constant rows, magnitudes near overflow, "
             "special values (README of reports/). No f32 formula bounds the error on them: where a row's mean is 10^7 deviations, f32 arithmetic has "
             "lost the deviations. The reports are quick ones: one epsilon a cell, in turn. No campaign is part of this table. These figures therefore say where a formula's domain ends, not how often that is met.",
             "", "In practice: read the column *activations* for rows like a model's own, and the worst family before rows with a large "
             "common offset, near-constant rows, magnitudes near overflow or half precision are fed to the op."]
    lines += grid(["kernel", "op", "format", "judged", "correctly rounded", "activations, row ulps", "worst row ulps (family)", "worst element ulps",
                   "special-value faults"], accuracy_rows(table))
    lines += ["", "## The worst row of each that fits here", "", "`normcheck judge --kernel \"exec:ADAPTER\" CASE` judges one again."]
    lines += grid(["kernel", "op", "format", "family", "epsilon", "x", "got", "want", "row ulps", "row"], worst_rows(table))
    lines += ["", "## What each computes (`judge --probe`)"]
    lines += grid(["kernel", "op", "epsilon", "accumulation", "order", "output", "special values"], probe_rows(table))
    lines += ["", "## Laws and the public bugs' rows", "", f"`properties --all --cases {head['cases']}` and `properties --replay`. No framework states an "
              "error bound; `row-ulp:4` is assumed. A public bug's row counts where the output is beyond that on the row of the report: it need not be the "
              "reported bug, and the reports are of several projects. Rows and evidence: table.json."]
    lines += grid(["kernel", "laws kept", "laws broken", "batch-independence", "batch-size", "row-ranges", "repeatable", "public bugs' rows beyond row-ulp:4"],
                  law_rows(table))
    lines += ["", "## How it was run", "", "Versions, the type to which epsilon is rounded, threads, MXCSR's control bits before the framework was loaded and after "
              "the last call (of the adapter's thread; a framework's own threads may differ), elements a second inside the adapter (first calls and compilation included), cells of the report. Figures of "
              "a report that the time limit ended cover the cells judged until then, and hang on the machine's speed."]
    lines += grid(["kernel", "version", "epsilon", "threads", "MXCSR before", "after", "elements/s", "cells"], run_rows(table))
    lines += [f"\n{entry['name']}, {name}: {step['note']}." for entry in table for name, step in entry.get("commands", {}).items() if step["note"]]
    lines += ["", f"CPU flags: {head['cpu_flags']}", "", "Again: `reports/frameworks/install.sh && reports/frameworks/table.py`", ""]
    return "\n".join(lines)


def cpu_flags():
    wanted = ("sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16")
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            have = next((line for line in info if line.startswith("flags")), "").split()
    except OSError:
        return "unknown"
    return " ".join(flag for flag in wanted if flag in have)


def write(results, out, work, seed, cases):
    out.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out / "worst", ignore_errors=True)
    judged = next((r["report"]["environment"] for r in results if "report" in r), {})
    head = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "seed": seed, "cases": cases, "cpu_flags": cpu_flags(),
            "command": "reports/frameworks/table.py", **{key: judged.get(key) for key in ("normcheck", "processor", "system", "compiler")}}
    table = [merged(result, out, work) for result in results]
    (out / "table.json").write_text(json.dumps({"schema": "normcheck/frameworks/1", **head, "kernels": table}, indent=1) + "\n")
    (out / "README.md").write_text(text(head, table))
