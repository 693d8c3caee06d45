// A row in exact arithmetic: decides what the faster stages could not, ties and zeros included.
#pragma once

#include <cstddef>
#include <optional>

#include "norm/double_double.h"
#include "norm/exact_moments.h"
#include "norm/format.h"
#include "norm/kernel_call.h"
#include "norm/wide_number.h"

namespace normcheck::norm {

// sqrt(Q) for an exact Q > 0.
// Inverse: Q = q*4^scale, q in [1/4, 1), and inverse*(1 + d) = 1/sqrt(q) with |d| <= 2^-101. Proof: q cut to two doubles,
//   2^-105 relative, moves the root by 2^-106. First y0 = fl(1/fl(sqrt(q.high))), |1 - q*y0^2| < 2^-50. e = 1 - q*y0^2 in
//   double-double: y0^2 is exact, the product good to 7*2^-106, the difference of neighbours exact, so e is good to
//   2^-103 and its first double to 2^-102.4. Then y0*(1 + e/2 + 3/8 e^2) leaves 5/16 e^3 < 2^-151; the correction, below
//   2^-50.9*y0, is rounded four times: 2^-101.9. Halved error of e and the rest: 2^-103.4 + 2^-101.9 + 2^-106 < 2^-101.3.
struct ExactRoot {
  explicit ExactRoot(const WideNumber& exact_radicand);

  WideNumber radicand;
  DoubleDouble inverse;
  int scale = 0;
};

// a/sqrt(Q) + b, rounded once to `format`, as a double; an exact zero is +0, a result that rounds to zero keeps its sign.
// First in double-double: t = a/sqrt(Q) from a cut to two doubles (2^-105), the inverse (2^-101) and one product
//   (2^-103.2), within 2^-100*|t|; the sum with b adds 2^-105*|y|. Both doubled, plus 2^-1000 for parts that underflow.
// Where the interval holds a midpoint m, exact: with B = m - b, sign(y - m) is sign(a) - sign(B) where those differ,
//   else sign(a)*sign(a^2 - B^2*Q). Ties go to the even neighbour, so every case ends here.
// Sizes, width < 2^62, f32 (units 2^-149): S, H*x - S < 2^340, a = gamma*(H*x - S): 364 bits; H*sum x^2 - S^2 < 2^678 in
//   units of 2^-298; H^2*epsilon has bits from 2^-1074 to 2^1148. So Q spans at most max(678 - 298 + 1074, 1148 + 298)
//   = 1454 bits, B at most 280 (midpoints from 2^-150 to 2^128), B^2*Q 2014, a^2 728; aligning adds a limb: 34 of 40.
double RoundedQuotient(const WideNumber& a, const ExactRoot& root, double b, Format format);

// The same estimate for the elements of a row whose S fits two doubles and H 29 bits, so that H*x_i is exact: N_i is one sum
// (2*2^-106), gamma another product (3*2^-106), 1/sqrt(Q) as above. Together 12*2^-106 + 2^-101 < 2^-100: the bounds above hold.
struct NarrowRow {
  NarrowRow(const WideNumber& wide_count, const WideNumber& wide_sum, const ExactRoot& root_of_radicand);

  // y_i rounded to `format`, or nothing where the estimate does not decide it.
  std::optional<double> Element(double x, double gamma, double beta, Format format) const;

  bool fits = false;
  double count = 0;
  DoubleDouble sum;
  DoubleDouble inverse;
  double root = 0;  // sqrt(Q) where that is a double exactly, else 0. Only such rows have ties with gamma_i*N_i != 0
};

// LayerNorm: N_i = H*x_i - S, Q = H*sum x^2 - S^2 + H^2*epsilon; RMSNorm the same with S = 0. y_i = gamma_i*N_i/sqrt(Q) + beta_i.
// Requires Q > 0.
class ExactRow {
 public:
  ExactRow(Op op, std::size_t width, double epsilon, const ExactMoments& moments);

  // y_i, rounded to `format`. gamma or beta not finite: as IEEE evaluates gamma*xhat + beta on the exact xhat.
  double Element(double x, double gamma, double beta, Format format) const;

  // S/H and H/sqrt(Q), rounded to f32. The mean of RMSNorm is 0.
  double Mean() const;
  double InvStdDev() const;

  const NarrowRow& narrow() const { return narrow_; }

 private:
  WideNumber Deviation(double x) const;

  std::size_t width_;
  WideNumber sum_;
  ExactRoot root_;
  NarrowRow narrow_;
};

}  // namespace normcheck::norm
