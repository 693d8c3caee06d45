// Benchmarks of the judge: judged elements a second on N(0,1) rows in f32, by all levels, by the exact one alone, and beside
// them the plain 128-bit two-pass that would be the obvious reference.
#include <benchmark/benchmark.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <string>
#include <vector>

#include "properties/random.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::reports {
namespace {

using reference::Bits;
using reference::Case;
using reference::Format;
using Float128 = boost::multiprecision::cpp_bin_float_quad;

constexpr std::size_t kJudgedElements = std::size_t{1} << 16;  // of one call
constexpr std::size_t kSlowElements = 768 * 8;

enum class Parameters { kAbsent, kPresent };

std::vector<Bits> NormalBits(std::size_t count, properties::Random& random) {
  std::vector<Bits> bits(count);
  for (Bits& b : bits) b = reference::BitsOf(random.Gaussian(), Format::kF32);
  return bits;
}

Case NormalCase(std::size_t elements, std::size_t width, Parameters parameters) {
  properties::Random random(properties::Seed{1});
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, elements / width, width, 1e-5);
  c.x = NormalBits(c.x.size(), random);
  if (parameters == Parameters::kAbsent) return c;
  c.gamma = NormalBits(width, random);
  c.beta = NormalBits(width, random);
  return c;
}

// Correctly rounded outputs, every eighth off by an ulp.
reference::Outputs NearlyRight(const Case& c) {
  reference::Outputs outputs;
  outputs.y = reference::CorrectlyRounded(c);
  for (std::size_t i = 0; i < outputs.y.size(); i += 8) ++outputs.y[i];
  return outputs;
}

void MeasureJudge(benchmark::State& state, const Case& c, bool exact_only) {
  const reference::Outputs outputs = NearlyRight(c);
  const norm::Contract contract;
  reference::JudgeOptions options;
  options.exact_only = exact_only;
  for (auto _ : state) {
    const reference::Verdict verdict = JudgeOutputs(c, outputs, contract, norm::EpsilonFormat::kF64, options);
    if (!verdict.kept || verdict.tally.judged != c.x.size()) return state.SkipWithError("the judge misjudged");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(c.x.size()) * state.iterations());
}

void Judge(benchmark::State& state, Parameters parameters) {
  MeasureJudge(state, NormalCase(kJudgedElements, static_cast<std::size_t>(state.range(0)), parameters), false);
}

void JudgeExactly(benchmark::State& state) { MeasureJudge(state, NormalCase(kSlowElements, 768, Parameters::kAbsent), true); }

// y of one row by the textbook formula: mean, then the mean of squared deviations, in 113 bits.
void TwoPass(const std::vector<double>& x, double epsilon, std::vector<Float128>& y) {
  const Float128 width = static_cast<double>(x.size());
  Float128 sum = 0, squares = 0;
  for (double value : x) sum += value;
  const Float128 mean = sum / width;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = x[i] - mean;
    squares += y[i] * y[i];
  }
  const Float128 inv_std_dev = 1 / sqrt(Float128(squares / width + epsilon));
  for (Float128& value : y) value *= inv_std_dev;
}

void JudgeByQuad(benchmark::State& state) {
  const Case c = NormalCase(768, 768, Parameters::kAbsent);
  const reference::Outputs outputs = NearlyRight(c);
  std::vector<double> x, got;
  for (Bits bits : c.x) x.push_back(reference::ValueOf(bits, Format::kF32));
  for (Bits bits : outputs.y) got.push_back(reference::ValueOf(bits, Format::kF32));
  std::vector<Float128> y(x.size());
  for (auto _ : state) {
    TwoPass(x, c.epsilon, y);
    double largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(Float128(got[i] - y[i]))));
    benchmark::DoNotOptimize(largest);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(x.size()) * state.iterations());
}

BENCHMARK_CAPTURE(Judge, plain, Parameters::kAbsent)->Name("judge_f32")->Arg(768)->Arg(4096);
BENCHMARK_CAPTURE(Judge, affine, Parameters::kPresent)->Name("judge_affine_f32")->Arg(768)->Arg(4096);
BENCHMARK(JudgeExactly)->Name("judge_exact/f32/w768");
BENCHMARK(JudgeByQuad)->Name("judge_quad_f32/768");

}  // namespace
}  // namespace normcheck::reports
