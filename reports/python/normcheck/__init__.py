"""normcheck for Python: any function of arrays as a kernel that is judged against the exact value.

Names are loaded when they are first asked for: numpy is needed from then on alone.
"""

_HOME = {"serve": "server", "judge": "verdict", "Verdict": "verdict", "check": "laws", "OPS": "protocol"}


def __getattr__(name):
    from importlib import import_module
    if name.startswith("assert_") and name.removeprefix("assert_") in import_module("normcheck.protocol").OPS:
        found = import_module("normcheck.verdict").assertion_of(name.removeprefix("assert_"))
    elif name in _HOME:
        found = getattr(import_module(f"normcheck.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module 'normcheck' has no attribute {name!r}")
    globals()[name] = found
    return found
