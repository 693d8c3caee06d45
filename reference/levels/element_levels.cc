// Promises against estimates.
#include "reference/levels/element_levels.h"

#include <cmath>

namespace normcheck::reference::levels {
namespace {

using norm::ContractKind;

constexpr double kFactsPrecision = 0x1p-44;  // that Promised asks of xhat and y
constexpr double kBoundDoubt = 0x1p-40;      // of its value, by that of its arguments

double Ratio(double error, double bound) { return error == 0 ? 0 : error / bound; }

// The bound on |got - Y|; the measure's own verdict on correct rounding where the contract is that one.
struct Limit {
  double bound = 0;
  double doubt = 0;
  std::optional<bool> broken;
};

std::optional<bool> IsBroken(const Measured& measured, double bound, double bound_doubt) {
  Measured doubled = measured;
  doubled.doubt += bound_doubt;
  return doubled.Exceeds(bound);
}

Limit LimitOf(const Contract& contract, const Measured& measured, int row_exponent, double profile_bound, double got) {
  const double half_ulp = std::ldexp(0.5, measured.ulp_exponent);
  if (contract.kind == ContractKind::kCorrectlyRounded) {
    const bool zero_of_wrong_sign = got == 0 && !measured.correctly_rounded && measured.error.high < half_ulp;
    return {half_ulp, 0, zero_of_wrong_sign ? std::nullopt : std::optional(!measured.correctly_rounded)};
  }
  if (contract.kind == ContractKind::kProfile)
    return {profile_bound, 0, IsBroken(measured, profile_bound, kBoundDoubt * profile_bound)};
  const double bound = std::ldexp(contract.k, contract.kind == ContractKind::kRowUlp ? row_exponent : measured.ulp_exponent);
  return {bound, 0, IsBroken(measured, bound, 0)};
}

bool IsPrecise(const Estimate& value) { return value.doubt <= kFactsPrecision * std::abs(value.value.high); }

// xhat and y by the filter's row, with their doubts.
struct FilteredElement {
  double xhat = 0;
  double xhat_doubt = 0;
  double y = 0;
  double y_doubt = 0;
};

FilteredElement FilteredAt(const FilterRow& row, const ElementFacts& facts) {
  FilteredElement at;
  at.xhat = ((facts.x - row.pivot) - row.shift) * row.inv_std_dev;
  at.xhat_doubt = row.alpha * std::abs(at.xhat) + row.tau;
  at.y = facts.gamma * at.xhat + facts.beta;
  at.y_doubt = std::abs(facts.gamma) * at.xhat_doubt + 3.1 * kU * std::abs(at.y);
  return at;
}

ElementVerdict NothingPromised() {
  ElementVerdict verdict;
  verdict.standing = ElementVerdict::Standing::kNoPromise;
  return verdict;
}

}  // namespace

std::optional<ElementVerdict> JudgeEstimates(const Contract& contract, const RowBound* profile, const ElementEstimates& estimates,
                                             ElementFacts facts, double got, Format format) {
  const auto measured = Measure(estimates.y, got, format);
  const auto row_exponent = UlpExponentOf(estimates.scale, format);
  if (!measured || !row_exponent) return std::nullopt;
  double bound = 0;
  if (profile != nullptr) {
    if (!IsPrecise(estimates.xhat) || !IsPrecise(estimates.y)) return std::nullopt;
    facts.xhat = estimates.xhat.value.high;
    facts.y = estimates.y.value.high;
    bound = Promised(*profile, facts);
    if (!std::isfinite(bound)) return NothingPromised();
  }
  const Limit limit = LimitOf(contract, *measured, *row_exponent, bound, got);
  // A row's scale beyond the format allows more than its capped ulp says (RowJudge).
  const bool capped_scale = contract.kind == ContractKind::kRowUlp && *row_exponent == norm::TraitsOf(format).emax - norm::TraitsOf(format).precision + 1;
  if (!limit.broken || (*limit.broken && capped_scale)) return std::nullopt;
  ElementVerdict verdict;
  verdict.correctly_rounded = measured->correctly_rounded;
  verdict.broken = *limit.broken;
  verdict.finite = true;
  const double error = measured->error.high;
  verdict.sizes = ErrorSizes{std::ldexp(error, -measured->ulp_exponent), std::ldexp(error, -*row_exponent),
                             Ratio(error, limit.bound), measured->bias_sign};
  return verdict;
}

bool SurelyOverflows(const FilterRow& row, const ElementFacts& facts, double got, Format format) {
  const FilteredElement at = FilteredAt(row, facts);
  const bool beyond = std::abs(at.y) - at.y_doubt >= std::ldexp(1.0, norm::TraitsOf(format).emax + 1);
  return beyond && std::isinf(got) && std::signbit(got) == std::signbit(at.y);
}

std::optional<double> FilteredRatio(const FilterRow& row, const RowBound& profile, ElementFacts facts, double got) {
  const FilteredElement at = FilteredAt(row, facts);
  const double error = std::abs(got - at.y);
  if (!(at.xhat_doubt <= kFactsPrecision * std::abs(at.xhat)) || !(at.y_doubt <= kFactsPrecision * std::abs(at.y))) return std::nullopt;
  facts.xhat = at.xhat;
  facts.y = at.y;
  const double bound = Promised(profile, facts);
  if (!std::isfinite(bound) || !(std::abs(error - bound) > at.y_doubt + 2 * kU * error + kBoundDoubt * bound)) return std::nullopt;
  return Ratio(error, bound);
}

}  // namespace normcheck::reference::levels
