"""Finds and runs normcheck's command line, which judges for this package."""
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def path():
    """$NORMCHECK_TOOL, the one that was installed with the package, the clone's, or the one on PATH."""
    own = [os.environ.get("NORMCHECK_TOOL"), HERE / "bin" / "normcheck", HERE.parents[2] / "build/release/reports/normcheck"]
    for candidate in [one for one in own if one] + [shutil.which("normcheck")]:
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    raise RuntimeError("normcheck: the command line is not built; run ./normcheck kernels in the clone, "
                       "or name the program in NORMCHECK_TOOL")


def run(*arguments, cwd=None):
    """Exit code, stdout and stderr."""
    done = subprocess.run([path(), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def refuse(code, stderr):
    """What the command line refused (2) or could not do (3), as an exception with its own words."""
    message = stderr.strip() or f"exit {code}"
    raise ValueError(message) if code == 2 else RuntimeError(message)
