// Intervals of 1/root from every element, carried to epsilon or to the divisor.
#include "reference/diagnosis/effective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/diagnosis/comparison.h"
#include "reference/exact_rounding.h"
#include "reference/number.h"

namespace normcheck::reference::diagnosis {
namespace {

// Between an element's exact value and its last rounding a kernel may lose so much of the row's largest term.
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kTight = 0x1p-44;
constexpr double kLoose = 0x1p-21;

void Cut(Interval& interval, double low, double high) {
  interval.low = std::max(interval.low, low);
  interval.high = std::min(interval.high, high);
}

double CentreOf(const Subject& subject, std::size_t row) {
  return subject.centred() ? static_cast<double>(subject.Row(row).mean()) : 0;
}

// The 1/root that give the row's outputs.
Interval InverseRoots(const Subject& subject, std::span<const Bits> got, std::size_t row, double lost) {
  Interval roots{0, kUnbounded};
  const Group& group = subject.Row(row);
  const Quad mean = subject.centred() ? group.mean() : Quad(0);
  const double inverse = static_cast<double>(
      Quad(1 / sqrt((subject.centred() ? group.var() : group.mean_square()) + subject.epsilon())));
  for (std::size_t i = 0; i < subject.width() && !roots.empty(); ++i) {
    if (!Scored(subject, row, i)) continue;
    const Bits bits = got[row * subject.width() + i];
    if (!IsFinite(bits, subject.format())) return {1, 0};
    const double y = ValueOf(bits, subject.format());
    const double slope = static_cast<double>(Quad(subject.gamma(i) * (group.values()[i] - mean)));
    const double terms = std::abs(subject.gamma(i)) * (group.max_abs() + std::abs(CentreOf(subject, row))) * inverse;
    const double slack = std::ldexp(0.5, UlpExponent(std::abs(y), subject.format())) +
                         lost * (terms + std::abs(subject.beta(i)) + std::abs(y));
    const double numerator = y - subject.beta(i);
    if (slope == 0) {
      if (std::abs(numerator) > slack) return {1, 0};
      continue;
    }
    const double a = (numerator - slack) / slope;
    const double b = (numerator + slack) / slope;
    Cut(roots, std::min(a, b), std::max(a, b));
  }
  return roots;
}

std::optional<Interval> EpsilonFactor(const Subject& subject, double spread, const Interval& radicands) {
  if (subject.epsilon() <= 0) return std::nullopt;
  return Interval{(radicands.low - spread) / subject.epsilon(), (radicands.high - spread) / subject.epsilon()};
}

// Where nothing is divided by, no other divisor acts in its place.
std::optional<Interval> DivisorLess(const Subject& subject, double spread, const Interval& radicands) {
  if (subject.squares_over() != SquaresOver::kWidth) return std::nullopt;
  const double width = static_cast<double>(subject.width());
  const double low = radicands.low - subject.epsilon();
  const double high = radicands.high - subject.epsilon();
  if (spread <= 0 || low <= 0) return std::nullopt;
  return Interval{width - spread * width / low, width - spread * width / high};
}

std::optional<Interval> OfRow(Effective effective, const Subject& subject, std::span<const Bits> got, std::size_t row,
                              double lost) {
  const Interval roots = InverseRoots(subject, got, row, lost);
  if (roots.empty()) return Interval{1, 0};
  if (!(roots.high < kUnbounded)) return std::nullopt;
  if (roots.low <= 0) return std::nullopt;
  const Group& group = subject.Row(row);
  const double spread = static_cast<double>(subject.centred() ? group.var() : group.mean_square());
  const double exact = 0x1p-50 * (spread + subject.epsilon());
  const Interval radicands{1 / roots.high / roots.high - exact, 1 / roots.low / roots.low + exact};
  return effective == Effective::kEpsilonFactor ? EpsilonFactor(subject, spread, radicands)
                                                : DivisorLess(subject, spread, radicands);
}

std::optional<Interval> Over(Effective effective, const Subject& subject, std::span<const Bits> got, double lost) {
  std::optional<Interval> all;
  for (std::size_t row = 0; row < subject.rows(); ++row) {
    if (!Scored(subject, row)) continue;
    const auto own = OfRow(effective, subject, got, row, lost);
    if (!own) continue;
    if (!all) all = Interval{-kUnbounded, kUnbounded};
    Cut(*all, own->low, own->high);
    if (own->empty()) return own;
  }
  return all;
}

}  // namespace

std::optional<Interval> EffectiveOf(Effective effective, const Subject& subject, std::span<const Bits> got) {
  const auto tight = Over(effective, subject, got, kTight);
  return tight && tight->empty() ? Over(effective, subject, got, kLoose) : tight;
}

bool OneFactorARow(const Subject& subject, std::span<const Bits> got) {
  bool asked = false;
  for (std::size_t row = 0; row < subject.rows(); ++row) {
    if (!Scored(subject, row)) continue;
    if (InverseRoots(subject, got, row, kLoose).empty()) return false;
    asked = true;
  }
  return asked && subject.width() > 2;
}

}  // namespace normcheck::reference::diagnosis
