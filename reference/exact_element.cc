// Comparison, value and error of a/sqrt(q) + b from integers.
#include "reference/exact_element.h"

#include <utility>

namespace normcheck::reference {

const Quad& Radicand::Root() const {
  if (!root_) root_ = sqrt(ToQuad(square));
  return *root_;
}

const Quad& Radicand::InverseRoot() const {
  if (!inverse_root_) inverse_root_ = 1 / Root();
  return *inverse_root_;
}

ExactElement::ExactElement(Dyadic a, Dyadic b, const Radicand& q)
    : a_(std::move(a)), b_(std::move(b)), q_(&q), a_squared_(a_ * a_), a_quad_(ToQuad(a_)) {
  sign_ = Compare(Dyadic());
  value_ = ValueInQuad();
}

int ExactElement::Compare(const Dyadic& m) const {
  const Dyadic rest = m - b_;
  const int sign_a = a_.Sign();
  const int sign_rest = rest.Sign();
  if (sign_a != sign_rest) return sign_a > sign_rest ? 1 : -1;
  if (sign_a == 0) return 0;
  return sign_a * reference::Compare(a_squared_, rest * rest * q_->square);
}

int ExactElement::CompareMagnitude(const Dyadic& m) const {
  return sign_ < 0 ? -Compare(-m) : Compare(m);
}

Quad ExactElement::QuotientOf(const Dyadic& numerator, const Quad& denominator) const {
  return ToQuad(numerator) * q_->InverseRoot() / denominator;
}

Quad ExactElement::ValueInQuad() const {
  if (sign_ == 0) return Quad(0);
  const Quad b = ToQuad(b_);
  const Quad direct = a_quad_ * q_->InverseRoot() + b;
  constexpr int kLostBits = 8;
  const bool cancels = a_.Sign() * b_.Sign() < 0 && (direct == 0 || FloorLog2(direct) < FloorLog2(b) - kLostBits);
  if (!cancels) return direct;
  return QuotientOf(a_squared_ - b_ * b_ * q_->square, a_quad_ - b * q_->Root());
}

Quad ExactElement::Error(const Dyadic& got) const {
  const Dyadic rest = got - b_;
  const Quad rest_quad = ToQuad(rest);
  if (rest.Sign() * a_.Sign() <= 0) return rest_quad - a_quad_ * q_->InverseRoot();
  const Dyadic numerator = rest * rest * q_->square - a_squared_;
  if (numerator.Sign() == 0) return Quad(0);
  return QuotientOf(numerator, rest_quad * q_->Root() + a_quad_);
}

}  // namespace normcheck::reference
