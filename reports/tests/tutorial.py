"""Runs every command of properties/plug_in/TUTORIAL.md: tutorial.py NORMCHECK SOURCE_DIR.

Code blocks whose info string names a file are written as that file. In console blocks each "$ COMMAND" is run, "# exit N" is its exit code (0
where none is said), and each line below it must occur in its output, blanks aside. The normcheck, cc commands of the yaml blocks are
run as in a repository of one's own that has normcheck beside it; all must exit 0.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

binary, source = (pathlib.Path(arg).resolve() for arg in sys.argv[1:3])
text = (source / "properties/plug_in/TUTORIAL.md").read_text()
failures, commands = [], 0


def plain(output):
    return " ".join(output.split())


def run(command, code, words, folder):
    global commands
    commands += 1
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=600)
    output = done.stdout + done.stderr
    if done.returncode != code:
        failures.append(f"{command}: exit {done.returncode}, not {code}\n{output[-2000:]}")
    failures.extend(f"{command}: does not say '{word}'\n{output[-2000:]}" for word in words if plain(word) not in plain(output))


def run_console(block, folder):
    steps = []
    for line in block.splitlines():
        if line.startswith("$ "):
            command, _, code = line[2:].partition("    # exit ")
            steps.append((command, int(code or 0), []))
        elif line.strip():
            steps[-1][2].append(line)
    for step in steps:
        run(*step, folder)
    return len(steps)


def own_repository(folder):
    """A project with normcheck beside it, and in it the tutorial's two files."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    if not (project / "normcheck").exists():
        (project / "normcheck").symlink_to(folder)
    for name in ["layer_norm.c", "eps.case.json"]:
        (project / name).write_text((folder / name).read_text())
    return project


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "norm").symlink_to(source / "norm")
    (folder / "normcheck").symlink_to(binary)
    kinds = {"c": 0, "console": 0, "yaml": 0}
    for kind, file, block in re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", text, re.S | re.M):
        kinds[kind] += 1
        if kind == "console":
            run_console(block, folder)
        elif kind == "yaml":
            jobs = re.findall(r"^ +- (?:run: )?((?:cc|normcheck/normcheck) .*)$", block, re.M)
            assert len(jobs) == 5, jobs
            for job in jobs:
                run(job, 0, [], own_repository(folder))
        else:
            assert len(block.splitlines()) <= 30, "the kernel is longer than it says"
            (folder / file).write_text(block)

assert kinds["c"] == 1 and kinds["console"] >= 5 and kinds["yaml"] == 2 and commands >= 20, (kinds, commands)
print(*failures, f"{commands} commands, {len(failures)} failures", sep="\n")
sys.exit(bool(failures))
