// Laws: what must hold for every kernel, each with a name, a sentence and a check of one case.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "norm/kernel.h"
#include "reference/case.h"
#include "reference/judge.h"

namespace normcheck::properties {

class Random;
struct LargeCall;

using reference::Case;

// Kept, broken (with what was seen), not applicable to this kernel and case: the precondition does not hold; or not asked, since
// this program could not: there was no memory, process or time (with the reason). The last says nothing about the kernel.
struct LawResult {
  enum class State { kKept, kBroken, kNotApplicable, kNotAsked } state = State::kKept;
  std::string seen = {};
};

struct LawContext {
  const norm::Kernel& kernel;
  reference::JudgeOptions judge;  // carries --contract
};

struct Law {
  std::string_view name;   // "batch-independence"
  std::string_view about;  // the law in one sentence, with its precondition
  bool (*applies_to)(const norm::Kernel& kernel);
  LawResult (*check)(const LawContext& context, const Case& c);
  // Turns any drawn case into one that meets the law's precondition (e.g. makes the rows constant); null: any case does.
  void (*prepare)(Case& c) = nullptr;
  // One case in so many: laws whose one case stands for thousands of rows or calls.
  int every = 1;
  // Calls of its own in place of drawn cases, a round of them (large_calls.h); null: drawn cases.
  std::vector<LargeCall> (*round)(const norm::Kernel& kernel, Random& random) = nullptr;
};

std::span<const Law> Laws();

}  // namespace normcheck::properties
