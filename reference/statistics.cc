// Statistics as exact elements: both are a/sqrt(q).
#include "reference/statistics.h"

#include <bit>
#include <cmath>
#include <limits>

#include "reference/exact_rounding.h"
#include "reference/outputs.h"

namespace normcheck::reference {
namespace {

constexpr Format kFormat = Format::kF32;
constexpr double kNoBound = std::numeric_limits<double>::infinity();

struct Finding {
  bool judged = true;
  bool kept = false;
  double error = kNoBound;  // in the statistic's ulps
};

bool IsUnwritten(float got) { return std::bit_cast<Bits>(got) == PoisonBits(kFormat); }

Finding JudgeClass(float got, double want) {
  const bool same = std::isnan(want) ? std::isnan(got) : static_cast<double>(got) == want;
  return {true, same && !IsUnwritten(got), same ? 0 : kNoBound};
}

double InfiniteMean(const ExactRow& row) {
  double sum = 0;
  for (double value : row.values()) {
    if (!std::isfinite(value)) sum += value;
  }
  return sum;
}

bool IsRounded(const ExactElement& y, float got) {
  return std::bit_cast<Bits>(got) == RoundTo(y, kFormat) || (y.Sign() == 0 && got == 0);
}

bool IsFlushed(const Contract& contract, const ExactElement& y, float got) {
  return contract.flush_to_zero && got == 0 && y.CompareMagnitude(Dyadic::PowerOfTwo(norm::TraitsOf(kFormat).emin)) < 0;
}

// k: in units of 2^exponent, of contracts in ulps.
Finding JudgeValue(const Contract& contract, const ExactElement& y, float got, double k, int exponent) {
  if (std::isnan(got)) return {};
  const double value = ExtendedSignedValue(std::bit_cast<Bits>(got), kFormat);
  Finding finding;
  finding.error = static_cast<double>(Scaled(Quad(abs(CappedError(y, value, kFormat))), -exponent));
  finding.kept = contract.kind == norm::ContractKind::kCorrectlyRounded
                     ? IsRounded(y, got)
                     : IsWithin(y, value, Dyadic(k) * Dyadic::PowerOfTwo(exponent), kFormat);
  finding.kept = finding.kept || IsFlushed(contract, y, got);
  return finding;
}

Finding JudgeMean(const Contract& contract, const ExactRow& row, float got) {
  const bool finite = row.row_class() == RowClass::kFinite;
  if (!finite && contract.finite_only) return {false};
  if (!finite) return JudgeClass(got, InfiniteMean(row));
  return JudgeValue(contract, row.Mean(), got, contract.k, UlpExponent(row.MaxMagnitude(), kFormat));
}

Finding JudgeInvStdDev(const Contract& contract, const ExactRow& row, float got) {
  const bool finite = row.row_class() == RowClass::kFinite;
  if (!finite && contract.finite_only) return {false};
  if (!finite) {
    const bool zero = row.op() == Op::kRmsNorm && row.row_class() == RowClass::kInfinity;
    return JudgeClass(got, zero ? 0 : std::numeric_limits<double>::quiet_NaN());
  }
  if (row.Undefined()) {
    if (contract.kind != norm::ContractKind::kCorrectlyRounded && !IsUnwritten(got)) return {false};
    return JudgeClass(got, std::numeric_limits<double>::infinity());
  }
  const ExactElement y = row.InvStdDev();
  return JudgeValue(contract, y, got, 2 * contract.k, UlpExponent(y, kFormat));
}

Finding Better(const Finding& a, const Finding& b) { return !a.kept && (b.kept || !b.judged) ? b : a; }

}  // namespace

void StatisticsJudge::AddMean(const ExactRow& row, const ExactRow* flushed, float got) {
  Finding finding = JudgeMean(contract_, row, got);
  if (finding.judged && flushed) finding = Better(finding, JudgeMean(contract_, *flushed, got));
  if (finding.judged) Add(finding.kept, finding.error, verdict_.max_mean_ulp);
}

void StatisticsJudge::AddInvStdDev(const ExactRow& row, const ExactRow* flushed, float got) {
  Finding finding = JudgeInvStdDev(contract_, row, got);
  if (finding.judged && flushed) finding = Better(finding, JudgeInvStdDev(contract_, *flushed, got));
  if (finding.judged) Add(finding.kept, finding.error, verdict_.max_inv_std_dev_ulp);
}

void StatisticsJudge::Add(bool kept, double error, double& largest) {
  ++verdict_.judged;
  if (!kept) ++verdict_.broken;
  if (!(error <= largest)) largest = error;
}

}  // namespace normcheck::reference
