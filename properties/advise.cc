// Judges the standard sweep under one contract after another.
#include "properties/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "norm/kernel_fault.h"
#include "properties/honest.h"
#include "properties/standard_sweep.h"
#include "reference/bounds.h"
#include "reference/judge.h"
#include "reference/outputs.h"

namespace normcheck::properties {
namespace {

using norm::Contract;
using norm::ContractKind;
using norm::Kernel;

struct RunCase {
  Case c;
  reference::Outputs outputs;
};

// Cases on which a plug-in faults are counted in `advice`, and have no outputs to judge.
std::vector<RunCase> RunSweep(const Kernel& kernel, Advice& advice) {
  std::vector<RunCase> runs;
  for (const Op op : kernel.ops)
    for (Case& drawn : StandardSweep(op, PreferredFormats(kernel))) {
      Case c = reference::DrawnFor(kernel, std::move(drawn));
      if (!reference::WhyNotAsked(kernel, c).empty()) continue;
      try {
        reference::Outputs outputs = reference::RunKernel(kernel, c, {.statistics = false});
        runs.push_back({std::move(c), std::move(outputs)});
      } catch (const norm::KernelFault& fault) {
        if (advice.faults++ == 0) advice.fault = fault.what();
      }
    }
  return runs;
}

reference::Tally JudgeAll(const Kernel& kernel, const std::vector<RunCase>& runs, const Contract& contract) {
  reference::Tally total;
  reference::JudgeOptions options;
  options.diagnose = false;
  for (const RunCase& run : runs) total.Merge(reference::JudgeOutputs(run.c, run.outputs, contract, kernel.epsilon_format, options).tally);
  return total;
}

// Strictest first: profiles after the fixed contracts, f64 before f32, in the order of the honest kernels.
std::vector<Contract> Candidates() {
  std::vector<Contract> all = {{.kind = ContractKind::kCorrectlyRounded}};
  for (const double k : {0.501, 1.0, 2.0, 4.0}) all.push_back({ContractKind::kUlp, k});
  for (const double k : {0.501, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 64.0}) all.push_back({ContractKind::kRowUlp, k});
  std::vector<Contract> profiles;
  for (const Kernel& kernel : HonestKernels())
    if (reference::HasBounds(kernel.contract)) profiles.push_back(kernel.contract);
  std::ranges::stable_sort(profiles, {}, [](const Contract& c) { return c.profile.accumulator == norm::Precision::kF64 ? 0 : 1; });
  all.insert(all.end(), profiles.begin(), profiles.end());
  return all;
}

std::string LineOf(const TriedContract& tried) {
  const std::string kept = tried.kept ? "kept" : tried.broken == 0 ? "not kept" : fmt::format("broken {}", tried.broken);
  const std::string open = tried.no_promise > 0 ? std::to_string(tried.no_promise) : "";
  return fmt::format("{:<55} {:<14} {:>9}\n", reference::ContractText(tried.contract), kept, open);
}

}  // namespace

const TriedContract* Advice::Strictest() const {
  const auto found = std::ranges::find_if(tried, &TriedContract::kept);
  return found == tried.end() ? nullptr : &*found;
}

Advice Advise(const Kernel& kernel) {
  Advice advice;
  const std::vector<RunCase> runs = RunSweep(kernel, advice);
  for (const Contract& contract : Candidates()) {
    const reference::Tally tally = JudgeAll(kernel, runs, contract);
    advice.tried.push_back({contract, tally.broken == 0 && tally.judged > 0 && advice.faults == 0, tally.broken, tally.no_promise});
    if (contract.kind != ContractKind::kCorrectlyRounded) continue;
    advice.outputs = tally.judged;
    advice.correctly_rounded = tally.correctly_rounded;
    advice.max_ulp = reference::FromQ20(tally.max_ulp);
    advice.max_row_ulp = reference::FromQ20(tally.max_row_ulp);
  }
  return advice;
}

std::optional<Tolerance> JustifiedTolerance(const Contract& contract, norm::Format format, std::size_t width) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  const double ulp = std::ldexp(1.0, 1 - traits.precision);
  const double subnormal = std::ldexp(1.0, traits.emin - traits.precision + 1);
  switch (contract.kind) {
    case ContractKind::kCorrectlyRounded: return Tolerance{subnormal / 2, ulp / 2};
    case ContractKind::kUlp: return Tolerance{contract.k * subnormal, contract.k * ulp};
    case ContractKind::kRowUlp: return Tolerance{contract.k * ulp * (std::sqrt(static_cast<double>(width)) + 1), 0};
    case ContractKind::kProfile: break;
  }
  return std::nullopt;
}

std::string AdviceText(const Kernel& kernel, const Advice& advice, norm::Format format, std::size_t width) {
  std::string text = fmt::format("{} on the standard sweep:\n{} of {} outputs correctly rounded, at most {:.4g} ulp, {:.4g} row ulp\n",
                                 kernel.name, advice.correctly_rounded, advice.outputs, advice.max_ulp, advice.max_row_ulp);
  if (advice.faults > 0) text += fmt::format("no contract is kept, since on {} cases {}\n", advice.faults, advice.fault);
  text += fmt::format("{:<55} {:<14} {:>9}\n", "contract", "outputs", "open");
  for (const TriedContract& tried : advice.tried) text += LineOf(tried);
  const TriedContract* strictest = advice.Strictest();
  if (strictest == nullptr) return text + "no contract of these was kept\n";
  text += fmt::format("strictest kept: {}\n", reference::ContractText(strictest->contract));
  const auto tolerance = JustifiedTolerance(strictest->contract, format, width);
  if (!tolerance) return text + "a profile bounds each row by its own numbers: no atol and rtol follow\n";
  return text + fmt::format("justifies, {} of width {}, |gamma| and |beta| <= 1: atol {:.3g}, rtol {:.3g}\n", norm::TraitsOf(format).name,
                            width, tolerance->atol, tolerance->rtol);
}

}  // namespace normcheck::properties
