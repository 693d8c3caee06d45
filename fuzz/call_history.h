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
  static constexpr std::size_t kMost = 128;

  // Of the input that runs now; the one kMost before it is forgotten.
  void Add(std::span<const std::uint8_t> input);

  // The cases of the last kMost inputs that the kernel was called on, the newest last, without the one that runs now.
  std::vector<reference::Case> Before(const norm::Kernel& kernel, norm::Op op) const;

 private:
  std::vector<std::uint8_t> inputs_[kMost + 1];  // a ring, whose memory is used again
  std::size_t added_ = 0;
};

}  // namespace normcheck::fuzz
