// Runs kernels over the sweep and compares as tests with tolerances do.
#include "properties/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "properties/kernels.h"
#include "properties/standard_sweep.h"
#include "reference/judge.h"
#include "reference/number.h"
#include "reference/outputs.h"

namespace normcheck::properties {
namespace {

using norm::Kernel;
using norm::Kind;

std::optional<double> NonNegative(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

// A case as a kernel takes it, its answer, and what the mutants' engine gives where no fault is planted.
struct WantedCase {
  Case c;
  std::vector<Bits> want;
  std::vector<Bits> sound;
};

std::vector<Bits> OutputsOf(const Kernel& kernel, const Case& c) {
  auto outputs = reference::RunKernel(kernel, c, {.statistics = false});
  return outputs.result.ok() && outputs.y.size() == c.rows * c.width ? std::move(outputs.y) : std::vector<Bits>();
}

// Cases with their answers, made once for each op, triple and rounding of epsilon.
class Sweeps {
 public:
  explicit Sweeps(std::span<const Case> given) : given_(given), engine_(FindKernel("honest:two-pass-f64").value()) {}

  const std::vector<WantedCase>& Of(const Kernel& kernel, Op op) {
    const Formats formats = PreferredFormats(kernel);
    const std::tuple key(op, formats.x, formats.params, formats.y, kernel.epsilon_format);
    const auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    std::vector<WantedCase>& cases = made_[key];
    const std::vector<Case> drawn = given_.empty() ? StandardSweep(op, formats) : std::vector<Case>();
    for (const Case& c : given_.empty() ? std::span(drawn) : given_)
      if (c.op == op) cases.push_back(Wanted(reference::WithEpsilonOf(kernel, c)));
    return cases;
  }

 private:
  WantedCase Wanted(Case c) const {
    std::vector<Bits> want = reference::CorrectlyRounded(c);
    std::vector<Bits> sound = reference::WhyNotAsked(engine_, c).empty() ? OutputsOf(engine_, c) : want;
    return {std::move(c), std::move(want), std::move(sound)};
  }

  std::span<const Case> given_;
  Kernel engine_;
  std::map<std::tuple<Op, Format, Format, Format, norm::EpsilonFormat>, std::vector<WantedCase>> made_;
};

bool Differs(Bits got, Bits sound, Format format) {
  return got != sound && !(reference::IsNan(got, format) && reference::IsNan(sound, format) && got != reference::PoisonBits(format));
}

bool Within(const Tolerance& tolerance, double got, double want) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return got == want;
  return std::abs(got - want) <= tolerance.atol + tolerance.rtol * std::abs(want);
}

void Count(const Tolerance& tolerance, const Kernel& kernel, const WantedCase& wanted, ToleranceCount& count) {
  const std::vector<Bits> outputs = OutputsOf(kernel, wanted.c);
  if (outputs.size() != wanted.want.size() || outputs.size() != wanted.sound.size()) return;
  const Format format = wanted.c.formats.y;
  for (std::size_t i = 0; i < wanted.want.size(); ++i) {
    const double got = reference::ValueOf(outputs[i], format);
    const double want = reference::ValueOf(wanted.want[i], format);
    ++count.outputs;
    if (!Within(tolerance, got, want)) ++count.rejected;
    if (Differs(outputs[i], wanted.sound[i], format) && Differs(outputs[i], wanted.want[i], format)) ++count.differing;
    if (std::isfinite(got) && std::isfinite(want)) count.worst = std::max(count.worst, std::abs(got - want));
  }
}

bool IsCorrect(Kind kind) { return kind == Kind::kProduction || kind == Kind::kHonest; }

// A fault whose outputs differ from a sound kernel's.
bool Shows(const ToleranceCount& count) { return !IsCorrect(count.kind) && count.differing > 0; }
bool DoesNotShow(const ToleranceCount& count) { return !IsCorrect(count.kind) && count.differing == 0; }

std::string Line(const ToleranceCount& count) {
  return fmt::format("  {:<42} {:>7} of {} beyond, worst {:.3g}\n", count.kernel, count.rejected, count.outputs, count.worst);
}

std::string Section(std::string_view title, std::span<const ToleranceCount> counts, bool (*shown)(const ToleranceCount&)) {
  std::string lines;
  int n = 0;
  for (const ToleranceCount& count : counts)
    if (shown(count)) {
      lines += Line(count);
      ++n;
    }
  return fmt::format("{}: {}\n{}", title, n == 0 ? "none" : std::to_string(n), lines);
}

}  // namespace

reference::Result<Tolerance> ParseTolerance(std::string_view text) {
  const std::size_t comma = text.find(',');
  const auto refuse = [&] {
    return reference::Error{fmt::format("tolerance \"{}\": two numbers atol,rtol, finite and not negative, such as 1e-3,1e-7", text)};
  };
  if (comma == text.npos) return refuse();
  const auto atol = NonNegative(text.substr(0, comma));
  const auto rtol = NonNegative(text.substr(comma + 1));
  if (!atol || !rtol) return refuse();
  return Tolerance{*atol, *rtol};
}

std::vector<ToleranceCount> CountTolerance(const Tolerance& tolerance, std::span<const Kernel> kernels, std::span<const Case> given) {
  std::vector<ToleranceCount> counts;
  Sweeps sweeps(given);
  for (const Kernel& kernel : kernels) {
    ToleranceCount count{kernel.name, kernel.kind};
    for (const Op op : kernel.ops)
      for (const WantedCase& wanted : sweeps.Of(kernel, op))
        if (reference::WhyNotAsked(kernel, wanted.c).empty()) Count(tolerance, kernel, wanted, count);
    if (count.outputs > 0) counts.push_back(std::move(count));
  }
  return counts;
}

std::string ToleranceText(const Tolerance& tolerance, std::span<const ToleranceCount> counts, std::size_t given) {
  const std::string on = given == 0 ? "standard sweep" : fmt::format("{} case{}", given, given == 1 ? "" : "s");
  std::string text = fmt::format("tolerance |got - want| <= {:g} + {:g}*|want|, {}\n", tolerance.atol, tolerance.rtol, on);
  text += Section("faults that show there and pass everywhere", counts,
                  [](const ToleranceCount& count) { return Shows(count) && count.rejected == 0; });
  text += Section("faults that pass on 99 of 100 outputs", counts, [](const ToleranceCount& count) {
    return Shows(count) && count.rejected > 0 && count.rejected * 100 <= count.outputs;
  });
  text += fmt::format("faults that do not show there, not counted: {}\n", std::ranges::count_if(counts, DoesNotShow));
  return text + Section("correct kernels that are rejected", counts,
                        [](const ToleranceCount& count) { return IsCorrect(count.kind) && count.rejected > 0; });
}

}  // namespace normcheck::properties
