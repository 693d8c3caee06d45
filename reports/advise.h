// Advise: the strictest contracts that a kernel keeps on the sweep of `report`, and the tolerance that such a bound justifies.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "properties/tolerance.h"
#include "reports/plan.h"

namespace normcheck::reports {

using properties::Tolerance;

struct TriedContract {
  norm::Contract contract;
  bool kept = false;
  std::uint64_t no_promise = 0;  // outputs of which a kept contract says nothing
};

struct Advice {
  std::uint64_t outputs = 0;     // judged under the strictest contract kept, as are the figures below; 0: none was kept
  std::uint64_t correctly_rounded = 0;
  double max_ulp = 0;
  double max_row_ulp = 0;
  std::vector<TriedContract> tried;  // strictest first
  std::string fault = {};            // of a whole call, a crash say, after which no contract is kept
  const TriedContract* Strictest() const;  // the first that was kept; null: none
};

struct AdviseOptions {
  Mode mode = Mode::kDefault;
  Seed seed;
  std::span<const Regression> regressions;
  std::function<norm::Kernel(const norm::Kernel&)> fresh;  // the kernel without the state of earlier calls; empty: it keeps none
  unsigned threads = 1;
};

// On the very cases that `report` judges in this mode, with its verdict: correctly-rounded and ulp:K, then row-ulp:K, then the profiles
// that the judge bounds, until a kind has one that is kept; and the kernel's own contract. What was kept on a sweep is kept there;
// only the profile of the very algorithm is a proof. Error: a kernel threw instead of answering.
reference::Result<Advice> Advise(const norm::Kernel& kernel, const AdviseOptions& options);

// |got - y| <= atol + rtol*|y| for every finite row of that width with |gamma| <= 1 and |beta| <= 1, from the contract alone:
//   correctly-rounded: rtol 2^-p, atol half the smallest subnormal;   ulp:K: rtol K*2^(1-p), atol K subnormals;
//   row-ulp:K: atol K*2^(1-p)*(sqrt(H) + 1), because |xhat_i| <= sqrt(H).
// Profiles bound each row by its own numbers: no tolerance of this form follows, and none is given.
std::optional<Tolerance> JustifiedTolerance(const norm::Contract& contract, norm::Format format, std::size_t width);

// format and width: of the tolerance.
std::string AdviceText(const norm::Kernel& kernel, const Advice& advice, norm::Format format, std::size_t width);

}  // namespace normcheck::reports
