#!/usr/bin/env python3
"""Writes the case files of this folder: public bug reports from public_bugs.py, recorded activations from a given folder.

Usage: make_cases.py [ACTIVATIONS_DIR]; ACTIVATIONS_DIR holds activations.jsonl and expected.jsonl.
Every number is rounded once, from an exact fraction, to its format. The same input gives the same bytes.
"""
import json
import os
import string
import sys
from fractions import Fraction

from public_bugs import BUGS

HERE = os.path.dirname(os.path.abspath(__file__))
FORMATS = {"f32": (24, -126, 127), "f16": (11, -14, 15), "bf16": (8, -126, 127)}  # precision, emin, emax
PER_LINE = 8


def exponent_of(value):
    """floor(log2(|value|)) of a non-zero fraction."""
    value = abs(value)
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if Fraction(2) ** e <= value else e - 1


def ulp_of(value, name):
    precision, emin, _ = FORMATS[name]
    return Fraction(2) ** (max(exponent_of(value), emin) - precision + 1)


def rounded(value, name):
    """The fraction rounded once to the format, nearest, ties to even."""
    if value == 0:
        return Fraction(0)
    ulp = ulp_of(value, name)
    result = round(value / ulp) * ulp
    if abs(result) >= Fraction(2) ** (FORMATS[name][2] + 1):
        raise ValueError(f"{value} overflows {name}")
    return result


def hex_text(value):
    """C hexadecimal float of a dyadic fraction, leading digit 1, no trailing zeros."""
    if value == 0:
        return "0x0p+0"
    e = exponent_of(value)
    fraction = abs(value) / Fraction(2) ** e - 1
    digits = ""
    while fraction:
        digit, fraction = divmod(fraction * 16, 1)
        digits += "%x" % digit
    return "%s0x1%s%sp%+d" % ("-" if value < 0 else "", "." if digits else "", digits, e)


def parse_hex(text):
    """The exact fraction of a C hexadecimal float."""
    mantissa, exponent = text.lower().replace("0x", "").split("p")
    whole, _, digits = mantissa.partition(".")
    return Fraction(int(whole + digits, 16)) * Fraction(2) ** (int(exponent) - 4 * len(digits))


def number_text(value, name):
    """A typed number in its format, as hex; infinities and NaN as they are."""
    return value if value in ("inf", "-inf", "nan") else hex_text(rounded(Fraction(value), name))


def expected_text(value, name):
    """A stated result: in f32 the decimal as written, in a 16-bit format the one value nearest to it."""
    if value is None or value == "nan":
        return value
    if value in (0, "0"):
        return "0"
    return value if isinstance(value, str) and name == "f32" else number_text(value, name)


def wrapped(texts):
    lines = [",".join(json.dumps(t) for t in texts[i:i + PER_LINE]) for i in range(0, len(texts), PER_LINE)]
    return "[" + (",\n  ").join(lines) + "]"


def case_text(fields):
    """One JSON object, a field a line; absent fields are left out."""
    parts = [f'"{k}": ' + (wrapped(v) if isinstance(v, list) else json.dumps(v)) for k, v in fields.items() if v is not None]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def fields_of(op, formats, rows, width, epsilon, x, gamma, beta, expected, source, pitch=None, y_pitch=None):
    return {"schema": "normcheck/case/1", "op": op, "x_format": formats[0], "param_format": formats[1], "y_format": formats[2],
            "rows": rows, "width": width, "epsilon": epsilon, "pitch": pitch, "y_pitch": y_pitch, "source": source,
            "gamma": gamma, "beta": beta, "x": x, "expected": expected}


def bug_fields(b):
    def texts(values, name):
        return None if values is None else [number_text(v, name) for v in values]
    width = b.width if b.width is not None else len(b.x) // b.rows
    expected = None if b.expected is None else [expected_text(v, b.y_format) for v in b.expected]
    return fields_of(b.op, (b.x_format, b.param_format, b.y_format), b.rows, width, number_text(b.epsilon, "f32"),
                     texts(b.x, b.x_format), texts(b.gamma, b.param_format), texts(b.beta, b.param_format), expected, b.source,
                     b.pitch, b.y_pitch)


def bug_cases():
    """(file name, text) of every public bug; a letter where the row of the list has several."""
    of_row = {}
    for b in BUGS:
        of_row.setdefault(b.row, []).append(b)
    for row, bugs in sorted(of_row.items()):
        letters = string.ascii_lowercase[:len(bugs)] if len(bugs) > 1 else [""]
        for letter, b in zip(letters, bugs, strict=True):
            yield f"public-bugs-{row:03d}{letter}-{b.slug}.case.json", case_text(bug_fields(b))


def read_lines(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def exact_texts(texts, name="f32"):
    """Hex floats written anew in the one form of these files; refuses what the format cannot hold."""
    values = [parse_hex(t) for t in texts]
    if any(rounded(v, name) != v for v in values):
        raise ValueError(f"a recorded number does not fit {name}")
    return [hex_text(v) for v in values]


def activation_cases(folder):
    """(file name, text) of every recorded row."""
    expected = {(e["site"], tuple(e["why"])): e["y"] for e in read_lines(folder, "expected.jsonl")}
    for site in read_lines(folder, "activations.jsonl"):
        for row in site["rows"]:
            why = tuple(row["why"])
            source = (f"Input of LayerNorm {site['site']} of {site['model']} on real input, chosen as {' and '.join(why)}; "
                      "gamma and beta are weights under the Apache License 2.0, see NOTICE and LICENSE-Apache-2.0 here.")
            fields = fields_of("layer_norm", ("f32",) * 3, 1, site["h"], exact_texts([site["eps"]])[0], exact_texts(row["x"]),
                               exact_texts(site["gamma"]), exact_texts(site["beta"]),
                               exact_texts(expected[site["site"], why]), source)
            yield f"activations-{site['site'].replace('.', '-')}-{'-'.join(why)}.case.json", case_text(fields)


def main(arguments):
    cases = list(bug_cases())
    for folder in arguments:
        cases += activation_cases(folder)
    names = [name for name, _ in cases]
    if len(set(names)) != len(names):
        raise ValueError("two cases share a file name")
    for name, text in cases:
        with open(os.path.join(HERE, name), "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
    print(f"{len(cases)} case files, {sum(len(text) for _, text in cases)} bytes", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
