// The last inputs of a target, for mistakes that only show after other calls: which of them a kernel must have seen before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "norm/kernel.h"
#include "reference/case.h"

namespace normcheck::fuzz {

class CallHistory {
 public:
  static constexpr std::size_t kMost = 32;

  // Of the input that runs now; the one kMost before it is forgotten.
  void Add(std::span<const std::uint8_t> input);

  // The cases of the last kMost inputs, the newest last, without the one that runs now.
  std::vector<reference::Case> Before(const norm::Kernel& kernel, norm::Op op) const;

 private:
  std::vector<std::uint8_t> inputs_[kMost + 1];  // a ring, whose memory is used again
  std::size_t added_ = 0;
};

// As few of the cases, in their order, as make the kernel, found anew, break its contract on c after them; empty where all of them
// together do not. A few hundred judgements.
std::vector<reference::Case> CasesThatSpoil(const norm::Kernel& kernel, std::vector<reference::Case> before, const reference::Case& c);

}  // namespace normcheck::fuzz
