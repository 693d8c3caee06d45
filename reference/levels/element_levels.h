// Verdicts on single elements from approximate values with proved doubts.
#pragma once

#include <optional>

#include "reference/levels/estimate.h"
#include "reference/levels/filter_loops.h"
#include "reference/row_judge.h"

namespace normcheck::reference::levels {

struct ElementEstimates {
  Estimate xhat;
  Estimate y;
  Estimate scale;  // of row ulps
};

// The verdict of RowJudge::Judge on a finite got, apart from `want`; nothing where the doubts leave any part of it open.
// profile: the row's terms where the contract is a profile. facts: x, gamma and beta; xhat and y are filled in here.
std::optional<ElementVerdict> JudgeEstimates(const Contract& contract, const RowBound* profile, const ElementEstimates& estimates,
                                             ElementFacts facts, double got, Format format);

// |got - y|/bound of a profile at the double filter; nothing where the filter cannot tell on which side of 1 it lies, or
// the bound is infinite.
std::optional<double> FilteredRatio(const FilterRow& row, const RowBound& profile, ElementFacts facts, double got);

// True where y, by the filter's row, surely lies at or beyond the power of two above the largest finite value, on the side
// of the infinity `got`: rounded right under every promise, and no error on any scale.
bool SurelyOverflows(const FilterRow& row, const ElementFacts& facts, double got, Format format);

}  // namespace normcheck::reference::levels
