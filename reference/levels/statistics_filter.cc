// Mean and inv_std_dev against their estimates.
#include "reference/levels/statistics_filter.h"

#include <cmath>

#include "reference/exact_rounding.h"
#include "reference/operations/operations.h"

namespace normcheck::reference::levels {
namespace {

using norm::ContractKind;

constexpr Format kFormat = Format::kF32;

struct Statistic {
  Estimate value;
  std::optional<int> exponent;  // the error is measured in 2^exponent
  double k = 0;                 // the promise of ulp:K and row-ulp:K, in that unit
  double profile_bound = 0;
};

// Nothing where the filter leaves it open, or where a flushed input could still keep the promise.
std::optional<StatisticFinding> FindingOf(const Contract& contract, const Statistic& statistic, float got) {
  const auto measured = Measure(statistic.value, static_cast<double>(got), kFormat);
  if (!measured || !statistic.exponent) return std::nullopt;
  std::optional<bool> broken = !measured->correctly_rounded;
  if (contract.kind == ContractKind::kProfile)
    broken = std::isfinite(statistic.profile_bound) ? measured->Exceeds(statistic.profile_bound) : std::nullopt;
  else if (contract.kind != ContractKind::kCorrectlyRounded)
    broken = measured->Exceeds(std::ldexp(statistic.k, *statistic.exponent));
  if (!broken || (*broken && contract.flush_to_zero)) return std::nullopt;
  return StatisticFinding{true, !*broken, std::ldexp(measured->error.high, -*statistic.exponent)};
}

const RowBound* ProfileOf(const Contract& contract, ExactReadings& exact) {
  return contract.kind == ContractKind::kProfile ? exact.kept().profile() : nullptr;
}

const ExactRow* FlushedRow(ExactReadings& exact) { return exact.flushed() ? &exact.flushed()->row() : nullptr; }

void AddMean(const Contract& contract, const FilteredRow* filtered, ExactReadings& exact, float got, StatisticsJudge& judge) {
  const RowBound* profile = ProfileOf(contract, exact);
  if (filtered != nullptr) {
    const Statistic mean = {filtered->mean, UlpExponent(filtered->max_magnitude, kFormat), contract.k,
                            profile != nullptr ? PromisedMean(*profile) : 0};
    if (const auto finding = FindingOf(contract, mean, got)) return judge.AddMean(*finding);
  }
  judge.AddMean(exact.kept().row(), FlushedRow(exact), got, profile);
}

void AddInvStdDev(const Contract& contract, const FilteredRow* filtered, ExactReadings& exact, float got, StatisticsJudge& judge) {
  const RowBound* profile = ProfileOf(contract, exact);
  if (filtered != nullptr) {
    const Statistic inverse = {filtered->inv_std_dev, UlpExponentOf(filtered->inv_std_dev, kFormat), 2 * contract.k,
                               profile != nullptr ? PromisedInvStdDev(*profile) : 0};
    if (const auto finding = FindingOf(contract, inverse, got)) return judge.AddInvStdDev(*finding);
  }
  judge.AddInvStdDev(exact.kept().row(), FlushedRow(exact), got, profile);
}

}  // namespace

void AddStatistics(const Contract& contract, const FilteredRow* filtered, ExactReadings& exact, const Case& c, std::size_t row,
                   const Outputs& outputs, StatisticsJudge& judge) {
  if (row < outputs.mean.size() && OperationOf(c.op).Find("mean")) AddMean(contract, filtered, exact, outputs.mean[row], judge);
  if (row < outputs.inv_std_dev.size()) AddInvStdDev(contract, filtered, exact, outputs.inv_std_dev[row], judge);
}

}  // namespace normcheck::reference::levels
