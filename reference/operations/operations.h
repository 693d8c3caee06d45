// The list of operations. One more: its folder here, its enumerator in norm/kernel_call.h, its line in this list.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "reference/operations/affine_norm/affine_norm.h"

namespace normcheck::reference {

// In the order of norm::Op.
inline constexpr std::array kOperations = {&affine_norm::kLayerNorm, &affine_norm::kRmsNorm, &affine_norm::kL2Norm};
static_assert(kOperations.size() == std::size(norm::kOps), "an operation without a description");

constexpr const Operation& OperationOf(Op op) { return *kOperations[static_cast<std::size_t>(op)]; }

constexpr bool InOrder() {
  for (const Op op : norm::kOps)
    if (OperationOf(op).op != op) return false;
  return true;
}
static_assert(InOrder(), "kOperations stands in the order of norm::Op");

// "layer_norm, rms_norm".
std::string OpNames();

// The ops of a kernel that computes every operation, of one that needs a mean to subtract, and of one that needs a width.
std::vector<Op> AllOps();
std::vector<Op> CentredOps();
std::vector<Op> AveragedOps();  // that divide the sum of squares by the width

}  // namespace normcheck::reference
