// What the rows of a case add up to: the tally, the worst element, the statistics.
#pragma once

#include <vector>

#include "reference/row_judge.h"
#include "reference/statistics.h"

namespace normcheck::reference::levels {

enum class Level : std::uint8_t { kFilter, kDoubleDouble, kExact };

// The first of the worst elements seen so far: which it is, since its figures come from the exact level in the end.
struct WorstPlace {
  bool found = false;
  bool broken = false;
  std::size_t row = 0;
  std::size_t index = 0;
  double size = 0;  // on the contract's own scale

  // A broken promise before a kept one, then by size.
  bool IsWorse(double offered, bool is_broken) const { return !found || (is_broken != broken ? is_broken : offered > size); }
  void Offer(std::size_t at_row, std::size_t at, double offered, bool is_broken);
};

struct CaseTotals {
  explicit CaseTotals(const Contract& contract) : statistics(contract) {}
  Tally tally;
  WorstPlace worst;
  StatisticsJudge statistics;
  std::vector<Bits> want;  // where asked for
};

// Counts one verdict of `level`.
void AddTo(Tally& tally, const ElementVerdict& element, Level level);

// The size on the contract's own scale; class faults are infinite, outputs without a size (the right NaN) come last.
double OnScaleOf(const Contract& contract, const ElementVerdict& element);

}  // namespace normcheck::reference::levels
