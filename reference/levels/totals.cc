// Adds single verdicts to the totals.
#include "reference/levels/totals.h"

#include <algorithm>
#include <limits>

namespace normcheck::reference::levels {
namespace {

using Standing = ElementVerdict::Standing;

constexpr double kBeyondElementUlp = 0.501;

void AddSizes(const ErrorSizes& sizes, bool finite, Tally& tally) {
  const UlpQ20 ulp = ToQ20(sizes.ulp);
  const UlpQ20 row_ulp = ToQ20(sizes.row_ulp);
  ++tally.scored;
  if (finite && sizes.ulp > kBeyondElementUlp) ++tally.beyond_element;
  tally.max_ulp = std::max(tally.max_ulp, ulp);
  tally.max_row_ulp = std::max(tally.max_row_ulp, row_ulp);
  tally.max_bound_ratio = std::max(tally.max_bound_ratio, ToQ20(sizes.bound_ratio));
  tally.row_ulp_sum += row_ulp;
  tally.bias_sum += sizes.bias_sign * static_cast<__int128>(std::min(ulp, UlpQ20{1} << 40));
  tally.ulp.Add(ulp);
  tally.row_ulp.Add(row_ulp);
}

}  // namespace

void WorstPlace::Offer(std::size_t at_row, std::size_t at, double offered, bool is_broken) {
  if (IsWorse(offered, is_broken)) *this = {true, is_broken, at_row, at, offered};
}

void AddTo(Tally& tally, const ElementVerdict& element, Level level) {
  if (element.broken) ++tally.broken;
  if (element.class_fault) ++tally.class_faults;
  if (element.standing == Standing::kUndefined) ++tally.undefined;
  if (element.standing == Standing::kNoPromise) ++tally.no_promise;
  if (element.standing != Standing::kJudged) return;
  ++tally.judged;
  ++tally.levels[static_cast<std::size_t>(level)];
  if (element.correctly_rounded) ++tally.correctly_rounded;
  if (element.sizes) AddSizes(*element.sizes, element.finite, tally);
}

double OnScaleOf(const Contract& contract, const ElementVerdict& element) {
  if (element.class_fault) return std::numeric_limits<double>::infinity();
  if (!element.sizes) return -1;
  switch (contract.kind) {
    case norm::ContractKind::kRowUlp: return element.sizes->row_ulp;
    case norm::ContractKind::kProfile: return element.sizes->bound_ratio;
    default: return element.sizes->ulp;
  }
}

}  // namespace normcheck::reference::levels
