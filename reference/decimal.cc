// Rounds exact literals to binary formats with integers alone.
#include "reference/decimal.h"

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

namespace normcheck::reference {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::size_t kMaxDigits = 1000;
constexpr std::int64_t kMagnitudeLimit = 400;  // binary64: 2^-1075 > 10^-324, 2^1024 < 10^309

// significand * 10^exponent as a fraction.
struct Fraction {
  cpp_int numerator;
  cpp_int denominator;
};

cpp_int PowerOfTen(std::int64_t exponent) {
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

// Cut digits leave a 1 behind: the sum stays on its side of every midpoint.
Fraction FractionOf(const Decimal& decimal) {
  std::string digits = decimal.digits.substr(0, kMaxDigits);
  if (decimal.digits.size() > kMaxDigits) digits += '1';
  const std::int64_t exponent = decimal.magnitude - static_cast<std::int64_t>(digits.size());
  Fraction out{cpp_int(digits), 1};
  if (exponent >= 0)
    out.numerator *= PowerOfTen(exponent);
  else
    out.denominator = PowerOfTen(-exponent);
  return out;
}

void ScaleByPowerOfTwo(Fraction& value, int exponent) {
  if (exponent >= 0)
    value.numerator <<= exponent;
  else
    value.denominator <<= -exponent;
}

int BitLength(const cpp_int& value) { return static_cast<int>(boost::multiprecision::msb(value)) + 1; }

// floor(log2(value)).
int BinaryExponent(const Fraction& value) {
  const int estimate = BitLength(value.numerator) - BitLength(value.denominator);  // the exponent or one above it
  Fraction scaled = value;
  ScaleByPowerOfTwo(scaled, -estimate);
  return scaled.numerator >= scaled.denominator ? estimate : estimate - 1;
}

std::uint64_t RoundToInteger(const Fraction& value) {
  cpp_int quotient, remainder;
  boost::multiprecision::divide_qr(value.numerator, value.denominator, quotient, remainder);
  const auto whole = quotient.convert_to<std::uint64_t>();
  const int side = cpp_int(remainder * 2).compare(value.denominator);
  return whole + (side > 0 || (side == 0 && whole % 2 == 1) ? 1 : 0);
}

double Signed(bool negative, double magnitude) { return negative ? -magnitude : magnitude; }

}  // namespace

std::optional<double> RoundDecimal(const Decimal& decimal, BinaryShape shape) {
  if (decimal.digits.empty() || decimal.magnitude < -kMagnitudeLimit) return Signed(decimal.negative, 0);
  if (decimal.magnitude > kMagnitudeLimit) return std::nullopt;
  Fraction value = FractionOf(decimal);
  const int exponent = BinaryExponent(value);
  if (exponent > shape.emax) return std::nullopt;
  const int quantum = std::max(exponent, shape.emin) - shape.precision + 1;
  ScaleByPowerOfTwo(value, -quantum);
  const std::uint64_t significand = RoundToInteger(value);
  if (static_cast<int>(std::bit_width(significand)) + quantum > shape.emax + 1) return std::nullopt;
  return Signed(decimal.negative, std::ldexp(static_cast<double>(significand), quantum));
}

std::optional<double> FitHex(const HexValue& value, BinaryShape shape) {
  if (value.wide) return std::nullopt;
  if (value.significand == 0) return Signed(value.negative, 0);
  const int length = static_cast<int>(std::bit_width(value.significand));
  if (length > shape.precision || value.exponent < shape.emin - shape.precision + 1 ||
      value.exponent + length - 1 > shape.emax)
    return std::nullopt;
  return Signed(value.negative, std::ldexp(static_cast<double>(value.significand), static_cast<int>(value.exponent)));
}

}  // namespace normcheck::reference
