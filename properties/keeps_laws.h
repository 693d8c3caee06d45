// One call for GoogleTest: does a kernel keep every law that it can be asked?
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "properties/run_laws.h"
#include "reference/case_json.h"

namespace normcheck::properties {

// EXPECT_TRUE(KeepsEveryLaw(kernel)): runs all laws under the kernel's contract. A failure shows, for every broken law, what
// was seen, the seed and the shrunk case as the JSON that `normcheck judge` reads. A law that gave up, or a run in which no
// law could be asked, is a failure too; so is RC_PARAMS in the environment, which options replace: nothing of it would be read.
inline testing::AssertionResult KeepsEveryLaw(const norm::Kernel& kernel, PropertyOptions options = {}) {
  if (std::getenv("RC_PARAMS") != nullptr)
    return testing::AssertionFailure() << "RC_PARAMS is set and would not be read: unset it, and pass PropertyOptions (cases, seed)";
  options.all = true;
  testing::AssertionResult broken = testing::AssertionFailure() << kernel.name << ", seed " << options.seed.value;
  bool kept = true, asked = false;
  for (const LawRun& run : RunLaws(kernel, options)) {
    asked |= run.state != LawRun::State::kNotApplicable;
    if (run.state == LawRun::State::kKept || run.state == LawRun::State::kNotApplicable) continue;
    kept = false;
    broken << "\nlaw " << run.law << " after " << run.cases << " cases: " << run.seen << "\n";
    if (run.shrunk) broken << reference::CaseText(*run.shrunk);
  }
  if (kept && asked) return testing::AssertionSuccess() << kernel.name << " keeps every law";
  return asked ? broken : broken << ": no law can be asked of it";
}

}  // namespace normcheck::properties
