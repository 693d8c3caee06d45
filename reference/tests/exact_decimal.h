// Exact decimal texts of dyadic rationals, so that tests can stand on midpoints and one digit beside them.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <string>

namespace normcheck::reference {

// (numerator/2^halvings + nudge*10^-halvings) as "DIGITSe-halvings": N/2^k = N*5^k/10^k.
inline std::string ExactDecimal(const boost::multiprecision::cpp_int& numerator, unsigned halvings, int nudge = 0) {
  using boost::multiprecision::cpp_int;
  const cpp_int digits = numerator * boost::multiprecision::pow(cpp_int(5), halvings) + nudge;
  return digits.str() + "e-" + std::to_string(halvings);
}

// The same for a finite double >= 0.
inline std::string ExactDecimal(double value, int nudge = 0) {
  constexpr unsigned kHalvings = 1080;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  boost::multiprecision::cpp_int numerator = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53 + static_cast<int>(kHalvings);
  if (shift >= 0)
    numerator <<= shift;
  else
    numerator >>= -shift;  // exact: below 2^-1074 a double has no bits
  return ExactDecimal(numerator, kHalvings, nudge);
}

}  // namespace normcheck::reference
