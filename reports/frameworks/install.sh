#!/bin/bash
# Makes a virtual environment for each framework named (all without a name), outside the build, from the pinned requirements.
# A file whose first line says `# pip install --no-deps` lists all that is installed.
# usage: install.sh [NAME]...   a name is a file of requirements/; in NORMCHECK_FRAMEWORKS (~/.cache/normcheck-frameworks)
set -u
here=$(dirname "$(realpath "$0")")
into=${NORMCHECK_FRAMEWORKS:-$HOME/.cache/normcheck-frameworks}
[ $# -gt 0 ] || set -- $(basename -s .txt -- "$here"/requirements/*.txt)
code=0
for name; do
  [ -f "$here/requirements/$name.txt" ] || { echo "install.sh: no requirements/$name.txt; there are: $(basename -s .txt -- "$here"/requirements/*.txt | xargs)" >&2; exit 2; }
  echo "install.sh: $name into $into/$name" >&2
  alone=$(sed -n '1s/^# pip install \(--no-deps\):.*/\1/p' "$here/requirements/$name.txt")
  python3 -m venv "$into/$name" && "$into/$name/bin/pip" install -q $alone -r "$here/requirements/$name.txt" ||
    { echo "install.sh: $name was not installed" >&2; code=3; }
done
exit $code
