// Which rows the fast tier may form in binary32, and the proof that it keeps row-ulp:5 on them.
#pragma once

#include <cstddef>

namespace normcheck::norm {

// Limits of the guard below, for a target whose multiply-add is fused. Rows outside of them are correctly rounded instead.
//
// u = 2^-24, v = 2^-53; p bits in y's format; M = max_j |xhat_j| >= sigma*R (the largest deviation is no smaller than the root
// mean square one); W^2 the mean square of x - k, k the pivot of the sums, c = mu - m, R = 1/sqrt(q), q = var + epsilon.
// ulp(s_i) > 2^(1-p) * s_i/2 with s_i = |gamma_i|*M + |beta_i|, so an error of 5*2^-p*s_i is within 5 row ulps, and rounding
// y to p bits costs 2^-p*|y| or, of subnormal results, half of the smallest ulp(s_i). First order; second-order terms are below
// 2e-5*M: the largest is 3/8*(3L*u)^2 of R in bf16 with sums in binary32, where 3L*u = 2^-7.4 (below, 1.6 in place of 1.5 covers it).
//
// y in f32. Sums in binary64, h <= 23 additions a term (row_stage.h), about 0, else about m = RN(mean):
//   d = RN(x - m), t = RN(d*R' + C), R' = RN(R), C = RN(-c*R'), y = RN(t*gamma + beta).
//   Guard: W^2 <= kSpread64*var, so kappa^2 = W^2/q <= 2^20 and q is within v*(3h + 15)*2^20 < 2^-26.6 of itself: 0.09u in R;
//   mu within (h + 3)v*W < 2^-38*sigma: nothing. |c| <= sigma/8.
//   R': 1.09u*M. d: u*|x - m|*R <= 1.125u*M. C: u*|c|*R <= 0.125u*M. t: u*M. y: u*(|gamma|*M + |beta|). Sum: 4.4u*|gamma|*M + u*|beta|.
//   RMSNorm: t = RN(x*R'), no m, no C: R' 1.01u, t u, y u: 3.1u. Its q is known to (h + 9)v, whatever the row: no guard on the spread.
// y in 16 bits, first with sums in binary32 about 0 (h_f additions a term, fused squares):
//   t = RN(x*R' + C), C = RN(-mean*R'), y as above, rounded to f32 first (u more).
//   |mean - mu| <= (h_f + 1)u*W; var within 3(h_f + 1)u*W^2, so R within 1.6(h_f + 1)u*kappa^2. Guard: (h_f + 1)*W^2 <= L*var.
//   Errors over u*M: R' 1 + 1.6L; mean (h_f + 1)*kappa/(sigma*R) <= L; C kappa/(sigma*R) <= L; t and y to f32 2 + .1: < 3.6L + 4.
//   L = kSpread32*2^(11-p) = 2^(23-p): (3.6*2^(23-p) + 4)u + 2^-p < 2^-p*(1.8 + 0.1 + 1) < 3*2^-p.
//   RMSNorm: only R', of (h_f + 2)u: guard h_f + 1 <= L.
// Else with sums in binary64 about 0 and the guard kSpread64: R', t, y as before, C now 2^10*u*M = 2^-14*M <= 2^-3*2^-p*M (p <= 11).
//
// Range, so that no step over- or underflows where it matters: the squares' sum <= kMostSquares (so |x|, |m| <= 2^125 and d is
// finite), R in [kLeastScale, 1/kLeastScale], var >= kLeastShare*q (t's underflow, 2^-150, is below 2^-89*M); of sums in
// binary32 also mean squares >= kLeastSquares (an underflowing square loses 2^-150).
// Call: max|gamma|*sqrt(H) + max|beta| <= 2^emax of y's format, so that s_i is no larger than the largest finite value, at which
// row ulps are capped. Else, gamma or beta that is not finite included, and beyond 2^32 elements, the whole call is correctly rounded.
struct FastLimits {
  double spread64 = 0x1p20;
  double spread32 = 0x1p12;
  double pivot_share = 0x1p-6;  // c^2 <= var/64
  double most_squares = 0x1p250;
  double least_scale = 0x1p-120;
  double least_share = 0x1p-120;
  double most_squares32 = 0x1p120;
  double least_squares32 = 0x1p-100;
};

// Row ulps that the proof above needs.
inline constexpr double kFastRowUlps = 5;

}  // namespace normcheck::norm
