// Dyadic: an integer times a power of two, with exact +, -, * and comparison; all that the exact judge computes with.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace normcheck::reference {

// Unbounded; up to 1536 bits live inside the object. Allocations are what costs: this is up to twice as fast as plain cpp_int.
using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<1536>, boost::multiprecision::et_off>;

class Dyadic {
 public:
  Dyadic() = default;
  Dyadic(double value);  // exact; value is finite
  Dyadic(Integer integer, std::int64_t exponent) : integer_(std::move(integer)), exponent_(exponent) {}
  static Dyadic PowerOfTwo(std::int64_t exponent) { return Dyadic(Integer(1), exponent); }

  const Integer& integer() const { return integer_; }
  std::int64_t exponent() const { return exponent_; }
  int Sign() const { return integer_.sign(); }
  std::int64_t FloorLog2() const;  // of |*this|, which is not zero
  Dyadic Abs() const { return Sign() < 0 ? -*this : *this; }

  Dyadic operator-() const { return Dyadic(-integer_, exponent_); }
  friend Dyadic operator+(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + -b; }
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b) { return Dyadic(a.integer_ * b.integer_, a.exponent_ + b.exponent_); }

 private:
  Integer integer_ = 0;
  std::int64_t exponent_ = 0;
};

// Sign of a - b.
int Compare(const Dyadic& a, const Dyadic& b);

}  // namespace normcheck::reference
