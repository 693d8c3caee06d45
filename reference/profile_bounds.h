// Certified a-priori bounds: how far the outputs of a named algorithm may lie from the exact ones, on this very row.
//
// A profile names an algorithm, an order of summation and two precisions. `acc` is the precision of the sums, of the
// variance and of 1/sqrt(var + epsilon). `mean` is the precision of everything after them: mean and 1/sqrt are rounded to
// it, and x - mean, the product with 1/sqrt, gamma and beta are computed in it (for the two-pass variance x - mean may be
// formed in either). In each, u is the unit roundoff and eta half the smallest subnormal.
//
// A kernel is covered when its arithmetic is IEEE, round to nearest, subnormals kept, fused multiply-adds allowed anywhere, and
//   depth      no term passes more than h inexact additions: recursive (any order at all) H - 1; lanes:L (one accumulator per
//              lane, lanes merged by a tree, the tail goes into the lanes) ceil(H/L) - 1 + ceil(log2 min(L, H));
//              pairwise:B (blocks of at most B, then a tree) min(B, H) - 1 + ceil(log2 ceil(H/B));
//   mean       sum/H or sum*(1/H);
//   two-pass   var = sum((x - mean)^2)/H with the mean just computed;
//   one-pass   var = max(0, sum(x^2)/H - mean^2), mean not yet rounded;
//   welford    d = x - M; M += d/k (or d*(1/k)); S += d*(x - M), from M = x_1, var = S/H. lanes:L: one such recurrence per
//              lane, and pairwise:B one per block, merged by Chan's tree, where the part merged in holds at most 5/6 of the
//              elements: D = M_B - M_A, M = M_A + D*(n_B/n), S = S_A + S_B + D*D*(n_A*n_B/n);
//   RMSNorm    sum(x^2)/H (L2 norm: sum(x^2)) by the declared order, whatever the algorithm; no mean;
//   root       1/sqrt(var + epsilon), or a division by sqrt(var + epsilon);
//   element    centred: t = (x - mean)*inv_std_dev; scale-bias: t = x*inv_std_dev + (-mean*inv_std_dev); then gamma*t + beta,
//              rounded to y's format, from f64 directly or through f32.
// Derivations: BOUNDS.md.
#pragma once

#include <cstddef>

#include "norm/contract.h"
#include "norm/format.h"
#include "norm/kernel_call.h"
#include "reference/operations/operation.h"

namespace normcheck::reference {

// The exact facts of one row that the bounds need, each with a relative error of at most 2^-45. Without a centre width,
// count, mean_square and the epsilons are used alone.
struct RowMoments {
  std::size_t width = 0;      // H
  double mean_abs = 0;        // sum|x|/H
  double count = 0;           // n, what sums of squares are divided by: H, or 1
  double mean_square = 0;     // sum(x^2)/n
  double mean = 0;            // sum(x)/H
  double var = 0;             // sum((x - mean)^2)/H
  double max_abs = 0;         // max|x|
  double epsilon = 0;         // of the definition that is judged, exact
  double kernel_epsilon = 0;  // as the kernel takes it, exact; the rounding to `acc` is added by the bound
};

// One floating-point arithmetic: p bits, unit roundoff 2^-p, half the smallest subnormal, largest finite value.
struct Arithmetic {
  int precision = 24;
  int emin = -126;
  double u = 0;
  double eta = 0;
  double max = 0;
};
Arithmetic ArithmeticOf(norm::Precision precision);

// Inexact additions that a term passes at most, h above.
double DepthOf(const norm::Profile& profile, std::size_t width);

// Errors of the sums, before the root: |mean^ - mean| <= mean, and var^ in [var - var_below, var + var_above]
// (RMSNorm: of sum(x^2)/H). `safe` is false where a sum, a square or a difference can overflow or h*u > 1/4.
struct SumErrors {
  double mean = 0;
  double var_below = 0;
  double var_above = 0;
  bool safe = false;
};
SumErrors ErrorsOfSums(const RowMoments& row, const norm::Profile& profile, Centre centre);

// Everything that an element's bound needs of its row. Plain data, so that a test can weaken one term and see it break.
struct RowBound {
  bool promised = false;  // false: nothing is promised on this row
  Centre centre = Centre::kMean;
  norm::Form form = norm::Form::kCentred;
  Arithmetic sums;
  Arithmetic elements;
  norm::Format y = norm::Format::kF32;
  double mean = 0;              // |exact mean|, 0 for RMSNorm
  double mean_error = 0;        // of the mean as it is subtracted
  double inv_std_dev = 0;       // 1/sqrt(var + epsilon), exact to 2^-40
  double inv_std_dev_above = 0; // computed 1/sqrt <= inv_std_dev*(1 + above)
  double inv_std_dev_below = 0; // computed 1/sqrt >= inv_std_dev*(1 - below)
};
RowBound BoundRow(const RowMoments& row, const norm::Profile& profile, Centre centre, norm::Format y);
RowBound BoundRow(const RowMoments& row, const SumErrors& errors, const norm::Profile& profile, Centre centre, norm::Format y);

// False where the row is to be counted as no_promise as a whole.
bool Promises(const RowMoments& row, const norm::Profile& profile, Centre centre);

// One element: x, gamma (1 where absent) and beta (0) exactly, xhat and y to a relative 2^-44.
struct ElementFacts {
  double x = 0;
  double xhat = 0;
  double gamma = 1;
  double beta = 0;
  double y = 0;
};

// A number B with |got - Y| <= B for every kernel that the profile covers, evaluated upwards. +infinity where nothing is
// promised: the row, gamma or beta not finite, or a product that can leave the range of `mean`. A got of +-infinity
// keeps the promise where |Y| + B reaches the value from which y's format rounds to infinity, with the sign of Y.
double Promised(const RowBound& row, const ElementFacts& element);

// The same for the statistics, which are f32: |mean^ - mean| and |inv_std_dev^ - inv_std_dev|. +infinity: nothing is promised.
double PromisedMean(const RowBound& row);
double PromisedInvStdDev(const RowBound& row);

}  // namespace normcheck::reference
