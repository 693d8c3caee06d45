// CaseJudge: folds the verdicts of a case's elements into tally, worst element and statistics.
#pragma once

#include <optional>

#include "reference/levels/case_levels.h"

namespace normcheck::reference {

class CaseJudge {
 public:
  // Requires: HasBounds(contract), epsilon finite; the case outlives this.
  CaseJudge(const Case& c, double epsilon, const Contract& contract);

  // What is filled beside tally and statistics, as JudgeOptions says.
  struct Wishes {
    bool want_outputs = false;
    bool describe = true;
  };

  // Requires: outputs.y of rows*width elements.
  void Judge(const Outputs& outputs, Wishes wishes, const levels::LevelOptions& options, Verdict& verdict) const;

  // Row by row, undefined elements NaN. Width 0 gives nothing.
  std::vector<Bits> CorrectlyRounded() const;

 private:
  WorstElement PlaceOf(const levels::WorstPlace& place, const Outputs& outputs) const;
  void Describe(const levels::WorstPlace& place, const Outputs& outputs, Verdict& verdict) const;

  const Case* case_;
  Contract contract_;
  CaseValues kept_;
  std::optional<CaseValues> flushed_;  // +ftz
};

// Nothing for rows that are not finite.
std::optional<RowFacts> FactsOf(const ExactRow& row, double epsilon);

}  // namespace normcheck::reference
