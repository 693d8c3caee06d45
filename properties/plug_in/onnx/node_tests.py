"""Turns ONNX node-test folders of LayerNormalization into a folder for `./normcheck judge --results`, stored outputs and all.

/usr/bin/python3 node_tests.py TESTS OUT, with TESTS such as /usr/share/libonnx-testdata/data/node (Debian: libonnx-testdata).
Axes from `axis` on are one row; scale and bias are flattened alike. Every folder that is left out is said with its reason.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper

FORMATS = {np.dtype("float32"): "f32", np.dtype("float16"): "f16"}


def tensor(path):
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def convert(test, out):
    """The manifest's entry for one folder, its arrays written to out; a text says why there is none."""
    model = onnx.load(str(test / "model.onnx"))
    node = model.graph.node[0]
    if len(model.graph.node) != 1 or node.op_type != "LayerNormalization":
        return "not a LayerNormalization node by itself"
    data = test / "test_data_set_0"
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    arrays = dict(zip(["x", "gamma", "beta"], (tensor(data / f"input_{i}.pb") for i in range(len(node.input)))))
    arrays |= dict(zip(["y", "mean", "inv_std_dev"], (tensor(data / f"output_{i}.pb") for i in range(len(node.output)))))
    if any(a.dtype not in FORMATS for a in arrays.values()):
        return "a type that normcheck does not take"
    width = int(np.prod(arrays["x"].shape[attributes.get("axis", -1):]))
    entry = {"id": test.name.removeprefix("test_"), "op": "layer_norm", "x_format": FORMATS[arrays["x"].dtype],
             "param_format": FORMATS[arrays["gamma"].dtype], "y_format": FORMATS[arrays["y"].dtype],
             "rows": arrays["x"].size // width, "width": width, "epsilon": float(np.float32(attributes.get("epsilon", 1e-5))).hex()}
    for name, array in arrays.items():
        entry[name] = f"{entry['id']}.{name}.npy"
        np.save(out / entry[name], array.reshape(-1, width) if name in "xy" else array.reshape(-1))
    return entry


def main():
    tests, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir()
    cases = []
    for test in sorted(tests.glob("test_layer_normalization*")):
        entry = convert(test, out)
        cases += [entry] if isinstance(entry, dict) else []
        if isinstance(entry, str):
            print(f"left out: {test.name}: {entry}", file=sys.stderr)
    manifest = {"schema": "normcheck/emitted/1", "source": f"ONNX {onnx.__version__} node tests", "cases": cases}
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    print(f"{len(cases)} cases in {out}")
    sys.exit(0 if cases else 3)


main()
