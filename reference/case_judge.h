// CaseJudge: folds the verdicts of a case's elements into tally, worst element and statistics.
#pragma once

#include <optional>

#include "reference/levels/case_levels.h"

namespace normcheck::reference {

class CaseJudge {
 public:
  // Requires: HasBounds(contract), epsilon finite; the case outlives this.
  CaseJudge(const Case& c, double epsilon, const Contract& contract);

  // Requires: outputs.y of rows*width elements. Fills tally, worst, row, statistics and, where asked for, want.
  void Judge(const Outputs& outputs, bool want_outputs, const levels::LevelOptions& options, Verdict& verdict) const;

  // Row by row, undefined elements NaN. Width 0 gives nothing.
  std::vector<Bits> CorrectlyRounded() const;

 private:
  void Describe(const levels::WorstPlace& place, const Outputs& outputs, Verdict& verdict) const;

  const Case* case_;
  Contract contract_;
  CaseValues kept_;
  std::optional<CaseValues> flushed_;  // +ftz
};

// Nothing for rows that are not finite.
std::optional<RowFacts> FactsOf(const ExactRow& row, double epsilon);

}  // namespace normcheck::reference
