"""Lays the entries of the table out as table.json, README.md, index.html and one file of worst rows a kernel."""
import datetime
import json
import shutil

import render
from steps import EPSILONS, LAWS, SEED

TALLY_ENDS_SIX_DIGITS = 8.79609e12  # 2^43 ulps; the reports' tallies hold larger errors as this


def number(value):
    return "-" if value is None else f"{'>= ' if value >= TALLY_ENDS_SIX_DIGITS else ''}{value:.3g}"


def percent(share):
    return "-" if share is None else f"{100 * share:.2f} %"


def short(hexadecimal):
    """A value of a case file, in seven digits."""
    if hexadecimal is None:
        return "-"
    return "nan" if hexadecimal.startswith("nan") else f"{float(hexadecimal) if 'inf' in hexadecimal else float.fromhex(hexadecimal):.7g}"


def checked(entries):
    return [entry for entry in entries if "not_checked" not in entry]


def why_none(entry, f):
    triple = f["formats"] if "/" in f["formats"] else "/".join([f["formats"]] * 3)
    return "not checked: " + entry["unsupported"].get(f"{f['op']} {triple}", "no case within what the op has")


def judged_word(entry, count):
    return f"{count} ({entry['shard']} of the cells)" if entry["shard"] != "1/1" else count


def accuracy_row(entry, f):
    recorded = f["activations"] or {}
    if not f["judged"]:
        words = f"recorded activations alone: {recorded['judged']}" if recorded else why_none(entry, f)
        return [entry["name"], f["op"], f["formats"], words, percent(recorded.get("correctly_rounded")), number(recorded.get("max_row_ulp")),
                number(recorded.get("max_distance"))] + ["-"] * 3
    return [entry["name"], f["op"], f["formats"], judged_word(entry, f["judged"]), percent(f["correctly_rounded"]), number(recorded.get("max_row_ulp")),
            number(recorded.get("max_distance")), f"{number(f['max_row_ulp'])} ({f['max_row_ulp_family']})", number(f["max_ulp"]), f["class_faults"]]


def accuracy_rows(entries):
    for entry in entries:
        if "not_checked" in entry:
            yield [entry["name"], "", "", "not checked: " + entry["not_checked"]] + [""] * 6
            continue
        for f in entry["figures"]:
            yield accuracy_row(entry, f)
        for op, formats, why in entry["lacks"]:
            yield [entry["name"], op, formats, "not checked: " + why] + [""] * 6


def columns(entries, op, formats):
    return [(entry["name"], f) for entry in checked(entries) for f in entry["figures"] if (f["op"], f["formats"]) == (op, formats) and f["judged"]]


def family_table(entries, op, formats):
    """Rows: families. Columns: kernels. Worst row ulps, with a dagger where a special value was due or came without being due."""
    shown = columns(entries, op, formats)
    families = list(dict.fromkeys(name for _, f in shown for name in f["by_family"]))
    rows = [["activations"] + [number((f["activations"] or {}).get("max_row_ulp")) for _, f in shown]]
    for family in families:
        cells = [f["by_family"].get(family) for _, f in shown]
        rows.append([family] + [number(cell and cell["max_row_ulp"]) + (" †" if cell and cell["class_faults"] else "") for cell in cells])
    return ["family"] + [name for name, _ in shown], rows


def share_table(entries, op, formats):
    shown = columns(entries, op, formats)
    epsilons, bands = EPSILONS.split(","), list(dict.fromkeys(band for _, f in shown for band in f["by_band"]))
    rows = [[name] + [percent(f["by_epsilon"].get(e, {}).get("correctly_rounded")) for e in epsilons] +
            [percent(f["by_band"].get(band, {}).get("correctly_rounded")) for band in bands] for name, f in shown]
    return ["kernel"] + [f"eps {e}" for e in epsilons] + [f"width {band}" for band in bands], rows


def link(entry, line, which="cases"):
    return f"[line {line}](worst/{entry['name']}.{which}.jsonl)" if line else "-"


def worst_rows(entries):
    for entry in checked(entries):
        for f in entry["figures"]:
            if w := f["worst"]:
                yield [entry["name"], f["op"], f["formats"], w["family"], short(w["epsilon"]), w["width"], short(w["x"]), short(w["got"]), short(w["want"]),
                       number(w["row_ulp"]), link(entry, w["line"])]


def campaign_rows(entries):
    for entry in checked(entries):
        for op, c in entry["campaign"].items():
            w = c["worst"] or {}
            yield [entry["name"], op, c["runs"] if c["runs"] is not None else f"ended with {c['exit']}", len(c["findings"]), w.get("formats", "-"), w.get("class", "-"),
                   w.get("width", "-"), number(w.get("max_row_ulp")), short(w.get("x")), short(w.get("got")), short(w.get("want")), link(entry, w.get("line"), "campaign")]


def probe_rows(entries):
    for entry in checked(entries):
        for op, aspects in entry["probe"].items():
            special = [answer for answer in aspects.get("special values", []) if not answer.endswith("as defined")]
            yield [entry["name"], op, *("; ".join(aspects.get(name, ["-"])) for name in ("epsilon", "accumulation", "order", "output")),
                   "; ".join(special) or "as defined"]


def threads_word(entry):
    if not entry["threads_law"]:
        return "-"
    return ", ".join(f"{op} {'same bits' if len(set(digests.values())) == 1 else 'differs'}" for op, digests in entry["threads_law"].items())


def law_rows(entries):
    for entry in checked(entries):
        outcome = {law["law"]: law["outcome"].lower() for law in entry["laws"]}
        counts = entry["public_bugs"]["counts"]
        yield [entry["name"], *(outcome.get(law, "-") for law in LAWS), threads_word(entry), f"{counts['HAS IT']} of {counts['HAS IT'] + counts['free']}"]


def run_rows(entries):
    for entry in checked(entries):
        speed = entry["times"]["elements_per_s"]
        cells = f"{entry['cells']}{'' if entry['shard'] == '1/1' else ': ' + entry['shard'] + ' of the cells'}{', cut by time' if entry['interrupted'] else ''}"
        yield [entry["name"], entry["release"], entry.get("epsilon", "f64"), entry.get("threads") or "-", ", ".join(entry.get("mxcsr_before", ["-"])),
               ", ".join(entry.get("mxcsr_after", ["-"])), cells, entry["cases"], f"{speed:,.0f}" if speed else "-",
               f"{sum(entry['times']['seconds'].values()):.0f}"]


def again_blocks(again, entries):
    if again is None:
        return [("text", "No second run was made.")]
    count = len(again["differing"])
    searches = sorted({path.split("/")[0] for path, *_ in again["campaigns_differing"]})
    missing = [entry["name"] for entry in checked(entries) if entry["name"] not in again["columns"]]
    blocks = [("text", f"A second run of {len(again['columns'])} columns{' (all but ' + ', '.join(missing) + ')' if missing else ', all of them,'} in another folder: {again['compared']} figures and texts compared (all of table.json and of the worst "
               f"rows, times and campaigns aside), {count or 'none'} differ{'s' if count == 1 else ''}. Of the campaigns' {again['campaigns_compared']}, "
               f"{len(again['campaigns_differing']) or 'none'} differ{': ' + ', '.join(searches) if searches else ''}.")]
    return blocks + ([("table", ["where", "first run", "second run"], [[a, *(str(b)[:60] for b in rest)] for a, *rest in again["differing"][:20]])] if count else [])


def in_practice(entries):
    """What the table means and what it does not."""
    within = {wide: number(max((f["activations"]["max_row_ulp"] for entry in checked(entries) if not entry["own"] for f in entry["figures"]
                                if f["activations"] and f["formats"].startswith("f32") == wide), default=None)) for wide in (True, False)}
    return (f"In practice: on the recorded activations every framework here is within {within[True]} row ulps in f32 and {within[False]} in 16 bits, which is "
            "harmless in inference. That does not hold for rows with a large common offset, near-constant rows, magnitudes near overflow, and half "
            "precision on unusual rows, where the error may be as large as the output: before such rows are fed to an op, read its column in the tables by family below, "
            "and judge rows of your own (`report --x`). The table does not say how often such rows are met, and nothing of training, of GPUs or of other versions.")


def took(run):
    return f"{run['seconds']:,} s on {run['cores']} core{'s' if run['cores'] > 1 else ''}" if run else "not in one go"


def time_block(runs, again, processor):
    second = f", the second run {took(runs[1])}" if again else ""
    return ("text", f"All columns, one after the other, all steps: {took(runs[0])}{second} ({processor}).")


def blocks(head, entries, again):
    plain = [op_formats for op_formats in (("layer_norm", "f32"), ("rms_norm", "f32"), ("layer_norm", "f16"), ("layer_norm", "bf16")) if columns(entries, *op_formats)]
    return [
        ("title", "The accuracy of LayerNorm and RMSNorm across frameworks"),
        ("text", f"{head['date']}, seed {SEED}: {head['processor']}, {head['system']}, normcheck {head['normcheck']}. All on the CPU, one thread a process. Every output "
         "is judged against the exact result; nothing is a tolerance."),
        ("text", "**Row ulps**: the error in units of the row's largest possible output. **Element ulps**: of the output itself. **Activations**: 48 rows recorded from two "
         "models, rounded to the format. The other families are made ([reports/](../../README.md) names them): offsets, near-constant rows, magnitudes near overflow. No f32 formula "
         "bounds the error on all of them: where a row's mean is 10^7 deviations, f32 arithmetic has lost the deviations. The figures say where a formula's domain ends, not how "
         "often that is met. **Special-value faults**: a NaN or infinity where a number was due, or the reverse."),
        ("text", in_practice(entries)),
        ("table", ["kernel", "op", "format", "judged", "correctly rounded", "activations, row ulps", "ulps from the correctly rounded there", "worst row ulps (family)", "worst element ulps",
                   "special-value faults"], list(accuracy_rows(entries))),
        *(block for op, formats in plain for block in (
            ("head", f"{op}, {formats}: worst row ulps by family"), ("table", *family_table(entries, op, formats)))),
        ("text", f"†: with special-value faults. Epsilons {EPSILONS}, five bands of widths, each alike; the rows of public bugs have their own."),
        *(block for op, formats in plain[:2] for block in (
            ("head", f"{op}, {formats}: share correctly rounded, by epsilon and width"), ("table", *share_table(entries, op, formats)))),
        ("head", "The worst row of each"),
        ("text", "The worst whose case is short enough to be kept here. Each line of a file in worst/ is a case: `sed -n LINEp worst/KERNEL.cases.jsonl > row.case.json`, then "
         "`normcheck judge --kernel \"exec:PYTHON reports/frameworks/adapters/ADAPTER\" row.case.json`. table.json names the line of each family's worst row too."),
        ("table", ["kernel", "op", "format", "family", "epsilon", "width", "x", "got", "want", "row ulps", "row"], list(worst_rows(entries))),
        ("head", "A black-box campaign on each"),
        ("text", "The fuzz target of each op with a fixed number of runs and seed, guided by the size of the error alone, without coverage and seeds: what a search "
         "finds beyond the sweep. Findings: signatures under row-ulp:4."),
        ("table", ["kernel", "op", "runs", "findings", "format", "class", "width", "row ulps", "x", "got", "want", "row"], list(campaign_rows(entries))),
        ("head", "What each computes (`judge --probe`)"),
        ("table", ["kernel", "op", "epsilon", "accumulation", "order", "output", "special values"], list(probe_rows(entries))),
        ("head", "Laws, threads and the public bugs' rows"),
        ("text", "`properties --all --no-shrink` on the laws named and `properties --replay`. No framework states an error bound; `row-ulp:4` is assumed. The laws compare bits: a row "
         "alone, first, last and beside rows of NaN; among 1 to 1000 and 65,537 rows; dealt out to calls on several threads; asked again. Threads: one call of 256 rows of 512 with 1 and with 2 threads. A public bug's row counts where the output is beyond row-ulp:4 on the row of the report: it "
         "need not be the reported bug, and the reports are of several projects. Evidence: table.json."),
        ("table", ["kernel", *LAWS, "threads", "public bugs' rows beyond row-ulp:4"], list(law_rows(entries))),
        ("head", "How it was run"),
        ("text", "Versions, the type to which epsilon is rounded (the case is judged with that), threads, MXCSR's control bits before the framework was loaded and after the last call (of "
         "the adapter's thread), cells of the report (a part where the framework compiles too long for all), cases a law, elements a second inside the adapter with its first calls "
         "and compilations, and seconds of all steps."),
        ("table", ["kernel", "version", "epsilon", "threads", "MXCSR before", "after", "cells", "cases a law", "elements/s", "s"], list(run_rows(entries))),
        time_block(head["runs"], again, head["processor"]),
        *again_blocks(again, entries),
        ("text", f"CPU flags: {head['cpu_flags']}"),
        ("text", f"Made by `{head['command']}`."),
    ]


def json_text(head, entries):
    """One line a part of an entry: a run that changes one cell changes one line."""
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    whole = [",\n".join(f"   {json.dumps(name)}: {json.dumps(value)}" if name != "figures" else
                        '   "figures": [\n' + ",\n".join(f"    {json.dumps(figure)}" for figure in value) + "]" for name, value in entry.items())
             for entry in entries]
    return "{\n" + "\n".join(lines) + '\n "kernels": [\n  {\n' + "},\n  {\n".join(whole) + "}]}\n"


def write(entries, again, head, out):
    head = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "seed": SEED, "epsilons": EPSILONS,
            "command": "reports/frameworks/install.sh && reports/frameworks/black_box.sh && reports/frameworks/table.py" + (" --again FOLDER" if again else ""), **head}
    shutil.rmtree(out / "worst", ignore_errors=True)
    (out / "worst").mkdir(parents=True)
    for entry in checked(entries):
        for rows, which in (("worst_rows", "cases"), ("campaign_rows", "campaign")):
            if lines := entry.pop(rows):
                (out / "worst" / f"{entry['name']}.{which}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (out / "table.json").write_text(json_text(head | {"second_run": again}, entries), encoding="utf-8")
    laid = blocks(head, entries, again)
    (out / "README.md").write_text(render.markdown(laid), encoding="utf-8")
    (out / "index.html").write_text(render.page(laid), encoding="utf-8")
