// Decides what an approximate value with a proved doubt can decide about an output, and nothing else.
#pragma once

#include <optional>

#include "reference/case.h"
#include "reference/levels/double_double.h"

namespace normcheck::reference::levels {

// |Y - value| <= doubt; doubt 0 means that Y is value.
struct Estimate {
  DoubleDouble value;
  double doubt = 0;
  int Sign() const { return value.high > 0 ? 1 : value.high < 0 ? -1 : 0; }
};

// t with ulp(Y) = 2^t as UlpExponent of exact_rounding.h has it; nothing where Y may lie on either side of a power of two.
std::optional<int> UlpExponentOf(const Estimate& y, Format format);

// A finite output against Y, with all sides known: which ulp, which sign, rounded right or not.
struct Measured {
  int ulp_exponent = 0;
  DoubleDouble error;   // |got - Y|
  double doubt = 0;     // of `error`
  int bias_sign = 0;    // sign(Y)*sign(got - Y); any where the error is below its doubt
  bool correctly_rounded = false;

  // error > limit; nothing where the doubt leaves that open.
  std::optional<bool> Exceeds(double limit) const;
};

// Nothing where something is open: Y near a binade's edge, near a midpoint beside got, of unknown sign, or beyond the largest
// finite number; or got is not finite.
std::optional<Measured> Measure(const Estimate& y, double got, Format format);

}  // namespace normcheck::reference::levels
