// What a call costs beside its elements: one row of 16, and of 1024 where gamma and beta are scanned for that row alone.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "norm/layer_norm.h"
#include "reports/bench/work.h"

namespace normcheck::reports {
namespace {

using Run = norm::CallResult (*)(const norm::KernelCall&);

void MeasureCall(benchmark::State& state, Run run) {
  const auto width = static_cast<std::size_t>(state.range(0));
  std::vector<float> x(width), gamma(width, 1.25f), beta(width, 0.5f), y(width);
  for (std::size_t i = 0; i < width; ++i) x[i] = static_cast<float>(i * i % 101);
  const Work work = {.rows = 1, .width = width, .x = x.data(), .gamma = gamma.data(), .beta = beta.data(), .y = y.data()};
  const norm::KernelCall call = CallOf(work);
  for (auto _ : state) {
    if (!run(call).ok()) return state.SkipWithError("the kernel refused the call");
    benchmark::ClobberMemory();
  }
}

BENCHMARK_CAPTURE(MeasureCall, rounded, &norm::Normalize)->Name("call_rounded_f32")->Arg(16)->Arg(1024);
BENCHMARK_CAPTURE(MeasureCall, fast, &norm::NormalizeFast)->Name("call_fast_f32")->Arg(16)->Arg(1024);

}  // namespace
}  // namespace normcheck::reports
