// Benchmarks of the production kernels: LayerNorm and RMSNorm over formats and widths, in elements a second.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "norm/layer_norm.h"
#include "properties/random.h"
#include "reference/number.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kWidths[] = {64, 768, 4096, 16384};
constexpr std::size_t kElements = std::size_t{1} << 17;  // of one call: x and y stay in the second-level cache

// Standard normal elements in the format's storage.
std::vector<std::uint8_t> NormalElements(norm::Format format, std::size_t count) {
  properties::Random random(properties::Seed{1});
  const std::size_t bytes = norm::TraitsOf(format).bytes;
  std::vector<std::uint8_t> storage(count * bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const reference::Bits bits = reference::BitsOf(random.Gaussian(), format);
    for (std::size_t b = 0; b < bytes; ++b) storage[i * bytes + b] = static_cast<std::uint8_t>(bits >> (8 * b));
  }
  return storage;
}

void MeasureKernel(benchmark::State& state, norm::Op op, norm::Format format) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const std::size_t rows = kElements / width;
  const std::vector<std::uint8_t> x = NormalElements(format, rows * width), gamma = NormalElements(format, width);
  std::vector<std::uint8_t> y(x.size());
  const norm::KernelCall call = {.op = op, .formats = {format, format, format}, .rows = rows, .width = width,
                                 .x_pitch = width, .y_pitch = width, .epsilon = 1e-5, .x = x.data(),
                                 .gamma = gamma.data(), .y = y.data()};
  for (auto _ : state) {
    if (!norm::Normalize(call).ok()) return state.SkipWithError("the kernel refused the call");
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(rows * width) * state.iterations());
}

void Register() {
  for (norm::Op op : norm::kOps) {
    for (norm::Format format : norm::kFormats) {
      const std::string name = std::string(norm::NameOf(op)) + "_" + std::string(norm::TraitsOf(format).name);
      auto* entry = benchmark::RegisterBenchmark(name.c_str(), MeasureKernel, op, format);
      for (std::size_t width : kWidths) entry->Arg(static_cast<std::int64_t>(width));
    }
  }
}

}  // namespace
}  // namespace normcheck::reports

int main(int argc, char** argv) {
  normcheck::reports::Register();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
