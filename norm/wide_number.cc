// Schoolbook arithmetic of wide dyadic numbers.
#include "norm/wide_number.h"

#include <algorithm>
#include <bit>

namespace normcheck::norm {
namespace {

__extension__ using Twice = unsigned __int128;

// a - b in `size` limbs, a >= b; b has `b_size` <= size.
void SubtractLimbs(const std::uint64_t* a, int size, const std::uint64_t* b, int b_size, std::uint64_t* to) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < size; ++i) {
    const Twice difference = Twice{a[i]} - (i < b_size ? b[i] : 0) - borrow;
    to[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
}

// a + b in `size` limbs, b_size <= size; the carry out.
std::uint64_t AddLimbs(const std::uint64_t* a, int size, const std::uint64_t* b, int b_size, std::uint64_t* to) {
  std::uint64_t carry = 0;
  for (int i = 0; i < size; ++i) {
    const Twice sum = Twice{a[i]} + (i < b_size ? b[i] : 0) + carry;
    to[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  return carry;
}

// Integers of trimmed limbs.
int CompareLimbs(const std::uint64_t* a, int a_size, const std::uint64_t* b, int b_size) {
  if (a_size != b_size) return a_size < b_size ? -1 : 1;
  for (int i = a_size - 1; i >= 0; --i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

}  // namespace

WideNumber WideNumber::FromInteger(std::uint64_t integer, int exponent) {
  WideNumber number;
  number.limbs_[0] = integer;
  number.size_ = integer == 0 ? 0 : 1;
  number.exponent_ = exponent;
  return number;
}

WideNumber WideNumber::FromDouble(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int biased = static_cast<int>(bits >> 52) & 0x7ff;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  std::uint64_t integer = biased == 0 ? fraction : fraction | (std::uint64_t{1} << 52);
  if (integer == 0) return {};
  const int zeros = std::countr_zero(integer);
  WideNumber number = FromInteger(integer >> zeros, std::max(biased, 1) - 1075 + zeros);
  number.negative_ = bits >> 63 != 0;
  return number;
}

int WideNumber::TopBit() const { return exponent_ + 64 * size_ - std::countl_zero(limbs_[size_ - 1]); }

WideNumber WideNumber::Negated() const {
  WideNumber number = *this;
  number.negative_ = !negative_;
  return number;
}

WideNumber WideNumber::TimesPowerOfTwo(int exponent) const {
  WideNumber number = *this;
  number.exponent_ += exponent;
  return number;
}

void WideNumber::Trim() {
  while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
}

// The same value with a smaller exponent.
WideNumber WideNumber::ShiftedDownTo(int exponent) const {
  const int limbs = (exponent_ - exponent) / 64;
  const int bits = (exponent_ - exponent) % 64;
  WideNumber number;
  number.exponent_ = exponent;
  number.negative_ = negative_;
  number.size_ = size_ + limbs + (bits == 0 ? 0 : 1);
  std::fill_n(number.limbs_, limbs, 0);
  for (int i = 0; i < number.size_ - limbs; ++i) {
    const std::uint64_t low = i < size_ ? limbs_[i] << bits : 0;
    number.limbs_[limbs + i] = bits == 0 || i == 0 ? low : low | limbs_[i - 1] >> (64 - bits);
  }
  number.Trim();
  return number;
}

WideNumber operator+(const WideNumber& a, const WideNumber& b) {
  if (a.IsZero()) return b;
  if (b.IsZero()) return a;
  if (a.exponent_ > b.exponent_) return a.ShiftedDownTo(b.exponent_) + b;
  if (a.exponent_ < b.exponent_) return a + b.ShiftedDownTo(a.exponent_);
  const bool a_larger = CompareLimbs(a.limbs_, a.size_, b.limbs_, b.size_) >= 0;
  const WideNumber& large = a_larger ? a : b;
  const WideNumber& small = a_larger ? b : a;
  WideNumber sum;
  sum.exponent_ = a.exponent_;
  sum.negative_ = large.negative_;
  sum.size_ = large.size_;
  if (a.negative_ != b.negative_) {
    SubtractLimbs(large.limbs_, large.size_, small.limbs_, small.size_, sum.limbs_);
  } else if (AddLimbs(large.limbs_, large.size_, small.limbs_, small.size_, sum.limbs_) != 0) {
    sum.limbs_[sum.size_++] = 1;
  }
  sum.Trim();
  return sum;
}

WideNumber operator*(const WideNumber& a, const WideNumber& b) {
  if (a.IsZero() || b.IsZero()) return {};
  WideNumber product;
  product.exponent_ = a.exponent_ + b.exponent_;
  product.negative_ = a.negative_ != b.negative_;
  product.size_ = a.size_ + b.size_;
  std::fill_n(product.limbs_, product.size_, 0);
  for (int i = 0; i < a.size_; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < b.size_; ++j) {
      const Twice term = Twice{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j] + carry;
      product.limbs_[i + j] = static_cast<std::uint64_t>(term);
      carry = static_cast<std::uint64_t>(term >> 64);
    }
    product.limbs_[i + b.size_] = carry;
  }
  product.Trim();
  return product;
}

int CompareMagnitudes(const WideNumber& a, const WideNumber& b) {
  if (a.IsZero() || b.IsZero()) return a.IsZero() ? (b.IsZero() ? 0 : -1) : 1;
  if (a.TopBit() != b.TopBit()) return a.TopBit() < b.TopBit() ? -1 : 1;
  if (a.exponent_ > b.exponent_) return CompareMagnitudes(a.ShiftedDownTo(b.exponent_), b);
  if (a.exponent_ < b.exponent_) return CompareMagnitudes(a, b.ShiftedDownTo(a.exponent_));
  return CompareLimbs(a.limbs_, a.size_, b.limbs_, b.size_);
}

// The top 64 bits, cut to `bits`, as a double: at most 53 bits, so the conversion is exact.
double WideNumber::Truncated(int bits) const {
  if (size_ == 0) return 0;
  const int zeros = std::countl_zero(limbs_[size_ - 1]);
  std::uint64_t top = limbs_[size_ - 1] << zeros;
  if (zeros != 0 && size_ > 1) top |= limbs_[size_ - 2] >> (64 - zeros);
  top &= ~std::uint64_t{0} << (64 - bits);
  int exponent = TopBit() - 64;
  double value = static_cast<double>(top);
  for (; exponent < -1000; exponent += 1000) value *= 0x1p-1000;
  for (; exponent > 900; exponent -= 900) value *= 0x1p900;
  value *= std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  return negative_ ? -value : value;
}

}  // namespace normcheck::norm
