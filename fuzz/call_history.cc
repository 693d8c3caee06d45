// A ring of inputs, and the search among them.
#include "fuzz/call_history.h"

#include <algorithm>

#include "fuzz/target_case.h"
#include "fuzz/target_laws.h"
#include "reference/judge.h"

namespace normcheck::fuzz {
namespace {

using reference::Case;

bool Spoiled(const norm::Kernel& kernel, std::span<const Case> before, const Case& c) {
  const norm::Kernel fresh = Fresh(kernel);
  for (const Case& earlier : before)
    if (WithinCaps(earlier)) static_cast<void>(reference::Judge(fresh, earlier, kInTheLoop));
  const reference::Verdict verdict = reference::Judge(fresh, c, kInTheLoop);
  return !verdict.kept && !verdict.not_supported;
}

}  // namespace

void CallHistory::Add(std::span<const std::uint8_t> input) { inputs_[added_++ % std::size(inputs_)].assign(input.begin(), input.end()); }

std::vector<Case> CallHistory::Before(const norm::Kernel& kernel, norm::Op op) const {
  std::vector<Case> cases;
  const std::size_t count = std::min(added_, std::size(inputs_));
  for (std::size_t i = added_ - count; i + 1 < added_; ++i) cases.push_back(TargetCase(kernel, op, inputs_[i % std::size(inputs_)]));
  return cases;
}

std::vector<Case> CasesThatSpoil(const norm::Kernel& kernel, std::vector<Case> before, const Case& c) {
  std::size_t count = 1;
  const auto last = [&](std::size_t some) { return std::span(before).last(some); };
  while (count < before.size() && !Spoiled(kernel, last(count), c)) count = std::min(2 * count, before.size());
  if (before.empty() || !Spoiled(kernel, last(count), c)) return {};
  before.erase(before.begin(), before.end() - static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = before.size(); i-- > 0 && before.size() > 1;) {
    std::vector<Case> fewer = before;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (Spoiled(kernel, fewer, c)) before = std::move(fewer);
  }
  return before;
}

}  // namespace normcheck::fuzz
