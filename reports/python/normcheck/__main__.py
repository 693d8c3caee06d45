"""python3 -m normcheck FILE.py FUNCTION: what `normcheck VERB --kernel FILE.py:FUNCTION` runs."""
import sys

if len(sys.argv) != 3:
    sys.exit("usage: python3 -m normcheck FILE.py FUNCTION; normcheck's --kernel FILE.py:FUNCTION starts it")
try:
    from normcheck.server import main
except ImportError as error:
    sys.exit(f"normcheck: {sys.executable}: {error}; activate the environment of your kernel, or install it there")
main(*sys.argv[1:])
