// Climbs down ladders of contracts while the sweep's cases pass by.
#include "reports/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "properties/honest.h"
#include "reference/bounds.h"
#include "reference/judge.h"
#include "reports/parallel.h"
#include "reports/sweep.h"

namespace normcheck::reports {
namespace {

using norm::Contract;
using norm::ContractKind;
using norm::Kernel;
using reference::Verdict;

// Contracts from strict to lax: outputs that keep one keep all below it, so that no case need be judged twice.
struct Ladder {
  std::vector<Contract> rungs;
  std::size_t at = 0;      // the rung that stands; rungs.size(): none
  reference::Tally tally;  // of the cases that were kept
};

// The ladders that one pass over the sweep climbs down.
struct Pass {
  std::vector<Ladder> ladders;
  std::string fault;
  std::atomic<bool> stop = false;
  std::mutex mutex;

  bool Stands() const {
    return fault.empty() && std::ranges::any_of(ladders, [](const Ladder& ladder) { return ladder.at < ladder.rungs.size(); });
  }
};

bool IsOfCall(const Verdict& verdict) { return !verdict.kept && !verdict.not_supported && !verdict.fault.empty(); }

// False where the ladder went on to another rung, under which the case is still to be judged.
bool Settles(const Verdict& verdict, std::size_t rung, Ladder& ladder, Pass& pass) {
  const std::lock_guard lock(pass.mutex);
  if (IsOfCall(verdict)) pass.fault = verdict.fault;
  else if (verdict.kept) ladder.tally.Merge(verdict.tally);
  else if (!verdict.not_supported && ladder.at == rung) ++ladder.at;
  if (!pass.Stands()) pass.stop = true;
  return verdict.kept || verdict.not_supported || pass.stop;
}

void Climb(const Kernel& kernel, const Case& c, Ladder& ladder, Pass& pass) {
  reference::JudgeOptions options;
  options.diagnose = options.describe = false;
  for (bool settled = false; !settled;) {
    std::size_t rung = 0;
    {
      const std::lock_guard lock(pass.mutex);
      rung = ladder.at;
    }
    if (rung == ladder.rungs.size()) return;
    options.contract = ladder.rungs[rung];
    settled = Settles(reference::Judge(kernel, c, options), rung, ladder, pass);
  }
}

void ClimbCell(const Kernel& kernel, const Cell& cell, const AdviseOptions& options, Pass& pass) {
  const Kernel own = options.fresh ? options.fresh(kernel) : kernel;
  ForEachCase(own, cell, options.seed, options.regressions, [&](const Case& c) {
    for (Ladder& ladder : pass.ladders)
      if (!pass.stop) Climb(own, c, ladder, pass);
  });
}

// Heavy cells first, as sweeps do.
reference::Result<bool> Run(const Kernel& kernel, std::vector<Job> jobs, const AdviseOptions& options, Pass& pass) {
  std::ranges::stable_sort(jobs, std::greater(), &Job::weight);
  const auto work = [&](std::size_t i) { ClimbCell(kernel, jobs[i].cell, options, pass); };
  const auto done = RunInParallel(jobs.size(), options.threads, &pass.stop, work);
  return done.ok() || pass.stop ? reference::Result<bool>(true) : done;
}

Contract WithFlagsOf(const Contract& own, Contract contract) {
  contract.flush_to_zero = own.flush_to_zero;
  contract.finite_only = own.finite_only;
  contract.saturates = own.saturates;
  return contract;
}

Ladder UlpLadder(const Contract& own) {
  Ladder ladder{{WithFlagsOf(own, {.kind = ContractKind::kCorrectlyRounded})}, 0, {}};
  for (const double k : {0.501, 1.0, 2.0, 4.0}) ladder.rungs.push_back(WithFlagsOf(own, {ContractKind::kUlp, k}));
  return ladder;
}

Ladder RowUlpLadder(const Contract& own) {
  Ladder ladder;
  for (const double k : {0.501, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 64.0}) ladder.rungs.push_back(WithFlagsOf(own, {ContractKind::kRowUlp, k}));
  return ladder;
}

// Those of the honest kernels, f64 before f32, each a ladder of its own.
std::vector<Ladder> ProfileLadders() {
  std::vector<Contract> profiles;
  for (const Kernel& kernel : properties::HonestKernels())
    if (reference::HasBounds(kernel.contract)) profiles.push_back(kernel.contract);
  std::ranges::stable_sort(profiles, {}, [](const Contract& c) { return c.profile.accumulator == norm::Precision::kF64 ? 0 : 1; });
  std::vector<Ladder> ladders;
  for (const Contract& profile : profiles) ladders.push_back({{profile}, 0, {}});
  return ladders;
}

void Take(const Pass& pass, Advice& advice) {
  advice.fault = pass.fault;
  for (const Ladder& ladder : pass.ladders) {
    const std::size_t at = pass.fault.empty() && ladder.tally.judged > 0 ? ladder.at : ladder.rungs.size();
    if (advice.Strictest() == nullptr && at < ladder.rungs.size()) {
      advice.outputs = ladder.tally.judged;
      advice.correctly_rounded = ladder.tally.correctly_rounded;
      advice.max_ulp = reference::FromQ20(ladder.tally.max_ulp);
      advice.max_row_ulp = reference::FromQ20(ladder.tally.max_row_ulp);
    }
    for (std::size_t i = 0; i < std::min(at + 1, ladder.rungs.size()); ++i)
      advice.tried.push_back({ladder.rungs[i], i == at, i == at ? ladder.tally.no_promise : 0});
  }
}

bool WasTried(const Advice& advice, const Contract& contract) {
  return std::ranges::find(advice.tried, contract, &TriedContract::contract) != advice.tried.end();
}

std::string LineOf(const TriedContract& tried) {
  const std::string open = tried.no_promise > 0 ? fmt::format(", says nothing of {} outputs", tried.no_promise) : "";
  return fmt::format("{:<55} {}{}\n", reference::ContractText(tried.contract), tried.kept ? "kept" : "not kept", open);
}

}  // namespace

const TriedContract* Advice::Strictest() const {
  const auto found = std::ranges::find_if(tried, &TriedContract::kept);
  return found == tried.end() ? nullptr : &*found;
}

reference::Result<Advice> Advise(const Kernel& kernel, const AdviseOptions& options) {
  const std::vector<Job> jobs = PlanJobs(std::span(&kernel, 1), options.mode, options.regressions, {});
  std::vector<std::vector<Ladder>> passes;
  passes.push_back({UlpLadder(kernel.contract)});
  passes.push_back({RowUlpLadder(kernel.contract)});
  for (Ladder& profile : ProfileLadders()) passes.push_back({std::move(profile)});
  Advice advice;
  const auto run = [&](std::vector<Ladder> ladders) {
    Pass pass;
    pass.ladders = std::move(ladders);
    const auto done = Run(kernel, jobs, options, pass);
    if (done.ok()) Take(pass, advice);
    return done;
  };
  for (auto pass = passes.begin(); pass != passes.end() && advice.fault.empty() && advice.Strictest() == nullptr; ++pass)
    if (const auto done = run(std::move(*pass)); !done.ok()) return reference::Error{done.error()};
  if (advice.fault.empty() && !WasTried(advice, kernel.contract))
    if (const auto done = run({Ladder{{kernel.contract}, 0, {}}}); !done.ok()) return reference::Error{done.error()};
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
  std::string text = fmt::format("{} on the sweep of report (seed 1):\n", kernel.name);
  if (!advice.fault.empty()) return text + fmt::format("no contract is kept: {}\n", advice.fault);
  for (const TriedContract& tried : advice.tried) text += LineOf(tried);
  const TriedContract* strictest = advice.Strictest();
  if (strictest == nullptr) return text + "no contract of these was kept\n";
  text += fmt::format("strictest kept: {}\n", reference::ContractText(strictest->contract));
  text += fmt::format("{} of {} outputs correctly rounded, at most {:.4g} ulp, {:.4g} row ulp\n", advice.correctly_rounded, advice.outputs,
                      advice.max_ulp, advice.max_row_ulp);
  const auto tolerance = JustifiedTolerance(strictest->contract, format, width);
  if (!tolerance) return text + "a profile bounds each row by its own numbers: no atol and rtol follow\n";
  return text + fmt::format("justifies, {} of width {}, |gamma| and |beta| <= 1: atol {:.3g}, rtol {:.3g}\n", norm::TraitsOf(format).name,
                            width, tolerance->atol, tolerance->rtol);
}

}  // namespace normcheck::reports
