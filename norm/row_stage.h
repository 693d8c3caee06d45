// What a row's statistics make of it: the scalars with which its elements are formed, and how far they can be off.
#pragma once

#include <cstddef>
#include <cstdint>

#include "norm/kernel_call.h"

namespace normcheck::norm {

// sum and sum of squares of x - pivot.
struct Moments {
  double sum = 0;
  double squares = 0;
};

enum class RowKind : std::uint8_t {
  kOrdinary,  // xhat_i = (x_i - pivot)*scale + shift, within a known error; rows of equal values too: scale 0, no error
  kExact,     // no useful error is known: every element is decided exactly
  kZero,      // xhat_i = NaN where x_i is infinite, else 0: RMSNorm rows with an infinity
  kNan,       // xhat_i = NaN: rows with a NaN, LayerNorm rows with an infinity, var + epsilon = 0
};

// |computed y - exact y| <= of_y*|y| + of_beta*|beta| + of_gamma*|gamma|, y the computed one, the rounding of y -+ E included.
struct ElementError {
  double of_y = 0;
  double of_beta = 0;
  double of_gamma = 0;
};

// Factors of a row's bounds: 1, but in the tests that show what each is for.
struct BoundScales {
  double of_y = 1;
  double of_beta = 1;
  double of_gamma = 1;
  double mean = 1;
  double inv_std_dev = 1;
};

struct RowStage {
  RowKind kind = RowKind::kOrdinary;
  double pivot = 0;
  double scale = 0;
  double shift = 0;
  double mean = 0;
  double inv_std_dev = 0;
  ElementError error = {};
  double mean_error = 0;         // the two statistics lie this close to the exact ones
  double inv_std_dev_error = 0;
};

// What the rows of a call have in common.
struct StageInputs {
  Op op;
  std::size_t width;
  double inverse_width;
  double epsilon;
};

// Which values that are not finite a row holds.
struct NonFinite {
  bool nan = false;
  bool positive = false;
  bool negative = false;
};

// Additions per term in the sums of a row (moments-inl.h): groups in a running sum before it is flushed, joining four of
// those, the tree over the lanes and the last sum; one more, a whole u, for what the low parts lose: a flush is 64 elements or
// more, so that 2^32 elements take n <= 2^26 of them, and n^2 u^2 <= u/2. Beyond that width the stage answers kExact.
inline constexpr std::size_t kStepsPerFlush = 16;
inline constexpr int kAdditionsPerTerm = kStepsPerFlush + 2 + 3 + 1 + 1;
inline constexpr std::size_t kMaxStageWidth = std::size_t{1} << 32;

// LayerNorm and RMSNorm row of finite, not all equal, values from the moments of d = x - pivot (RMSNorm: pivot 0).
// c = D/H, var = V/H - c^2, q = var + epsilon, R = 1/sqrt(q), shift = -c*R; xhat = d*R + shift, y = xhat*gamma + beta.
// kExact where W^2 R^2 > kMostKappa2, W^2 = V/H: the pivot is too far from the mean. SetScalars (stages-inl.h) computes this.
//
// Error, u = 2^-53, h additions per term, kappa = W*R, m = |c|*R <= kappa, first order; * are exact values.
//   d: relative u (0 for pivot 0). |D - D*| <= (h+1)u*sum|d| <= (h+1)u*H*W (Cauchy-Schwarz); D/H through 1/H adds 2u:
//   |c - c*| <= (h+3)u*W. |V - V*| <= (h+3)u*V (d twice, the product). So var is within (h+5)u W^2 + 2|c|(h+3)u W + u c^2
//   + u var, and q relatively within ev = u((h+7) kappa^2 + 2(h+3) m kappa + 2).
//   R: er = 0.51 ev + 2u (root, division). shift: relative u, in which R's error is that of the factor d*R too.
//   |xhat - xhat*| <= er|xhat| + R|c - c*| + u|d|R (rounding of d) + u|d|R (product, where it is not fused) + u m + u|xhat|,
//   and |d|R <= |xhat| + m: <= alpha|xhat| + tau, alpha = er + 3u, tau = (h+3)u kappa + 3u m.
//   y: product and sum add u|gamma xhat| + u|y|; |gamma xhat| <= (1 + u)(|y| + |beta|); y -+ E is rounded once: u|y|.
//   E = (alpha + 3u)|y| + (alpha + u)|beta| + tau|gamma|. RMSNorm has c = 0 exactly: tau = 0, m = 0.
// All times 1.03: second order (every term is below 2^-40) and the rounding of E itself.
// Range: |x|^2 H < 2^318, q in [2^-346, 2^1024), R in [2^-512, 2^173], so nothing overflows. Nor does underflow cost anything, since all
// operands are multiples of powers of two: x, gamma and beta of 2^-149; the pivot of 2^-234 (it is 0, or |pivot| >= W/2 > 2^-167), and so d;
// 1/H of 2^-84, c of 2^-318; R of 2^-564; d*R + shift of 2^-882; its product with gamma of 2^-1031. A result that is subnormal is a
// multiple of 2^-1074, hence exact. This holds for rows about 0 and about the mean, whatever the size of d.
// kappa and W are over-estimated where that saves a root: kappa <= (kappa^2 + 1)/2, W <= that * q*R.
inline constexpr double kMostKappa2 = 17;  // a mean of 4 sigma; from 20 on elements that fail cost more than sums about the mean
inline constexpr double kUnit = 0x1p-53;
inline constexpr double kSlack = 1.03;
inline constexpr double kErOfKappa2 = kSlack * kUnit * 0.51 * (kAdditionsPerTerm + 7);
inline constexpr double kErOfMKappa = kSlack * kUnit * 0.51 * 2 * (kAdditionsPerTerm + 3);
inline constexpr double kErFixed = kSlack * kUnit * (0.51 * 2 + 2);
inline constexpr double kMostM = 4.2;
static_assert(kMostM * kMostM >= kMostKappa2);
static_assert(kErOfKappa2 * kMostKappa2 + kErOfMKappa * kMostM * 0.5 * (kMostKappa2 + 1) + kErFixed + 6 * kSlack * kUnit < 0x1p-42, "of_y: the rounding test counts on it");
inline constexpr double kTauOfKappa = kSlack * kUnit * (kAdditionsPerTerm + 3);
inline constexpr double kTauOfM = kSlack * kUnit * 3;

// LayerNorm row of equal values, RMSNorm row of zeros (value 0). epsilon = 0: undefined, NaN.
RowStage ConstantStage(double value, double epsilon);

// Row that holds a NaN or an infinity.
RowStage NonFiniteStage(Op op, const NonFinite& found);

}  // namespace normcheck::norm
