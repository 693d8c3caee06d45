// Compares a kernel's outputs with the exact ones and, bit by bit, with kernels of known order.
#include "properties/probe_numerics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "norm/kernel_fault.h"
#include "properties/families.h"
#include "properties/honest.h"
#include "properties/standard_sweep.h"
#include "reference/judge.h"
#include "reference/number.h"
#include "reference/outputs.h"

namespace normcheck::properties {
namespace {

using norm::Kernel;

// Rows of 768 with an offset of 10 deviations: sums in f32 leave their mark, in any order, and each its own.
Case OffsetRows(const Kernel& kernel, Op op) {
  Case c = reference::MakeCase(op, PreferredFormats(kernel), 4, 768, 1e-5);
  Random random(Seed{1});
  for (Bits& x : c.x) x = reference::BitsOf(random.Gaussian() + 10, c.formats.x);
  c.gamma.emplace(c.width, reference::BitsOf(1, c.formats.params));
  c.beta.emplace(c.width, reference::BitsOf(0, c.formats.params));
  return reference::WithEpsilonOf(kernel, std::move(c));
}

// Empty where a plug-in faults.
std::vector<Bits> OutputsOf(const Kernel& kernel, const Case& c) {
  try {
    return reference::RunKernel(kernel, c, {.statistics = false}).y;
  } catch (const norm::KernelFault&) {
    return {};
  }
}

reference::Tally TallyOf(const Kernel& kernel, const Case& c) {
  reference::JudgeOptions options;
  options.contract = norm::Contract{.kind = norm::ContractKind::kCorrectlyRounded};
  options.diagnose = false;
  return reference::Judge(kernel, c, options).tally;
}

// Where a mistake in the formula stands in front, its errors say nothing of the arithmetic.
std::optional<ProbeAnswer> Hidden(const Kernel& kernel, const Case& c, const std::string& question) {
  const reference::Verdict verdict = reference::Judge(kernel, c, {});
  if (!verdict.fault.empty() && verdict.tally.judged == 0) return ProbeAnswer{c.op, question, "cannot be told: " + verdict.fault, "4 rows of 768"};
  if (verdict.kept || reference::FromQ20(verdict.tally.max_row_ulp) < 4) return std::nullopt;
  const std::string what = verdict.diagnosis.empty() ? "another computation" : verdict.diagnosis.front().id;
  return ProbeAnswer{c.op, question, "cannot be told: hidden by " + what,
                     fmt::format("worst {:.4g} row ulp", reference::FromQ20(verdict.tally.max_row_ulp))};
}

// 0.502 row ulp: half an ulp of the output and what f64 sums of 768 elements can add.
ProbeAnswer Precision(const Kernel& kernel, const Case& c) {
  if (auto hidden = Hidden(kernel, c, "accumulation")) return *hidden;
  const reference::Tally tally = TallyOf(kernel, c);
  const double row_ulp = reference::FromQ20(tally.max_row_ulp);
  const double share = 100 * static_cast<double>(tally.correctly_rounded) / static_cast<double>(std::max<std::uint64_t>(tally.judged, 1));
  const std::string answer = tally.correctly_rounded == tally.judged ? "correctly rounded: f64 or wider"
                             : row_ulp <= 0.502                       ? "f64 sums and elements"
                                                                      : "narrower than f64";
  return {c.op, "accumulation", answer,
          fmt::format("4 rows of 768, mean 10 deviations: {:.1f} % correctly rounded, worst {:.4g} row ulp", share, row_ulp)};
}

// The share of outputs that are bit for bit those of the most similar honest kernel.
ProbeAnswer Order(const Kernel& kernel, const Case& c) {
  const std::vector<Bits> got = OutputsOf(kernel, c);
  std::size_t most = 0;
  std::string nearest;
  for (const Kernel& honest : HonestKernels()) {
    const std::vector<Bits> other = OutputsOf(honest, c);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < got.size() && i < other.size(); ++i) equal += got[i] == other[i] ? 1 : 0;
    if (equal <= most) continue;
    most = equal;
    nearest = honest.name;
  }
  const double share = 100 * static_cast<double>(most) / static_cast<double>(std::max<std::size_t>(got.size(), 1));
  return {c.op, "order", share > 99 ? "likely that of " + nearest : nearest.empty() ? "none of the known ones" : "none of the known ones; nearest " + nearest,
          fmt::format("{:.1f} % of {} outputs have its very bits", share, got.size())};
}

// Mean of sign(Y)*(got - Y)/ulp: 0 for rounding to nearest, -0.5 for truncation.
ProbeAnswer Rounding(const Kernel& kernel, const Case& c) {
  if (auto hidden = Hidden(kernel, c, "output")) return *hidden;
  const double bias = TallyOf(kernel, c).BiasUlp();
  return {c.op, "output", bias < -0.25 ? "rounded towards zero" : bias > 0.25 ? "rounded away from zero" : "rounded to nearest, as far as the mean error tells",
          fmt::format("mean of sign(y)*(got - y) is {:.3f} ulp", bias)};
}

std::string TextOf(const std::vector<Bits>& y, Format format) {
  std::string text = "[";
  for (std::size_t i = 0; i < y.size(); ++i) text += (i == 0 ? "" : ", ") + reference::DecimalText(y[i], format);
  return text + "]";
}

ProbeAnswer Special(const Kernel& kernel, Op op, const std::string& about, const std::vector<double>& x, double epsilon, double gamma) {
  Case c = reference::MakeCase(op, PreferredFormats(kernel), 1, x.size(), epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) c.x[i] = reference::BitsOf(x[i], c.formats.x);
  c.gamma.emplace(c.width, reference::BitsOf(gamma, c.formats.params));
  c.beta.emplace(c.width, reference::BitsOf(0, c.formats.params));
  const std::vector<Bits> got = OutputsOf(kernel, c);
  const std::vector<Bits> want = reference::CorrectlyRounded(reference::WithEpsilonOf(kernel, c));
  bool same = got.size() == want.size();
  for (std::size_t i = 0; same && i < got.size(); ++i)
    same = reference::IsNan(want[i], c.formats.y) == reference::IsNan(got[i], c.formats.y) &&
           reference::IsInfinite(want[i], c.formats.y) == reference::IsInfinite(got[i], c.formats.y) &&
           (reference::ValueOf(want[i], c.formats.y) == 0) == (reference::ValueOf(got[i], c.formats.y) == 0);
  return {op, "special values", fmt::format("{}: {}", about, same ? "as defined" : "otherwise than defined"),
          fmt::format("got {}, want {}", TextOf(got, c.formats.y), TextOf(want, c.formats.y))};
}

}  // namespace

std::vector<ProbeAnswer> ProbeNumerics(const Kernel& kernel, Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Format y = PreferredFormats(kernel).y;
  const double tiny = std::ldexp(1.0, norm::TraitsOf(y).emin);
  const Case rows = OffsetRows(kernel, op);
  return {
      Precision(kernel, rows),
      Order(kernel, rows),
      Rounding(kernel, rows),
      Special(kernel, op, "a NaN", {1, std::nan(""), 2}, 1e-5, 1),
      Special(kernel, op, "an infinity", {1, infinity, 2}, 1e-5, 1),
      Special(kernel, op, "constant row", {7, 7, 7}, 1e-5, 1),
      Special(kernel, op, "constant row at epsilon 0", {7, 7, 7}, 0, 1),
      Special(kernel, op, "row of zeros at epsilon 0", {0, 0, 0}, 0, 1),
      Special(kernel, op, "subnormal results", {1, -1, 2}, 1e-5, tiny / 4),
  };
}

}  // namespace normcheck::properties
