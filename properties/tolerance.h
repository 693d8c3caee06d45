// Tolerance: what a test |got - want| <= atol + rtol*|want| would let pass, and what it would reject.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::properties {

struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

// "atol,rtol", both decimal, finite and >= 0: "1e-2,0", "1e-3,1e-7", "0,5e-7".
reference::Result<Tolerance> ParseTolerance(std::string_view text);

// How one kernel fares under a tolerance.
struct ToleranceCount {
  std::string kernel;
  norm::Kind kind = norm::Kind::kMutant;
  std::uint64_t outputs = 0;   // compared: want defined (Q > 0)
  std::uint64_t rejected = 0;  // beyond the tolerance, or of another class than want (NaN equals NaN)
  std::uint64_t differing = 0; // neither correctly rounded nor the mutants' sound engine's: 0 where a fault does not show
  double worst = 0;            // largest |got - want| of finite pairs
};

// On the cases given or, without any, on the standard sweep at each kernel's preferred formats. want is the correctly rounded value
// for the epsilon that the kernel takes. Kernels that take none of the cases are left out.
std::vector<ToleranceCount> CountTolerance(const Tolerance& tolerance, std::span<const norm::Kernel> kernels,
                                           std::span<const reference::Case> given = {});

// The faults that pass everywhere, and the correct kernels (production, honest) that are rejected somewhere; a line each. Faults that do
// not show on these cases (of memory, of state, of many rows) would pass every tolerance and are only counted. `given`: cases, 0 = the sweep.
std::string ToleranceText(const Tolerance& tolerance, std::span<const ToleranceCount> counts, std::size_t given = 0);

}  // namespace normcheck::properties
