// The benchmark program: the production kernels beside their peers, and the judge. --quick takes a quarter of the grid.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string_view>

#include "reports/bench/speed_bench.h"

int main(int argc, char** argv) {
  using normcheck::reports::Grid;
  char** const end = std::remove_if(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--quick"; });
  const bool quick = end != argv + argc;
  argc = static_cast<int>(end - argv);
  *end = nullptr;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  normcheck::reports::RegisterSpeed(quick ? Grid::kQuick : Grid::kFull);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
