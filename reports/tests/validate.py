"""Validates JSON files against a JSON Schema: validate.py SCHEMA FILE... Exit 1 with the place of the first fault of each file."""
import json
import sys

import jsonschema


def main(schema_path, *paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            fault = jsonschema.exceptions.best_match(validator.iter_errors(json.load(file)))
        if fault is not None:
            print(f"{path}: {fault.json_path}: {fault.message[:300]}")
            faults += 1
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
