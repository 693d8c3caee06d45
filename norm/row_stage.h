// What a row's statistics make of it: the scalars with which its elements are formed. One row at a time, no vectors.
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

// Adds chunk sums with the rounding error of every addition kept, so that the error does not grow with the chunks.
class CompensatedSum {
 public:
  void Add(double term) {
    const double total = high_ + term;
    const double part = total - high_;
    low_ += (high_ - (total - part)) + (term - part);
    high_ = total;
  }
  // NaN where a term was not finite.
  double Total() const { return high_ + low_; }

 private:
  double high_ = 0;
  double low_ = 0;
};

enum class RowKind : std::uint8_t {
  kOrdinary,  // xhat_i = ((x_i - pivot) - correction)*inv_std_dev
  kZero,      // xhat_i = NaN where x_i is infinite, else 0: constant rows, RMSNorm rows with an infinity
  kNan,       // xhat_i = NaN: rows with a NaN, LayerNorm rows with an infinity, var + epsilon = 0
};

struct RowStage {
  RowKind kind = RowKind::kOrdinary;
  double pivot = 0;
  double correction = 0;
  double mean = 0;
  double inv_std_dev = 0;
};

// Which values that are not finite a row holds.
struct NonFinite {
  bool nan = false;
  bool positive = false;
  bool negative = false;
};

// Ordinary LayerNorm row: with d = x - pivot rounded, r = sum(d), V = sum(d^2), c = r/H: var = (V - r*c)/H.
// Accuracy: relative error of var about (h + 3)u, u = 2^-53, h = 39 additions per term, whatever mean/sigma is, since
//   the correction c removes the error of the pivot (EXACT.md 4 (a)).
RowStage CentredStage(const Moments& about_pivot, double pivot, std::size_t width, double epsilon);

// LayerNorm row of equal values. epsilon = 0: undefined, NaN.
RowStage ConstantStage(double value, double epsilon);

// RMSNorm row of finite values; `squares` = sum(x^2). All zero and epsilon = 0: undefined, NaN.
RowStage RmsStage(double squares, std::size_t width, double epsilon);

// Row that holds a NaN or an infinity.
RowStage NonFiniteStage(Op op, const NonFinite& found);

}  // namespace normcheck::norm
