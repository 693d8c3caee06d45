// Wide dyadic numbers on the stack: integers of up to 40 limbs with a sign and a binary exponent; never rounded.
#pragma once

#include <cstdint>

namespace normcheck::norm {

// sign * (integer of `size` limbs) * 2^exponent. No allocation; an operation costs as many limbs as are in use.
// Capacity: 2560 bits. What ExactRow forms is bounded there: the widest value takes 2144 bits.
class WideNumber {
 public:
  WideNumber() {}  // 0
  WideNumber(const WideNumber& other) { *this = other; }
  WideNumber& operator=(const WideNumber& other) {
    size_ = other.size_;
    exponent_ = other.exponent_;
    negative_ = other.negative_;
    for (int i = 0; i < size_; ++i) limbs_[i] = other.limbs_[i];
    return *this;
  }
  static WideNumber FromInteger(std::uint64_t integer, int exponent = 0);
  static WideNumber FromDouble(double value);  // finite

  bool IsZero() const { return size_ == 0; }
  int Sign() const { return size_ == 0 ? 0 : negative_ ? -1 : 1; }

  // 1 + floor(log2 |value|). Not of 0.
  int TopBit() const;

  WideNumber Negated() const;
  WideNumber TimesPowerOfTwo(int exponent) const;

  friend WideNumber operator+(const WideNumber& a, const WideNumber& b);
  friend WideNumber operator-(const WideNumber& a, const WideNumber& b) { return a + b.Negated(); }
  friend WideNumber operator*(const WideNumber& a, const WideNumber& b);

  // Sign of |a| - |b|.
  friend int CompareMagnitudes(const WideNumber& a, const WideNumber& b);

  // The value rounded towards zero to `bits` <= 53 bits. Within the range of binary64.
  double Truncated(int bits = 53) const;

 private:
  static constexpr int kLimbs = 40;

  WideNumber ShiftedDownTo(int exponent) const;
  void Trim();

  std::uint64_t limbs_[kLimbs];  // least significant first; those from size_ on mean nothing
  int size_ = 0;
  int exponent_ = 0;
  bool negative_ = false;
};

}  // namespace normcheck::norm
