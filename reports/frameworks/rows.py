"""Case files for the table: the recorded activations in every format and for both ops, and one wide call for thread counts."""
import json
import random
import struct

TRIPLES = [("f32", "f32", "f32"), ("f16", "f16", "f16"), ("bf16", "bf16", "bf16"), ("f16", "f32", "f16"), ("bf16", "f32", "bf16")]


def rounded(value, kind):
    """A float to the nearest of the format, ties to even; OverflowError beyond its largest."""
    if kind == "f16":
        return struct.unpack("<e", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]  # the nearest f32
    if kind == "bf16":
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def converted(case, op, triple):
    """An f32 case as one of `op` and the formats; RMSNorm without beta, which many of its ops do not have."""
    x_kind, parameter_kind, y_kind = triple
    names = {"x": x_kind, "gamma": parameter_kind} | ({"beta": parameter_kind} if op == "layer_norm" else {})
    arrays = {name: [rounded(float.fromhex(text), kind).hex() for text in case[name]] for name, kind in names.items() if name in case}
    return {"schema": "normcheck/case/1", "op": op, "x_format": x_kind, "param_format": parameter_kind, "y_format": y_kind,
            "rows": case["rows"], "width": case["width"], "epsilon": case["epsilon"], **arrays}


def write(path, case):
    path.write_text(json.dumps(case))
    return path


def write_activations(regressions, folder):
    """One file for each recorded row, op and triple of formats; rows that overflow f16 have none of f16."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(regressions.glob("activations-*.case.json")):
        case = json.loads(source.read_text())
        for op in ("layer_norm", "rms_norm"):
            for triple in TRIPLES:
                try:
                    write(folder / f"{source.name.removesuffix('.case.json')}-{op}-{'-'.join(triple)}.case.json", converted(case, op, triple))
                except OverflowError:
                    continue


def write_wide(folder, op, triple, rows=256, width=512):
    """Gaussian rows, enough of them that a framework shares them out among its threads."""
    draw = random.Random(1)
    x = [rounded(draw.gauss(1, 2), triple[0]).hex() for _ in range(rows * width)]
    parameters = {name: [rounded(draw.gauss(1, 0.5), triple[1]).hex() for _ in range(width)] for name in ("gamma", "beta")[:1 + (op == "layer_norm")]}
    case = {"schema": "normcheck/case/1", "op": op, "x_format": triple[0], "param_format": triple[1], "y_format": triple[2],
            "rows": rows, "width": width, "epsilon": "1e-5", "x": x, **parameters}
    return write(folder / f"wide-{op}-{'-'.join(triple)}.case.json", case)
