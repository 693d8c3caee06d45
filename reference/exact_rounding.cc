// Rounding by midpoint comparison, binades and distances decided on integers.
#include "reference/exact_rounding.h"

#include <algorithm>
#include <cmath>

namespace normcheck::reference {
namespace {

using norm::TraitsOf;

int SignShift(Format format) { return static_cast<int>(TraitsOf(format).bytes) * 8 - 1; }

double CapOf(Format format, Beyond beyond = Beyond::kInfinity) {
  return ExtendedValue(InfinityMagnitude(format) - (beyond == Beyond::kInfinity ? 0 : 1), format);
}

Dyadic MidpointAbove(Magnitude magnitude, Format format) {
  return Dyadic((ExtendedValue(magnitude, format) + ExtendedValue(magnitude + 1, format)) / 2);
}

// 1 where |y| rounds above `magnitude`, -1 where it rounds to it or below. A tie goes to the even one of the two.
int SideOfMidpoint(const ExactElement& y, Magnitude magnitude, Format format) {
  const int side = y.CompareMagnitude(MidpointAbove(magnitude, format));
  if (side != 0) return side;
  return magnitude % 2 == 1 ? 1 : -1;
}

Magnitude Estimate(double value, Format format) {
  const auto [precision, emin, emax, bytes, name] = TraitsOf(format);
  if (value == 0) return 0;
  if (value >= CapOf(format)) return InfinityMagnitude(format);
  const int exponent = std::max(std::ilogb(value), emin);
  const auto significand = static_cast<Magnitude>(std::floor(std::ldexp(value, precision - 1 - exponent) + 0.5));
  return significand + (static_cast<Magnitude>(exponent - emin) << (precision - 1));
}

// floor(log2|y|) of y != 0. The 113-bit value decides unless it lies within 2^-90 of a power of two.
int Binade(const ExactElement& y) {
  const Quad value = abs(y.Value());
  const int exponent = FloorLog2(value);
  const Quad significand = Scaled(value, -exponent);
  const Quad margin = Scaled(Quad(1), -90);
  if (significand - 1 < margin && y.CompareMagnitude(Dyadic::PowerOfTwo(exponent)) < 0) return exponent - 1;
  if (2 - significand < margin && y.CompareMagnitude(Dyadic::PowerOfTwo(exponent + 1)) >= 0) return exponent + 1;
  return exponent;
}

}  // namespace

Magnitude InfinityMagnitude(Format format) {
  const auto [precision, emin, emax, bytes, name] = TraitsOf(format);
  return static_cast<Magnitude>(emax - emin + 2) << (precision - 1);
}

double ExtendedValue(Magnitude magnitude, Format format) {
  const auto [precision, emin, emax, bytes, name] = TraitsOf(format);
  const Magnitude hidden = Magnitude{1} << (precision - 1);
  const auto field = static_cast<int>(magnitude / hidden);
  const Magnitude fraction = magnitude % hidden;
  return std::ldexp(field == 0 ? fraction : fraction + hidden, std::max(field, 1) - 1 + emin - precision + 1);
}

double ExtendedSignedValue(Bits bits, Format format) {
  const Bits sign = Bits{1} << SignShift(format);
  const double value = ExtendedValue(bits & (sign - 1), format);
  return (bits & sign) != 0 ? -value : value;
}

Bits RoundTo(const ExactElement& y, Format format) {
  if (y.Sign() == 0) return 0;
  Magnitude magnitude = Estimate(static_cast<double>(Quad(abs(y.Value()))), format);
  while (magnitude < InfinityMagnitude(format) && SideOfMidpoint(y, magnitude, format) > 0) ++magnitude;
  while (magnitude > 0 && SideOfMidpoint(y, magnitude - 1, format) < 0) --magnitude;
  return magnitude | (y.Sign() < 0 ? Bits{1} << SignShift(format) : 0);
}

int UlpExponent(const ExactElement& y, Format format) {
  const auto [precision, emin, emax, bytes, name] = TraitsOf(format);
  if (y.Sign() == 0) return emin - precision + 1;
  return std::clamp(Binade(y), emin, emax) - precision + 1;
}

int UlpExponent(double value, Format format) {
  const auto [precision, emin, emax, bytes, name] = TraitsOf(format);
  if (value == 0) return emin - precision + 1;
  return std::clamp(std::ilogb(value), emin, emax) - precision + 1;
}

int UncappedUlpExponent(const ExactElement& y, Format format) {
  const auto [precision, emin, emax, bytes, name] = TraitsOf(format);
  if (y.Sign() == 0) return emin - precision + 1;
  return std::max(Binade(y), emin) - precision + 1;
}

bool IsCapped(const ExactElement& y, Format format, Beyond beyond) {
  if (y.Sign() == 0 || FloorLog2(y.Value()) < TraitsOf(format).emax - 1) return false;
  return y.CompareMagnitude(Dyadic(CapOf(format, beyond))) >= 0;
}

bool IsWithin(const ExactElement& y, double got, const Dyadic& tolerance, Format format, Beyond beyond) {
  if (IsCapped(y, format, beyond)) {
    const Dyadic cap(y.Sign() < 0 ? -CapOf(format, beyond) : CapOf(format, beyond));
    return Compare((Dyadic(got) - cap).Abs(), tolerance) <= 0;
  }
  return y.Compare(Dyadic(got) - tolerance) >= 0 && y.Compare(Dyadic(got) + tolerance) <= 0;
}

Quad CappedError(const ExactElement& y, double got, Format format, Beyond beyond) {
  if (!IsCapped(y, format, beyond)) return y.Error(Dyadic(got));
  return Quad(got) - Quad(y.Sign() < 0 ? -CapOf(format, beyond) : CapOf(format, beyond));
}

}  // namespace normcheck::reference
