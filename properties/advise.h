// Advise: the strictest contracts that a kernel kept on the standard sweep, and the tolerance that such a bound justifies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/tolerance.h"

namespace normcheck::properties {

struct TriedContract {
  norm::Contract contract;
  bool kept = false;
  std::uint64_t broken = 0;      // outputs
  std::uint64_t no_promise = 0;  // outputs of which the contract says nothing
};

struct Advice {
  std::uint64_t outputs = 0;
  std::uint64_t correctly_rounded = 0;
  double max_ulp = 0;
  double max_row_ulp = 0;
  std::vector<TriedContract> tried;  // strictest first
  std::uint64_t faults = 0;          // cases that a plug-in did not survive; then no contract is kept
  std::string fault = {};            // the first of them
  const TriedContract* Strictest() const;  // the first that was kept; null: none
};

// Tries correctly-rounded, ulp:K and row-ulp:K for K up to 64, and every profile that the judge bounds, in all ops at the
// preferred formats. What was kept on a sweep is kept there; only the profile of the very algorithm is a proof.
Advice Advise(const norm::Kernel& kernel);

// |got - y| <= atol + rtol*|y| for every finite row of that width with |gamma| <= 1 and |beta| <= 1, from the contract alone:
//   correctly-rounded: rtol 2^-p, atol half the smallest subnormal;   ulp:K: rtol K*2^(1-p), atol K subnormals;
//   row-ulp:K: atol K*2^(1-p)*(sqrt(H) + 1), because |xhat_i| <= sqrt(H).
// Profiles bound each row by its own numbers: no tolerance of this form follows, and none is given.
std::optional<Tolerance> JustifiedTolerance(const norm::Contract& contract, norm::Format format, std::size_t width);

// format and width: of the tolerance.
std::string AdviceText(const norm::Kernel& kernel, const Advice& advice, norm::Format format, std::size_t width);

}  // namespace normcheck::properties
