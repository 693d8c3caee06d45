"""Turns the answers of one kernel's steps into its entry of table.json."""
import json
import math
import re

LARGEST_LINE = 400  # bytes of a worst row of a family
LARGEST_WORST = 6000  # of the worst row of an op and format, and of a campaign
EPSILONS = {1e-5: "1e-5", 1e-6: "1e-6", 1e-12: "1e-12", 0.0: "0"}
NO_BETA = "the op has no beta"
SEEN = ("x", "got", "want", "ulp", "row_ulp")


def formats_of(cell):
    """f32 for f32/f32/f32; other triples as they are."""
    triple = [cell[name] for name in ("x_format", "param_format", "y_format")]
    return triple[0] if len(set(triple)) == 1 else "/".join(triple)


def largest(cells, field):
    return max((cell for cell in cells if isinstance(cell.get(field), (int, float))), key=lambda cell: cell[field], default=None)


class WorstRows:
    """The lines of KERNEL.cases.jsonl, or KERNEL.campaign.jsonl: one case a line, as normcheck's case files have them."""

    def __init__(self):
        self.lines = []

    def add(self, path, limit):
        """The line number of the case in `path`, or None where it is longer than `limit`."""
        text = json.dumps(json.loads(path.read_text()), separators=(",", ":"))
        if len(text) > limit:
            return None
        if text not in self.lines:
            self.lines.append(text)
        return self.lines.index(text) + 1


def worst_row(cells, folder, rows, limit):
    """Figures and line number of the worst row that is short enough; None where there is none."""
    ranked = sorted((cell for cell in cells if cell.get("worst")), reverse=True,
                    key=lambda cell: (bool(cell["worst"].get("fault")), cell["worst"].get("row_ulp") or 0))
    for cell in ranked:
        if line := rows.add(folder / cell["worst"]["file"], limit):
            return {"line": line, "family": cell["family"], "epsilon": cell["epsilon"], "width": cell["worst"]["width"],
                    **{name: cell["worst"].get(name) for name in SEEN}, "fault": cell["worst"].get("fault") or None}
    return None


def six_digits(value):
    return value if value is None else float(f"{value:.6g}")


def summed(cells):
    judged = sum(cell["judged"] for cell in cells)
    row, element = largest(cells, "max_row_ulp"), largest(cells, "max_ulp")
    return {"judged": judged, "not_checked": sum(cell["not_checked"] for cell in cells),
            "correctly_rounded": six_digits(sum(cell["correctly_rounded"] for cell in cells) / judged) if judged else None,
            "max_row_ulp": row and six_digits(row["max_row_ulp"]), "max_row_ulp_family": row and row["family"], "max_ulp": element and six_digits(element["max_ulp"]),
            "class_faults": sum(cell["class_faults"] for cell in cells)}


def grouped(cells, key):
    names = list(dict.fromkeys(key(cell) for cell in cells))
    return {name: [cell for cell in cells if key(cell) == name] for name in names if name is not None}


def of_format(cells, folder, rows):
    """Totals of one op and format, and the same by family, band and epsilon. Families: the made ones and the public bugs; the
    recorded activations are a step of their own."""
    cells = [cell for cell in cells if cell["family"] != "activations"]
    families = grouped(cells, lambda cell: cell["family"])
    made = [cell for cell in cells if cell["family"] != "public-bugs"]
    return summed(cells) | {
        "worst": worst_row(cells, folder, rows, LARGEST_WORST),
        "by_family": {name: {key: value for key, value in summed(some).items() if key != "max_row_ulp_family"} |
                      {"worst_line": (worst_row(some, folder, rows, LARGEST_LINE) or {}).get("line")} for name, some in families.items()},
        "by_band": {name: summed(some) for name, some in grouped(made, lambda cell: cell["width_band"]).items()},
        "by_epsilon": {name: summed(some) for name, some in grouped(made, lambda cell: EPSILONS.get(float.fromhex(cell["epsilon"]))).items()}}


def distance(got, want, kind):
    """|got - want| in ulps of want; want is the correctly rounded value, so the error is within half an ulp of this. None beside infinities and NaN."""
    precision, least = {"f32": (24, -126), "f16": (11, -14), "bf16": (8, -126)}[kind]
    try:
        got, want = float.fromhex(got), float.fromhex(want)
    except ValueError:  # nan:BITS
        return None
    if not (math.isfinite(got) and math.isfinite(want)):
        return None
    return abs(got - want) / 2.0 ** (max(math.frexp(want)[1] - 1 if want else least, least) - precision + 1)


def activations(text):
    """{(op, formats): totals} of the verdicts on rows.py's files."""
    found = {}
    for verdict in json.loads(text or "[]"):
        op, triple = re.search(r"-(layer_norm|rms_norm)-([a-z0-9-]+)\.case\.json$", verdict["case"]).groups()
        words = triple.split("-")
        if verdict.get("not_supported") or not verdict.get("worst"):
            continue
        total = found.setdefault((op, words[0] if len(set(words)) == 1 else "/".join(words)),
                                 {"rows": 0, "judged": 0, "correctly_rounded": 0, "class_faults": 0, "max_row_ulp": 0.0, "max_distance": 0.0})
        total["rows"] += 1
        for name, of in (("judged", "elements"), ("correctly_rounded", "correctly_rounded"), ("class_faults", "class_faults")):
            total[name] += verdict[of]
        total["max_row_ulp"] = max(total["max_row_ulp"], six_digits(verdict["worst"]["row_ulp"] or 0.0))
        total["max_distance"] = max([total["max_distance"]] + [distance(got, want, words[2]) or 0.0 for got, want in zip(verdict["got"], verdict["want"])])
    for total in found.values():
        total["correctly_rounded"] = six_digits(total["correctly_rounded"] / total["judged"])
    return found


def probe_answers(text):
    """{op: {aspect: [answers]}} from the first line of each finding of `judge --probe`."""
    answers = {}
    for line in text.splitlines():
        if line.startswith(("layer_norm ", "rms_norm ")):
            answers.setdefault(line[:11].strip(), {}).setdefault(line[11:26].strip(), []).append(line[26:].strip())
    return answers


def law_outcomes(text):
    """[{law, outcome, cases, evidence}] of `properties --all`; the evidence of a broken law is the line below it."""
    laws = []
    for line in text.splitlines()[1:]:
        found = re.match(r"  (\S+) +(BROKEN|gave up|not applicable|kept) +(\d+) cases", line)
        if found:
            laws.append({"law": found[1], "outcome": found[2], "cases": int(found[3])})
        elif laws and line.startswith("    ") and laws[-1]["outcome"] == "BROKEN":
            laws[-1].setdefault("evidence", line.strip())
    return laws


def replayed(text):
    lines = [line.split(None, 1) for line in text.splitlines()[1:] if line.strip()]
    counts = {outcome: sum(rest.startswith(outcome) for _, rest in lines) for outcome in ("HAS IT", "free", "not asked")}
    return {"counts": counts, "above": [f"{row} {rest.removeprefix('HAS IT').strip()}" for row, rest in lines if rest.startswith("HAS IT")]}


def campaign(step, folder, rows):
    """Runs, findings and the worst row of one op's campaign."""
    done = re.search(r"Done (\d+) runs", step["err"])
    worst = max((json.loads(path.read_text()) | {"file": path.name.replace(".figures.", ".row.")} for path in sorted(folder.glob("worst/*.row-ulp.figures.json"))),
                key=lambda figures: figures["row_ulp_q20"], default=None)
    seen = step.get("worst") or {}
    return {"runs": int(done[1]) if done else None, "exit": step["exit"], "command": step["command"],
            "findings": sorted(path.name.removesuffix(ending) for ending in (".case.json", ".mixed.json")
                               for path in folder.glob("findings/*" + ending)),
            "worst": worst and {"line": rows.add(folder / "worst" / worst["file"], LARGEST_WORST), "class": worst["class"], "width": worst["width"],
                                "formats": formats_of(worst), "max_row_ulp": worst["row_ulp_q20"] / 2**20, **{name: seen.get(name) for name in SEEN}}}


def facts_of(work):
    return {step.name: [json.loads(path.read_text()) for path in sorted(step.glob("*.json"))] for step in sorted((work / "facts").iterdir())}


def reasons_of(facts):
    """{"op formats": why}: the reasons that the adapter's processes gave; an absent beta is one only where there is no other."""
    found = {}
    for fact in facts:
        for what, reasons in fact.get("unsupported", {}).items():
            found.setdefault(what, set()).update(reasons)
    return {what: "; ".join(sorted(reasons - {NO_BETA} or reasons)) for what, reasons in sorted(found.items())}


def measured(facts):
    """What the adapter wrote down, over all its processes. Times apart."""
    every = [fact for some in facts.values() for fact in some]
    timed = facts.get("report") or facts.get("activations") or []
    seconds = sum(fact["seconds"] for fact in timed)
    return {"release": every[0]["release"], "epsilon": every[0]["epsilon"], "threads": timed[0]["threads"] if timed else None,
            "mxcsr_before": sorted({fact["mxcsr_before"] for fact in every}),
            "mxcsr_after": sorted({fact["mxcsr_after"] for fact in every if "mxcsr_after" in fact}),
            "unsupported": reasons_of(every)}, \
        sum(fact["elements"] for fact in timed) / seconds if seconds else None


def without_the_list(command):
    """A command with one pattern for the files that rows.py wrote."""
    return re.sub(r"(?: rows/\S+)+", " rows/*.case.json", command)


def entry(kernel, answers, work):
    rows, searched, folder = WorstRows(), WorstRows(), work / "report"
    report = json.loads((folder / "report.json").read_text()) if (folder / "report.json").exists() else {"kernels": [{"cells": []}], "environment": {}}
    cells, facts = report["kernels"][0]["cells"], facts_of(work)
    about, speed = measured(facts) if any(facts.values()) else ({"release": report["environment"].get("normcheck"), "unsupported": {}}, None)
    by_format, recorded = grouped(cells, lambda cell: (cell["op"], formats_of(cell))), activations(answers["activations"]["out"])
    found = [{"op": op, "formats": formats, **of_format(by_format.get((op, formats), []), folder, rows), "activations": recorded.get((op, formats))}
             for op, formats in sorted(by_format.keys() | recorded.keys())]
    commands = {name: {"command": without_the_list(step["command"]), "exit": step["exit"], "cut_after_s": step["cut_after_s"]}
                for name, step in answers.items() if "command" in step}
    return {"name": kernel.name, "adapter": kernel.adapter, "own": not kernel.environment, "shard": kernel.shard, "cases": kernel.cases, **about,
            "cells": len(cells), "interrupted": bool(report.get("interrupted")), "figures": found, "lacks": [list(lack) for lack in kernel.lacks],
            "probe": probe_answers(answers["probe"]["out"]),
            "public_bugs": replayed(answers["replay"]["out"]),
            "laws": law_outcomes(answers["laws"]["out"]), "threads_law": answers["threads"],
            "campaign": {op: campaign(step, work / f"campaign-{op}", searched) for op, step in answers["campaign"].items()},
            "commands": commands, "worst_rows": rows.lines, "campaign_rows": searched.lines,
            "times": {"elements_per_s": speed, "seconds": {name: step["seconds"] for name, step in answers.items() if "seconds" in step} |
                      {f"campaign {op}": step["seconds"] for op, step in answers["campaign"].items()}}}


def cpu_flags():
    wanted = ("sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16")
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            have = next((line for line in info if line.startswith("flags")), "").split()
    except OSError:
        return "unknown"
    return " ".join(flag for flag in wanted if flag in have)


def head(work):
    """What stands with the whole table: the environment of the first report there."""
    report = next(iter(sorted(work.glob("*/report/report.json"))), None)
    known = json.loads(report.read_text())["environment"] if report else {}
    return {"schema": "normcheck/frameworks/2", "cpu_flags": cpu_flags(), **{key: known.get(key) for key in ("normcheck", "processor", "system", "compiler")}}
