// The public bug list replayed: for each of its rows, whether a kernel has that bug.
#pragma once

#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/regressions.h"

namespace normcheck::properties {

struct ReplayedRow {
  enum class Answer {
    kFree,      // asked, and the kernel has not the bug
    kHasBug,
    kNotAsked,  // the kernel does not take such a call, or the row is none of a forward call (regressions/TABLE.md)
  };
  std::string row;  // number in the list, with a letter where it has several cases: "15b"
  std::string how;  // the case file's name, or "law alignment"
  Answer answer = Answer::kNotAsked;
  std::string seen;
};

// Every public-bugs case judged under the kernel's contract, then the laws that stand for rows which no single call can say,
// then the rows that have neither; in the order of the list.
std::vector<ReplayedRow> ReplayPublicBugs(const norm::Kernel& kernel, const std::vector<Regression>& regressions);

}  // namespace normcheck::properties
