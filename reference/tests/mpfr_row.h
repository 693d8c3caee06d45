// An independent reference for tests: MPFR intervals with directed rounding over the textbook formulas.
#pragma once

#include <mpfr.h>

#include <optional>
#include <vector>

#include "norm/format.h"
#include "norm/kernel_call.h"

namespace normcheck::reference {

// Bounds of a real number at 2600 bits; it knows when it decides.
class Interval {
 public:
  Interval();
  explicit Interval(double exact);
  Interval(const Interval& other);
  Interval& operator=(const Interval& other);
  ~Interval();

  friend Interval operator+(const Interval& a, const Interval& b);
  friend Interval operator-(const Interval& a, const Interval& b);
  friend Interval operator*(const Interval& a, const Interval& b);
  friend Interval operator/(const Interval& a, const Interval& b);  // b > 0
  friend Interval Root(const Interval& a);                          // a >= 0

  // Both ends rounded to nearest, ties to even, by mpfr_subnormalize; -0 kept.
  struct Ends {
    double low;
    double high;
  };
  Ends Rounded(norm::Format format) const;
  // floor(log2|.|), where both ends agree.
  std::optional<long> Binade() const;
  double Middle() const;

 private:
  mpfr_t low_;
  mpfr_t high_;
};

// xhat by mean, squared differences, root: not the formula of ExactRow.
std::vector<Interval> MpfrXhat(norm::Op op, const std::vector<double>& x, double epsilon);

}  // namespace normcheck::reference
