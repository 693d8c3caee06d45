// Asks the same thing of a kernel again and again.
#include "reports/cli/repeated_runs.h"

#include <fmt/format.h>

#include <utility>

#include "reports/cli/arguments.h"
#include "reports/cli/print.h"

namespace normcheck::reports {

void AddRepeat(CLI::App* verb, RepeatOptions& options) {
  CLI::Option* repeat = verb->add_option("--repeat", options.repeat, "ask each case so often, for faults that not every call shows: one broken run is enough")
                            ->check(CLI::Range(1, 1'000'000));
  verb->add_flag("--restart", options.restart, "with --repeat: each run in a kernel that is started anew")->needs(repeat);
}

Runs RunRepeatedly(const norm::Kernel& kernel, const RepeatOptions& options, const std::function<bool(const norm::Kernel&)>& breaks) {
  Runs runs;
  norm::Kernel asked = kernel;
  while (runs.asked < options.repeat) {
    if (options.restart && runs.asked > 0) asked = FreshKernel(kernel);
    ++runs.asked;
    if (!breaks(asked)) continue;
    ++runs.broken;
    if (runs.first == 0) runs.first = runs.asked;
  }
  return runs;
}

std::string RunsText(const Runs& runs) {
  if (runs.broken == 0) return fmt::format("broken in 0 of {} runs", runs.asked);
  return fmt::format("broken in {} of {} runs, first in run {}", runs.broken, runs.asked, runs.first);
}

JudgedRuns JudgeRuns(const norm::Kernel& kernel, const reference::Case& c, const reference::JudgeOptions& judge, const RepeatOptions& options) {
  if (options.repeat == 1) {
    JudgedRuns once = {reference::Judge(kernel, c, judge), {}};
    const bool broken = !once.verdict.kept && !once.verdict.not_supported;
    once.runs = {1, broken ? 1u : 0u, broken ? 1u : 0u};
    return once;
  }
  reference::JudgeOptions plain = judge;
  plain.diagnose = false;
  JudgedRuns all;
  bool found = false;
  all.runs = RunRepeatedly(kernel, options, [&](const norm::Kernel& asked) {
    reference::Verdict verdict = reference::Judge(asked, c, plain);
    const bool broken = !verdict.kept && !verdict.not_supported;
    if (!found) all.verdict = std::move(verdict);
    found = found || broken;
    return broken;
  });
  if (all.runs.broken == all.runs.asked) all.verdict = reference::Judge(kernel, c, judge);
  return all;
}

}  // namespace normcheck::reports
