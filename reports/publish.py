"""Sums up reports of one kernel each as published/kernels.md and kernels.json: publish.py COMMAND REPORT..."""
import json
import os
import sys


def greatest(cells, figure):
    return max((cell[figure] for cell in cells if cell[figure] is not None), default=None)


def family_of(cells):
    total = {name: sum(cell[name] for cell in cells) for name in ("judged", "correctly_rounded", "broken", "class_faults", "not_checked")}
    return total | {name: greatest(cells, name) for name in ("max_row_ulp", "max_ulp")}


def summary(kernel):
    cells = kernel["cells"]
    families = {}
    for cell in cells:
        families.setdefault(cell["family"], []).append(cell)
    broken = [cell for cell in cells if not cell["kept"] and cell["worst"]]
    diagnoses = [d["id"] for cell in broken for d in cell["worst"]["diagnosis"][:1]]
    return {"name": kernel["name"], "contract": kernel["contract"], "kept": kernel["kept"], **family_of(cells),
            "diagnosis": max(sorted(set(diagnoses)), key=diagnoses.count, default=None),
            "families": {name: family_of(some) for name, some in families.items()}}


def ulp(value):
    return "–" if value is None else f"{value:.3f}" if value < 10 else f"{value:.3g}"


def cell_text(family):
    if family is None or family["judged"] == 0:
        return "–"
    text = "class" if family["class_faults"] else ulp(family["max_row_ulp"])
    return f"**{text}**" if family["broken"] else text


def markdown(command, environment, mode, seed, kernels):
    names = list(kernels[0]["families"])
    lines = ["# Every kernel by family", "",
             f"Worst error in row ulps over {mode} sweeps with seed {seed}; bold where outputs break the contract, *class* where some are of",
             "the wrong class (NaN, infinity, sign). The figures stand in [kernels.json](kernels.json).", "",
             f"Made by `{command}`; {', '.join(f'{name} {environment[name]}' for name in ('normcheck', 'compiler', 'instruction_set', 'processor', 'time'))}.", "",
             "| kernel | contract | kept | judged | rounded | diagnosis | " + " | ".join(names) + " |",
             "|---|---|---|---:|---:|---|" + "---:|" * len(names)]
    for k in kernels:
        share = f"{100 * k['correctly_rounded'] / k['judged']:.2f} %" if k["judged"] else "–"
        figures = " | ".join(cell_text(k["families"].get(name)) for name in names)
        lines.append(f"| {k['name']} | {k['contract']} | {'yes' if k['kept'] else 'no'} | {k['judged']} | {share} | {k['diagnosis'] or ''} | {figures} |")
    return "\n".join(lines) + "\n"


def main(command, *paths):
    reports = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            reports.append(json.load(file))
    kernels = [summary(kernel) for report in reports for kernel in report["kernels"]]
    head = {name: reports[-1][name] for name in ("environment", "mode", "seed")}
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "published")
    with open(os.path.join(folder, "kernels.json"), "w", encoding="utf-8") as file:
        rows = ",\n".join(json.dumps(kernel, separators=(",", ":")) for kernel in kernels)
        file.write('{"command":' + json.dumps(command) + "," + json.dumps(head)[1:-1] + ',"kernels":[\n' + rows + "\n]}\n")
    with open(os.path.join(folder, "kernels.md"), "w", encoding="utf-8") as file:
        file.write(markdown(command, **head, kernels=kernels))


if __name__ == "__main__":
    main(*sys.argv[1:])
