#!/bin/bash
# fetch_onednn.sh [FOLDER]: oneDNN for the benchmark, from PyPI, into FOLDER (default: build/onednn): the newest `onednn` wheel with its
# run-time libraries (SYCL; about 600 MB are downloaded), and the newest one that needs no run-time (onednn-cpu-gomp).
set -euo pipefail
folder=${1:-$(dirname "$0")/../../build/onednn}
mkdir -p "$folder"
scratch=$(mktemp -d "$folder/.fetch-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# fetch NAME PIP-ARGUMENT...: all libraries of the wheels in one folder
fetch() {
  local name=$1 wheel
  shift
  mkdir -p "$scratch/$name" "$folder/$name"
  python3 -m pip download -q -d "$scratch/$name" "$@" || { echo "fetch_onednn.sh: $name: pip could not download it" >&2; return 1; }
  for wheel in "$scratch/$name"/*.whl; do python3 -m zipfile -e "$wheel" "$scratch/$name/x"; done
  find "$scratch/$name/x" -name '*.so*' -exec mv -t "$folder/$name" {} +
}

fetch onednn_omp --no-deps onednn-cpu-gomp
fetch onednn_sycl onednn
echo "oneDNN is in $folder; ./normcheck bench finds it there"
