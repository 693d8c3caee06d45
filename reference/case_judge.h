// CaseJudge: folds the verdicts of a case's elements into tally, worst element and statistics.
#pragma once

#include <optional>

#include "reference/outputs.h"
#include "reference/row_judge.h"
#include "reference/statistics.h"

namespace normcheck::reference {

class CaseJudge {
 public:
  // Requires: HasBounds(contract), epsilon finite; the case outlives this.
  CaseJudge(const Case& c, double epsilon, const Contract& contract);

  // Requires: outputs.y of rows*width elements. Fills tally, worst, row, statistics and, where asked for, want.
  void Judge(const Outputs& outputs, bool want_outputs, Verdict& verdict) const;

  // Row by row, undefined elements NaN. Width 0 gives nothing.
  std::vector<Bits> CorrectlyRounded() const;

 private:
  struct Worst;
  void JudgeRow(std::size_t row, const Outputs& outputs, bool want_outputs, Worst& worst, StatisticsJudge& statistics,
                Verdict& verdict) const;
  void JudgeStatistics(std::size_t row, const Outputs& outputs, const RowJudge& kept, const RowJudge* flushed,
                       StatisticsJudge& judge) const;

  const Case* case_;
  Contract contract_;
  CaseValues kept_;
  std::optional<CaseValues> flushed_;  // +ftz
};

// Nothing for rows that are not finite.
std::optional<RowFacts> FactsOf(const ExactRow& row, double epsilon);

}  // namespace normcheck::reference
