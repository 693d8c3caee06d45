// Benchmarks of the property run: cases a second of one kernel through every law, drawing and judging included.
#include <benchmark/benchmark.h>

#include <string>

#include "properties/kernels.h"
#include "properties/run_laws.h"

namespace normcheck::reports {
namespace {

// As the command line does by default, in one format.
void RunProperties(benchmark::State& state, const char* name, norm::Format format) {
  norm::Kernel kernel = properties::FindKernel(name).value();
  kernel.formats = {{format, format, format}};
  properties::PropertyOptions options;
  options.all = true;
  options.cases = static_cast<int>(state.range(0));
  std::uint64_t cases = 0;
  for (auto _ : state) {
    for (const properties::LawRun& run : properties::RunLaws(kernel, options)) {
      if (run.state == properties::LawRun::State::kBroken) return state.SkipWithError("a law broke");
      cases += run.cases;
    }
    ++options.seed.value;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(cases));
  state.SetLabel("items are cases");
}

constexpr int kCasesOfALaw = 20;

BENCHMARK_CAPTURE(RunProperties, f32, "layer_norm", norm::Format::kF32)->Name("properties_f32")->Arg(kCasesOfALaw)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RunProperties, f16, "layer_norm", norm::Format::kF16)->Name("properties_f16")->Arg(kCasesOfALaw)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace normcheck::reports
