#!/bin/bash
# Builds the fuzz targets of both ops without any coverage, so that the size of the error alone guides them and the same seed gives
# the same inputs again: libFuzzer with the release build's libraries.
# usage: black_box.sh [BUILD FOLDER] (build/release), after ./normcheck kernels; writes BUILD FOLDER/black_box/fuzz_OP
set -eu
root=$(realpath "$(dirname "$0")/../..")
build=$(realpath "${1:-$root/build/release}")
libraries=()
for room in fuzz properties reference norm; do libraries+=("$build/$room/libnormcheck_$room.a"); done
mkdir -p "$build/black_box"
for op in layer_norm:kLayerNorm rms_norm:kRmsNorm; do
  clang++-19 -std=c++20 -O2 -fsanitize=fuzzer -fno-sanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table,stack-depth \
    -DNORMCHECK_TARGET_OP="${op#*:}" -I "$root" -I "$root/norm/include" "$root/fuzz/target_norm.cc" "$root/fuzz/mutator.cc" \
    "${libraries[@]}" -lrapidcheck -lfmt -lhwy -o "$build/black_box/fuzz_${op%:*}"
done
