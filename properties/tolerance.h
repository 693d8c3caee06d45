// Tolerance: what a test |got - want| <= atol + rtol*|want| would let pass, and what it would reject.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "reference/result.h"

namespace normcheck::properties {

struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

// "atol,rtol", both decimal, finite and >= 0: "1e-2,0", "1e-3,1e-7", "0,5e-7".
reference::Result<Tolerance> ParseTolerance(std::string_view text);

// How one kernel fares on the standard sweep under a tolerance, at its preferred formats.
struct ToleranceCount {
  std::string kernel;
  norm::Kind kind = norm::Kind::kMutant;
  std::uint64_t outputs = 0;   // compared: want defined (Q > 0)
  std::uint64_t rejected = 0;  // beyond the tolerance, or of another class than want (NaN equals NaN)
  double worst = 0;            // largest |got - want| of finite pairs
};

// want is the correctly rounded value for the epsilon that the kernel takes. Kernels that support nothing are left out.
std::vector<ToleranceCount> CountTolerance(const Tolerance& tolerance, std::span<const norm::Kernel> kernels);

// A fault that the sweep does not show (of memory, of state, of more than two rows) passes every tolerance.
// The mutants that pass everywhere, and the correct kernels (production, honest) that are rejected somewhere; a line each.
std::string ToleranceText(const Tolerance& tolerance, std::span<const ToleranceCount> counts);

}  // namespace normcheck::properties
