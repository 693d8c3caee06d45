// Compares a kernel's outputs with the exact ones and, bit by bit, with kernels of known order.
#include "properties/probe_numerics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

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
Case OffsetRows(const Kernel& kernel, Op op, double epsilon) {
  Case c = reference::MakeCase(op, PreferredFormats(kernel), 4, 768, epsilon);
  Random random(Seed{1});
  for (Bits& x : c.x) x = reference::BitsOf(random.Gaussian() + 10, c.formats.x);
  c.gamma.emplace(c.width, reference::BitsOf(1, c.formats.params));
  if (kernel.beta) c.beta.emplace(c.width, reference::BitsOf(0, c.formats.params));
  return reference::WithEpsilonOf(kernel, std::move(c));
}

// Outputs, or why there are none: the kernel does not take the case, or faults on it.
struct Run {
  std::vector<Bits> y;
  std::string fault;
};

Run RunOn(const Kernel& kernel, const Case& c) {
  if (!reference::WhyNotAsked(kernel, c).empty()) return {{}, "not supported"};
  try {
    reference::Outputs outputs = reference::RunKernel(kernel, c, {.statistics = false});
    if (outputs.result.status == norm::CallStatus::kUnsupported) return {{}, "not supported"};
    if (!outputs.result.ok()) return {{}, "refused: " + std::string(outputs.result.reason)};
    return {std::move(outputs.y), ""};
  } catch (const norm::KernelFault& fault) {
    return {{}, fault.what()};
  }
}

std::vector<Bits> OutputsOf(const Kernel& kernel, const Case& c) { return RunOn(kernel, c).y; }

reference::Tally TallyOf(const Kernel& kernel, const Case& c) {
  reference::JudgeOptions options;
  options.contract = norm::Contract{.kind = norm::ContractKind::kCorrectlyRounded};
  options.diagnose = false;
  return reference::Judge(kernel, c, options).tally;
}

// Where a mistake in the formula stands in front, its errors say nothing of the arithmetic.
std::optional<ProbeAnswer> Hidden(const Kernel& kernel, const Case& c, const std::string& question) {
  const reference::Verdict verdict = reference::Judge(kernel, c, {});
  if (verdict.not_supported) return ProbeAnswer{c.op, question, "not supported", "4 rows of 768: " + verdict.fault};
  if (verdict.tally.judged == 0) return ProbeAnswer{c.op, question, "cannot be told: " + verdict.fault, "4 rows of 768"};
  if (verdict.kept || reference::FromQ20(verdict.tally.max_row_ulp) < 4) return std::nullopt;
  const std::string what = verdict.diagnosis.empty() ? "another computation" : verdict.diagnosis.front().id;
  return ProbeAnswer{c.op, question, "cannot be told: hidden by " + what,
                     fmt::format("worst {:.4g} row ulp", reference::FromQ20(verdict.tally.max_row_ulp))};
}

// 0.502 row ulp: half an ulp of the output and what f64 sums of 768 elements can add.
constexpr double kSumsInF64 = 0.502;

// The competing explanation is a mistake in epsilon: where the same rows at epsilon 0 show nothing, the sums are not to blame.
std::string PrecisionAnswer(const Kernel& kernel, const Case& c, const reference::Tally& tally) {
  if (tally.correctly_rounded == tally.judged) return "correctly rounded: f64 or wider";
  if (reference::FromQ20(tally.max_row_ulp) <= kSumsInF64) return "f64 sums and elements";
  const reference::Tally without = TallyOf(kernel, OffsetRows(kernel, c.op, 0));
  if (without.judged == 0) return "cannot be told: the kernel does not take epsilon 0";
  return reference::FromQ20(without.max_row_ulp) > kSumsInF64 ? "narrower than f64" : "cannot be told: the errors go with epsilon";
}

ProbeAnswer Precision(const Kernel& kernel, const Case& c) {
  if (auto hidden = Hidden(kernel, c, "accumulation")) return *hidden;
  const reference::Tally tally = TallyOf(kernel, c);
  const double share = 100 * static_cast<double>(tally.correctly_rounded) / static_cast<double>(std::max<std::uint64_t>(tally.judged, 1));
  return {c.op, "accumulation", PrecisionAnswer(kernel, c, tally),
          fmt::format("4 rows of 768, mean 10 deviations: {:.1f} % correctly rounded, worst {:.4g} row ulp", share,
                      reference::FromQ20(tally.max_row_ulp))};
}

// The share of outputs that are bit for bit those of the most similar honest kernel.
ProbeAnswer Order(const Kernel& kernel, const Case& c) {
  const auto [got, fault] = RunOn(kernel, c);
  if (!fault.empty()) return {c.op, "order", fault, "4 rows of 768"};
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

// Outputs by their distance from the correctly rounded ones.
struct Steps {
  std::size_t equal = 0, smaller = 0, larger = 0, other = 0;  // smaller, larger: by one step in magnitude
};

Steps StepsOf(std::span<const Bits> got, std::span<const Bits> want) {
  Steps steps;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) ++steps.equal;
    else if (got[i] + 1 == want[i]) ++steps.smaller;
    else if (got[i] == want[i] + 1) ++steps.larger;
    else ++steps.other;
  }
  return steps;
}

// Truncation takes half of the outputs of every row one step down and none up; errors of the arithmetic before the rounding, as those of
// f32 statistics, move rows to either side, or by more than a step: then the rounding cannot be told.
std::string RoundingAnswer(const std::vector<Steps>& rows, std::size_t width) {
  const auto every = [&](auto holds) { return std::ranges::all_of(rows, holds); };
  const auto half = [&](std::size_t count) { return count > width * 3 / 10 && count < width * 7 / 10; };
  if (every([&](const Steps& s) { return s.equal >= width - width / 50; })) return "rounded to nearest, as far as the outputs tell";
  if (every([&](const Steps& s) { return half(s.smaller) && s.larger + s.other <= width / 100; })) return "rounded towards zero";
  if (every([&](const Steps& s) { return half(s.larger) && s.smaller + s.other <= width / 100; })) return "rounded away from zero";
  return "cannot be told: the errors before it hide the rounding";
}

ProbeAnswer Rounding(const Kernel& kernel, const Case& c) {
  if (auto hidden = Hidden(kernel, c, "output")) return *hidden;
  const auto [got, fault] = RunOn(kernel, c);
  if (!fault.empty()) return {c.op, "output", fault, "4 rows of 768"};
  const std::vector<Bits> want = reference::CorrectlyRounded(c);
  std::vector<Steps> rows;
  Steps all;
  for (std::size_t row = 0; row < c.rows; ++row) {
    rows.push_back(StepsOf(std::span(got).subspan(row * c.width, c.width), std::span(want).subspan(row * c.width, c.width)));
    all = {all.equal + rows.back().equal, all.smaller + rows.back().smaller, all.larger + rows.back().larger, all.other + rows.back().other};
  }
  return {c.op, "output", RoundingAnswer(rows, c.width),
          fmt::format("of {} outputs {} are correctly rounded, {} one step smaller in magnitude, {} one step larger, {} further off",
                      got.size(), all.equal, all.smaller, all.larger, all.other)};
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
  if (kernel.beta) c.beta.emplace(c.width, reference::BitsOf(0, c.formats.params));
  const auto [got, fault] = RunOn(kernel, c);
  if (!fault.empty()) return {op, "special values", about + ": " + fault, fmt::format("1 x {}", x.size())};
  const std::vector<Bits> want = reference::CorrectlyRounded(reference::WithEpsilonOf(kernel, c));
  bool same = got.size() == want.size();
  for (std::size_t i = 0; same && i < got.size(); ++i)
    same = reference::IsNan(want[i], c.formats.y) == reference::IsNan(got[i], c.formats.y) &&
           reference::IsInfinite(want[i], c.formats.y) == reference::IsInfinite(got[i], c.formats.y) &&
           (reference::ValueOf(want[i], c.formats.y) == 0) == (reference::ValueOf(got[i], c.formats.y) == 0);
  return {op, "special values", fmt::format("{}: {}", about, same ? "as defined" : "otherwise than defined"),
          fmt::format("1 x {}: got {}, want {}", x.size(), TextOf(got, c.formats.y), TextOf(want, c.formats.y))};
}

}  // namespace

std::vector<ProbeAnswer> ProbeNumerics(const Kernel& kernel, Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Format y = PreferredFormats(kernel).y;
  const double tiny = std::ldexp(1.0, norm::TraitsOf(y).emin);
  const Case rows = OffsetRows(kernel, op, 1e-5);
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
