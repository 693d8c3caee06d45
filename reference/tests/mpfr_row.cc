// Interval arithmetic on mpfr_t.
#include "reference/tests/mpfr_row.h"


namespace normcheck::reference {
namespace {

constexpr mpfr_prec_t kPrecision = 2600;

double RoundedEnd(const mpfr_t& end, norm::Format format) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_t rounded;
  mpfr_init2(rounded, traits.precision);
  int ternary = mpfr_set(rounded, end, MPFR_RNDN);
  mpfr_set_emin(traits.emin - traits.precision + 2);
  mpfr_set_emax(traits.emax + 1);
  ternary = mpfr_check_range(rounded, ternary, MPFR_RNDN);
  mpfr_subnormalize(rounded, ternary, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  const double value = mpfr_get_d(rounded, MPFR_RNDN);
  mpfr_clear(rounded);
  return value;
}

}  // namespace

Interval::Interval() : Interval(0.0) {}

Interval::Interval(double exact) {
  mpfr_init2(low_, kPrecision);
  mpfr_init2(high_, kPrecision);
  mpfr_set_d(low_, exact, MPFR_RNDD);
  mpfr_set_d(high_, exact, MPFR_RNDU);
}

Interval::Interval(const Interval& other) : Interval(0.0) { *this = other; }

Interval& Interval::operator=(const Interval& other) {
  mpfr_set(low_, other.low_, MPFR_RNDD);
  mpfr_set(high_, other.high_, MPFR_RNDU);
  return *this;
}

Interval::~Interval() {
  mpfr_clear(low_);
  mpfr_clear(high_);
}

Interval operator+(const Interval& a, const Interval& b) {
  Interval sum;
  mpfr_add(sum.low_, a.low_, b.low_, MPFR_RNDD);
  mpfr_add(sum.high_, a.high_, b.high_, MPFR_RNDU);
  return sum;
}

Interval operator-(const Interval& a, const Interval& b) {
  Interval difference;
  mpfr_sub(difference.low_, a.low_, b.high_, MPFR_RNDD);
  mpfr_sub(difference.high_, a.high_, b.low_, MPFR_RNDU);
  return difference;
}

Interval operator*(const Interval& a, const Interval& b) {
  Interval product;
  Interval other;
  mpfr_mul(product.low_, a.low_, b.low_, MPFR_RNDD);
  mpfr_mul(product.high_, a.low_, b.low_, MPFR_RNDU);
  const auto widen = [&](const mpfr_t& p, const mpfr_t& q) {
    mpfr_mul(other.low_, p, q, MPFR_RNDD);
    mpfr_mul(other.high_, p, q, MPFR_RNDU);
    mpfr_min(product.low_, product.low_, other.low_, MPFR_RNDD);
    mpfr_max(product.high_, product.high_, other.high_, MPFR_RNDU);
  };
  widen(a.low_, b.high_);
  widen(a.high_, b.low_);
  widen(a.high_, b.high_);
  return product;
}

Interval operator/(const Interval& a, const Interval& b) {
  Interval inverse;
  mpfr_ui_div(inverse.low_, 1, b.high_, MPFR_RNDD);
  mpfr_ui_div(inverse.high_, 1, b.low_, MPFR_RNDU);
  return a * inverse;
}

Interval Root(const Interval& a) {
  Interval root;
  mpfr_sqrt(root.low_, a.low_, MPFR_RNDD);
  mpfr_sqrt(root.high_, a.high_, MPFR_RNDU);
  return root;
}

Interval::Ends Interval::Rounded(norm::Format format) const {
  return {RoundedEnd(low_, format), RoundedEnd(high_, format)};
}

std::optional<long> Interval::Binade() const {
  const bool one_sign = mpfr_sgn(low_) * mpfr_sgn(high_) > 0;
  if (!one_sign || mpfr_get_exp(low_) != mpfr_get_exp(high_)) return std::nullopt;
  return static_cast<long>(mpfr_get_exp(low_)) - 1;
}

double Interval::Middle() const { return mpfr_get_d(low_, MPFR_RNDN); }

std::vector<Interval> MpfrXhat(norm::Op op, const std::vector<double>& x, double epsilon) {
  const Interval width(static_cast<double>(x.size()));
  Interval mean;
  if (op == norm::Op::kLayerNorm) {
    for (double value : x) mean = mean + Interval(value);
    mean = mean / width;
  }
  std::vector<Interval> centred;
  Interval squares;
  for (double value : x) {
    centred.push_back(Interval(value) - mean);
    squares = squares + centred.back() * centred.back();
  }
  const Interval root = Root((op == norm::Op::kL2Norm ? squares : squares / width) + Interval(epsilon));
  for (Interval& value : centred) value = value / root;
  return centred;
}

}  // namespace normcheck::reference
