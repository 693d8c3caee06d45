// Mistakes in precision: narrow sums and squares, an f32 mean, 12-bit roots, folded coefficients.
#include <cmath>

#include "norm/rounding.h"
#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;
using Narrow = double (*)(double value);

double F16(double value) { return static_cast<double>(norm::ToFloat(norm::ToFloat16(value))); }
double Bf16(double value) { return static_cast<double>(norm::ToFloat(norm::ToBFloat16(value))); }

double CountIn(norm::Op op, Row x) { return reference::CountOf(reference::OperationOf(op).squares_over, x.size()); }

double NarrowMean(Row x, Narrow narrow) {
  double sum = 0;
  for (const double value : x) sum = narrow(sum + value);
  return narrow(sum / static_cast<double>(x.size()));
}

// Every sum, the mean, each deviation and square in a 16-bit format; the root is wide.
template <Narrow narrow>
RowStatistics NarrowStatistics(norm::Op op, double epsilon, Row x) {
  const double mean = reference::OperationOf(op).centred() ? NarrowMean(x, narrow) : 0;
  double sum = 0;
  for (const double value : x) {
    const double deviation = narrow(value - mean);
    sum = narrow(sum + narrow(deviation * deviation));
  }
  return {mean, 1 / std::sqrt(narrow(sum / CountIn(op, x)) + epsilon)};
}

// The accumulator is wide, but each square was rounded to f16 first.
RowStatistics SquaresInHalf(norm::Op op, double epsilon, Row x) {
  const double mean = reference::OperationOf(op).centred() ? MeanOf(x) : 0;
  double sum = 0;
  for (const double value : x) sum += F16((value - mean) * (value - mean));
  return {mean, 1 / std::sqrt(sum / CountIn(op, x) + epsilon)};
}

RowStatistics F32Mean(norm::Op op, double epsilon, Row x) {
  float sum = 0;
  for (const double value : x) sum += static_cast<float>(value);
  const double mean = static_cast<double>(sum / static_cast<float>(x.size()));
  return {mean, 1 / std::sqrt(SpreadAround(op, mean, x) + epsilon)};
}

// A table of 12 bits, as processors have one; the nearest number, so that every machine gives the same.
double TwelveBits(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 12)), exponent - 12);
}

double Radicand(norm::Op op, double epsilon, Row x, double mean) {
  return SpreadAround(op, reference::OperationOf(op).centred() ? mean : 0, x) + epsilon;
}

RowStatistics Rsqrt(norm::Op op, double epsilon, Row x) {
  const double mean = reference::OperationOf(op).centred() ? MeanOf(x) : 0;
  return {mean, TwelveBits(1 / std::sqrt(Radicand(op, epsilon, x, mean)))};
}

// One step r(3/2 - v r^2/2) in f32.
RowStatistics RsqrtNewton(norm::Op op, double epsilon, Row x) {
  const double mean = reference::OperationOf(op).centred() ? MeanOf(x) : 0;
  const float v = static_cast<float>(Radicand(op, epsilon, x, mean));
  const float r = static_cast<float>(TwelveBits(1 / std::sqrt(static_cast<double>(v))));
  return {mean, static_cast<double>(r * (1.5F - 0.5F * v * r * r))};
}

// x*scale + bias with both rounded to f32.
norm::CallResult Folded(const KernelCall& call) {
  return RunElements(call, [](const KernelCall&, const RowStatistics& s, const Element& e) {
    const double scale = e.gamma * s.inv_root;
    const double bias = static_cast<double>(norm::ToFloat32(e.beta - s.mean * scale));
    return static_cast<double>(norm::ToFloat32(scale)) * e.x + bias;
  });
}

norm::Kernel FoldedKernel() {
  norm::Kernel kernel = CallMutant("folded-scale-bias", "x*scale + bias with f32 coefficients (CASES.md 22, 23)", Run(Folded));
  kernel.ops = reference::CentredOps();
  kernel.statistics = false;
  return kernel;
}

}  // namespace

std::vector<norm::Kernel> PrecisionMutants() {
  using norm::Op;
  const auto mutant = [](std::string id, std::string about, std::vector<Op> ops, Statistics statistics) {
    return EngineKernel(norm::Kind::kMutant, "mutant:" + id, std::move(about), std::move(ops), std::move(statistics));
  };
  const std::vector<Op> both = reference::AllOps();
  return {
      mutant("statistics-in-f16", "mean and variance summed in f16 (CASES.md 33, 80)", both, NarrowStatistics<F16>),
      mutant("statistics-in-bf16", "mean and variance summed in bf16 (CASES.md 80, 81)", both, NarrowStatistics<Bf16>),
      mutant("squares-in-half", "squares rounded to f16 before they are summed (CASES.md 37, 52)", both, SquaresInHalf),
      mutant("f32-mean-large-offset", "the mean summed in f32 (CASES.md 14, 15, 24)", reference::CentredOps(), F32Mean),
      mutant("rsqrt-12-bit", "a reciprocal root of 12 bits (CASES.md 86)", both, Rsqrt),
      mutant("rsqrt-12-bit-newton", "a reciprocal root of 12 bits and one Newton step (CASES.md 86, 87)", both, RsqrtNewton),
      FoldedKernel(),
  };
}

}  // namespace normcheck::properties
