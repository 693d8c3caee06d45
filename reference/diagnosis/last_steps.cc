// Roundings around a wrong value.
#include "reference/diagnosis/last_steps.h"

#include <algorithm>
#include <cmath>

#include "reference/diagnosis/statistics_taken.h"
#include "reference/exact_rounding.h"
#include "reference/number.h"

namespace normcheck::reference::diagnosis {

double HalfUlp(const Quad& value, Format format) {
  const double limit = ValueOf(MaxFinite(format, false), format);
  return std::ldexp(1.0, UlpExponent(std::min(std::abs(static_cast<double>(value)), limit), format) - 1);
}

double LastSteps(Grade grade, double product, const Quad& y, Format format) {
  const Arithmetic elements = ArithmeticOf(ProfileOf(grade).mean);
  const double before = (elements.u * (2 * product + std::abs(static_cast<double>(y))) + 2 * elements.eta) * (1 + 0x1p-20);
  const double to_f32 = elements.precision > 24 && format != Format::kF32 ? HalfUlp(y, Format::kF32) : 0;
  return before + to_f32 + HalfUlp(y, format);
}

Quad Nearest(const Quad& value, Format format) { return ValueOf(BitsOf(static_cast<double>(value), format), format); }

Quad TowardsZero(const Quad& value, Format format) {
  Bits bits = BitsOf(static_cast<double>(value), format);
  const auto magnitude = [&] { return abs(Quad(ExtendedSignedValue(bits, format))); };
  if (magnitude() > abs(value) || IsInfinite(bits, format)) --bits;
  return ValueOf(bits, format);
}

}  // namespace normcheck::reference::diagnosis
