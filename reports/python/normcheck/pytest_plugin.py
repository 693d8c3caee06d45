"""pytest: the fixture `normcheck`, --normcheck-seed and --normcheck-cases. Nothing happens in a run that does not ask."""
import functools
import pathlib
import re

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("normcheck")
    group.addoption("--normcheck-seed", type=int, default=1, help="seed of the cases of normcheck.check (default 1)")
    group.addoption("--normcheck-cases", metavar="DIR", default=None, help="folder that receives a case file for every failure")


class Bound:
    """normcheck with the seed and the folder of this run; everything else is the package's."""

    def __init__(self, seed, save):
        self._seed, self._save = seed, save

    def __getattr__(self, name):
        import normcheck
        found = getattr(normcheck, name)
        if name == "check":
            return functools.partial(found, seed=self._seed, save=self._save)
        return functools.partial(found, save=self._save) if name.startswith("assert_") else found


@pytest.fixture
def normcheck(request):
    """The package with --normcheck-seed and --normcheck-cases applied: normcheck.check(fn, ...), normcheck.assert_layer_norm(...)."""
    folder, save = request.config.getoption("--normcheck-cases"), None
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        save = pathlib.Path(folder) / (re.sub(r"[^\w.-]", "-", request.node.nodeid) + ".case.json")
    return Bound(request.config.getoption("--normcheck-seed"), save)
