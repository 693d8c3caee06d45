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

using Finding = StatisticFinding;

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

// The promise of a statistic: correctly rounded, or within a distance of it; infinite where nothing is promised.
struct StatisticPromise {
  bool rounded = false;
  Dyadic within = {};
  bool nothing = false;
};

// k in units of 2^exponent.
StatisticPromise InUlps(const Contract& contract, double k, int exponent) {
  if (contract.kind == norm::ContractKind::kCorrectlyRounded) return {true};
  return {false, Dyadic(k) * Dyadic::PowerOfTwo(exponent)};
}

StatisticPromise OfProfile(double bound) {
  if (!std::isfinite(bound)) return {.nothing = true};
  return {false, Dyadic(bound)};
}

// A finite number where all that is promised lies at 2^(emax+1) or beyond. `uncapped`: the promise as if f32's exponents went on.
bool MissesInfinity(const ExactElement& y, float got, const StatisticPromise& uncapped) {
  if (!std::isfinite(got) || uncapped.rounded || uncapped.nothing || !IsCapped(y, kFormat)) return false;
  return y.CompareMagnitude(Dyadic::PowerOfTwo(norm::TraitsOf(kFormat).emax + 1) + uncapped.within) >= 0;
}

// The error is measured in units of 2^exponent.
Finding JudgeValue(const Contract& contract, const ExactElement& y, float got, const StatisticPromise& promise, int exponent) {
  if (promise.nothing && !IsUnwritten(got)) return {false};
  if (std::isnan(got)) return {};
  const double value = ExtendedSignedValue(std::bit_cast<Bits>(got), kFormat);
  Finding finding;
  finding.error = static_cast<double>(Scaled(Quad(abs(CappedError(y, value, kFormat))), -exponent));
  finding.kept = promise.rounded ? IsRounded(y, got) : IsWithin(y, value, promise.within, kFormat);
  finding.kept = finding.kept || IsFlushed(contract, y, got);
  return finding;
}

bool IsProfile(const Contract& contract) { return contract.kind == norm::ContractKind::kProfile; }

Finding JudgeMean(const Contract& contract, const ExactRow& row, float got, const RowBound* profile) {
  const bool finite = row.row_class() == RowClass::kFinite;
  if (!finite && contract.finite_only) return {false};
  // A profile's sum of the finite elements may overflow against the row's infinity: NaN then.
  if (!finite && IsProfile(contract) && std::isnan(got) && !IsUnwritten(got)) return {false};
  if (!finite) return JudgeClass(got, InfiniteMean(row));
  const int exponent = UlpExponent(row.MaxMagnitude(), kFormat);
  const StatisticPromise promise = IsProfile(contract) ? OfProfile(profile ? PromisedMean(*profile) : kNoBound)
                                                       : InUlps(contract, contract.k, exponent);
  return JudgeValue(contract, row.Mean(), got, promise, exponent);
}

Finding JudgeInvStdDev(const Contract& contract, const ExactRow& row, float got, const RowBound* profile) {
  const bool finite = row.row_class() == RowClass::kFinite;
  if (!finite && contract.finite_only) return {false};
  if (!finite) {
    const bool zero = row.operation().infinite_row == InfiniteRow::kOthersZero && row.row_class() == RowClass::kInfinity;
    return JudgeClass(got, zero ? 0 : std::numeric_limits<double>::quiet_NaN());
  }
  if (row.Undefined()) {
    if (contract.kind != norm::ContractKind::kCorrectlyRounded && !IsUnwritten(got)) return {false};
    return JudgeClass(got, std::numeric_limits<double>::infinity());
  }
  const ExactElement y = row.InvStdDev();
  const int exponent = UlpExponent(y, kFormat);
  const StatisticPromise promise = IsProfile(contract) ? OfProfile(profile ? PromisedInvStdDev(*profile) : kNoBound)
                                                       : InUlps(contract, 2 * contract.k, exponent);
  Finding finding = JudgeValue(contract, y, got, promise, exponent);
  const StatisticPromise uncapped = IsProfile(contract) ? promise : InUlps(contract, 2 * contract.k, UncappedUlpExponent(y, kFormat));
  finding.kept = finding.kept && !MissesInfinity(y, got, uncapped);
  return finding;
}

Finding Better(const Finding& a, const Finding& b) { return !a.kept && (b.kept || !b.judged) ? b : a; }

}  // namespace

void StatisticsJudge::AddMean(const ExactRow& row, const ExactRow* flushed, float got, const RowBound* profile) {
  Finding finding = JudgeMean(contract_, row, got, profile);
  if (finding.judged && flushed) finding = Better(finding, JudgeMean(contract_, *flushed, got, nullptr));
  AddMean(finding);
}

void StatisticsJudge::AddInvStdDev(const ExactRow& row, const ExactRow* flushed, float got, const RowBound* profile) {
  Finding finding = JudgeInvStdDev(contract_, row, got, profile);
  if (finding.judged && flushed) finding = Better(finding, JudgeInvStdDev(contract_, *flushed, got, nullptr));
  AddInvStdDev(finding);
}

void StatisticsJudge::Add(const StatisticFinding& finding, double& largest) {
  if (!finding.judged) return;
  ++verdict_.judged;
  if (!finding.kept) ++verdict_.broken;
  if (!(finding.error <= largest)) largest = finding.error;
}

}  // namespace normcheck::reference
