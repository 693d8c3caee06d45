// A ring of inputs.
#include "fuzz/call_history.h"

#include <algorithm>

#include "fuzz/target_case.h"

namespace normcheck::fuzz {

using reference::Case;

void CallHistory::Add(std::span<const std::uint8_t> input) { inputs_[added_++ % std::size(inputs_)].assign(input.begin(), input.end()); }

std::vector<Case> CallHistory::Before(const norm::Kernel& kernel, norm::Op op) const {
  std::vector<Case> cases;
  const std::size_t count = std::min(added_, std::size(inputs_));
  for (std::size_t i = added_ - count; i + 1 < added_; ++i) {
    Case c = TargetCase(kernel, op, inputs_[i % std::size(inputs_)]);
    if (WithinCaps(c)) cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace normcheck::fuzz
