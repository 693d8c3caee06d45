// Judges the mean and inv_std_dev that a kernel returned for a row.
#pragma once

#include <limits>

#include "reference/row_judge.h"

namespace normcheck::reference {

// One judged statistic, its error in its own ulps.
struct StatisticFinding {
  bool judged = true;
  bool kept = false;
  double error = std::numeric_limits<double>::infinity();
};

// mean = sum(x)/H and inv_std_dev = H/sqrt(Q), f32. NaN row: NaN, NaN. LayerNorm with an infinity: IEEE sum (the
// infinity, or NaN where both signs occur), NaN. RMSNorm with an infinity: inv_std_dev 0.
// correctly-rounded: both rounded once; Q = 0: inv_std_dev +inf. ulp:K, row-ulp:K: inv_std_dev within 2K ulp, mean within
// K ulp of max|x|; Q = 0: inv_std_dev is undefined and not scored, as y is not. Profiles: within PromisedMean and
// PromisedInvStdDev; rows on which those are infinite are not scored. +finite-only: only finite rows. An inv_std_dev is infinite
// where all that the contract allows lies at 2^128 or beyond.
class StatisticsJudge {
 public:
  explicit StatisticsJudge(const Contract& contract) : contract_(contract) {}
  // `flushed`: the second reading of a +ftz contract, or null. `profile`: the row's terms of a profile, null where it has none.
  void AddMean(const ExactRow& row, const ExactRow* flushed, float got, const RowBound* profile = nullptr);
  void AddInvStdDev(const ExactRow& row, const ExactRow* flushed, float got, const RowBound* profile = nullptr);
  // What a faster level has found.
  void AddMean(const StatisticFinding& finding) { Add(finding, verdict_.max_mean_ulp); }
  void AddInvStdDev(const StatisticFinding& finding) { Add(finding, verdict_.max_inv_std_dev_ulp); }
  const StatisticsVerdict& verdict() const { return verdict_; }

 private:
  void Add(const StatisticFinding& finding, double& largest);

  Contract contract_;
  StatisticsVerdict verdict_;
};

}  // namespace normcheck::reference
