#!/bin/bash
# Makes the README's picture, report.png: the first screen of a report of four kernels, in few colours (needs chromium-driver, python3-selenium and pngquant).
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
./normcheck report --quick --out "$place/report" --kernel layer_norm --kernel honest:two-pass-lanes8-f32 \
  --kernel honest:one-pass-recursive-f32 --kernel mutant:eps-after-root || [ $? = 1 ]
/usr/bin/python3 reports/tests/page_test.py --screenshot "$place/report/index.html" "$place/report.png" 1280 900
pngquant --force --output reports/published/report.png 64 "$place/report.png"
