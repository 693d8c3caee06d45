// Options for faults that not every call shows, and a case judged under them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "norm/kernel.h"
#include "reference/judge.h"

namespace normcheck::reports {

struct RepeatOptions {
  std::uint64_t repeat = 1;
  bool restart = false;
};

void AddRepeat(CLI::App* verb, RepeatOptions& options);

// What came of all runs of a case.
struct Runs {
  std::uint64_t asked = 0;
  std::uint64_t broken = 0;
  std::uint64_t first = 0;  // broken run; 0: none
};

// Asks `breaks` of the kernel so often, of one that is started anew each time where that is wanted.
Runs RunRepeatedly(const norm::Kernel& kernel, const RepeatOptions& options, const std::function<bool(const norm::Kernel&)>& breaks);

// "broken in 3 of 20 runs, first in run 7".
std::string RunsText(const Runs& runs);

struct JudgedRuns {
  reference::Verdict verdict;  // of the first broken run, else of the last; diagnosed where every run is broken
  Runs runs;
};
JudgedRuns JudgeRuns(const norm::Kernel& kernel, const reference::Case& c, const reference::JudgeOptions& judge, const RepeatOptions& options);

}  // namespace normcheck::reports
