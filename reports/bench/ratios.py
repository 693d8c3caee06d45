#!/usr/bin/env python3
"""ratios.py FIGURES.json: Markdown tables of the ratios that `./normcheck bench --json FIGURES.json` measured, for norm/README.md."""
import json
import math
import sys

COPIES = ("memcpy", "stream_copy")
OURS = ("rounded", "fast", "rounded_avx2", "fast_avx2")
SOUND_ROW_ULPS = 10


def speeds(figures):
    """{(op, format, width, set): {contestant: GB/s}} of the speed benchmarks."""
    known = set(OURS) | set(COPIES) | {key.removeprefix("row_ulps_at_1e3_") for key in figures["context"] if key.startswith("row_ulps_at_1e3_")}
    known |= {name + "_two" for name in known}
    shapes = {}
    for entry in figures["benchmarks"]:
        parts = entry["name"].split("/")
        if parts[0] == "speed":
            shapes[parts[1], parts[2], int(parts[3]), parts[4]] = {key: value for key, value in entry.items() if key in known}
    return shapes


def peers(shape):
    return {name: value for name, value in shape.items() if name not in OURS and name not in COPIES and not name.endswith("_two")}


def soundness(context):
    """(name, row ulps or text) of every kernel, ours first."""
    found = {key.removeprefix("row_ulps_at_1e3_"): value for key, value in context.items() if key.startswith("row_ulps_at_1e3_")}
    return sorted(found.items(), key=lambda item: (item[0] not in OURS, item[0]))


def is_sound(text):
    try:
        return float(text) <= SOUND_ROW_ULPS
    except ValueError:
        return False


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def cell(value):
    return "" if value is None or math.isnan(value) else f"{value:.2f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def shape_rows(shapes, op, fmt):
    """A row a shape: GB/s of ours, and their ratios to the fastest peer and to the faster copy."""
    order = {"16KiB": 0, "512KiB": 1, "8MiB": 2, "256MiB": 3}
    for (o, f, width, size), shape in sorted(shapes.items(), key=lambda item: (order[item[0][3]], item[0][2])):
        if (o, f) != (op, fmt):
            continue
        peer = peers(shape)
        best = max(peer, key=peer.get)
        copy = max(shape[name] for name in COPIES)
        ratios = [cell(shape[name] / peer[best]) if name in shape else "" for name in OURS]
        dnnl = max((value for name, value in peer.items() if name.startswith("onednn")), default=float("nan"))
        to_dnnl = [cell(shape[name] / dnnl) if name in shape else "" for name in ("rounded", "fast", "rounded_avx2")]
        yield [size, str(width), f"{shape['rounded']:.1f}", f"{shape['fast']:.1f}", f"{best} {peer[best]:.1f}", *ratios, *to_dnnl,
               cell(shape["rounded"] / copy), cell(shape["fast"] / copy)]


def summary(shapes):
    """Geometric means over the shapes of each format of the ratio to the fastest peer, and RMSNorm to LayerNorm, two threads to one."""
    for fmt in ("f32", "f16", "bf16"):
        of_format = {key: shape for key, shape in shapes.items() if key[1] == fmt and peers(shape)}
        row = [fmt]
        for name in OURS:
            row.append(cell(geometric_mean([s[name] / max(peers(s).values()) for s in of_format.values() if name in s])))
        for name in ("rounded", "fast"):
            pairs = [(s[name], of_format["layer_norm", *key[1:]][name]) for key, s in of_format.items() if key[0] == "rms_norm" and ("layer_norm", *key[1:]) in of_format]
            row.append(cell(geometric_mean([rms / layer for rms, layer in pairs])))
        yield row


def two_thread_rows(shapes):
    """Speed-up by a second thread, as a share of the faster copy's own."""
    for (op, fmt, width, size), shape in shapes.items():
        if "rounded_two" not in shape:
            continue
        copy = max(COPIES, key=lambda name: shape[name])
        gain = shape[copy + "_two"]
        yield [op, fmt, size, str(width), cell(gain), *(cell(shape[name + "_two"] / gain) for name in ("rounded", "fast"))]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        figures = json.load(file)
    shapes = speeds(figures)
    print("Worst error in row ulps on N(1e3, 1), f32, width 1024; sound is 10 or less:\n")
    print(table(["kernel", "row ulps", "sound"], [[name, text, "yes" if is_sound(text) else "no"] for name, text in soundness(figures["context"])]))
    print("Geometric means of the ratio to the fastest peer, and of RMSNorm to LayerNorm:\n")
    print(table(["format", *OURS, "RMS/LN rounded", "RMS/LN fast"], list(summary(shapes))))
    for op in ("layer_norm", "rms_norm"):
        for fmt in ("f32", "f16", "bf16"):
            rows = list(shape_rows(shapes, op, fmt))
            if rows:
                print(f"{op}, {fmt}: GB/s of x and y; ratios to the fastest peer, to oneDNN, to the faster copy:\n")
                print(table(["set", "H", "rounded", "fast", "fastest peer", *(name + "/peer" for name in OURS), "rounded/oneDNN", "fast/oneDNN", "rounded_avx2/oneDNN", "rounded/copy", "fast/copy"], rows))
    two = list(two_thread_rows(shapes))
    if two:
        print("Two threads over row ranges: the copy's gain, and ours as a share of it:\n")
        print(table(["op", "format", "set", "H", "copy", "rounded", "fast"], two))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: ratios.py FIGURES.json")
    main()
