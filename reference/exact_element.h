// ExactElement: the number a/sqrt(q) + b held exactly; compares with any dyadic number without taking a root.
#pragma once

#include <optional>

#include "reference/dyadic.h"
#include "reference/quad.h"

namespace normcheck::reference {

// A positive dyadic q under a root, with its root and the root's inverse to 113 bits. Both are taken when first asked for,
// so that rows that need neither pay for neither; one thread at a time.
class Radicand {
 public:
  explicit Radicand(Dyadic q) : square(std::move(q)) {}
  const Quad& Root() const;
  const Quad& InverseRoot() const;

  const Dyadic square;

 private:
  mutable std::optional<Quad> root_;
  mutable std::optional<Quad> inverse_root_;
};

// y = a/sqrt(q) + b. For m dyadic and B = m - b: sign(y - m) = sign(a/sqrt(q) - B), which is sign(a) or -sign(B) where
// those two differ, and else sign(a)*sign(a^2 - B^2*q). The radicand must outlive the element.
class ExactElement {
 public:
  ExactElement(Dyadic a, Dyadic b, const Radicand& q);

  ExactElement Times(const Dyadic& factor) const { return ExactElement(a_ * factor, b_ * factor, *q_); }

  int Sign() const { return sign_; }
  int Compare(const Dyadic& m) const;           // sign of y - m
  int CompareMagnitude(const Dyadic& m) const;  // sign of |y| - m, m >= 0

  // y with a relative error below 2^-100, its sign exact. Where b cancels: (a^2 - b^2 q)/(sqrt(q)(a - b sqrt(q))),
  // the numerator in integers.
  const Quad& Value() const { return value_; }

  // got - y with a relative error below 2^-100, its sign exact: (B^2 q - a^2)/(sqrt(q)(B sqrt(q) + a)) where B and a
  // have the same sign.
  Quad Error(const Dyadic& got) const;

 private:
  Quad QuotientOf(const Dyadic& numerator, const Quad& denominator) const;
  Quad ValueInQuad() const;

  Dyadic a_;
  Dyadic b_;
  const Radicand* q_;
  Dyadic a_squared_;
  Quad a_quad_;
  int sign_ = 0;
  Quad value_;
};

}  // namespace normcheck::reference
