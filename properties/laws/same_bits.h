// Outputs that must be the same bits, whatever the contract: the invariance laws.
#pragma once

#include "properties/laws/checks.h"
#include "reference/outputs.h"

namespace normcheck::properties {

// NaN equals NaN; everything else by its bits.
bool SameBits(reference::Bits a, reference::Bits b, norm::Format format);

// y, mean and inv_std_dev of one row in two runs.
bool SameRow(const Case& c, const reference::Outputs& a, std::size_t row_a, const reference::Outputs& b, std::size_t row_b);

// Runs the case as the kernel takes it. `fault`: why the law cannot go on (not applicable, or refused).
struct PlainRun {
  Case c;  // FittedTo(kernel, c)
  reference::Outputs outputs;
  std::optional<LawResult> fault;
};
PlainRun RunPlainly(const norm::Kernel& kernel, const Case& c);

// Kept where every row is the same; else broken, with the first row and element that differ and how the runs differ.
LawResult CheckSame(const Case& c, const reference::Outputs& plain, const reference::Outputs& other, const std::string& how);

}  // namespace normcheck::properties
