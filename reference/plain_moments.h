// PlainMoments: what generators, laws and guidance ask of a row, in plain double: near enough to aim and to class by.
#pragma once

#include <span>

#include "reference/case.h"

namespace normcheck::reference {

struct PlainMoments {
  double mean = 0;      // what the operation subtracts: 0 where it subtracts nothing
  double spread = 0;    // sum((x - mean)^2)/n, n as the operation divides
  double largest = 0;   // max|x|, NaN left out
  double farthest = 0;  // max((x - mean)^2)/n
  bool finite = true;   // every element is
};

PlainMoments PlainMomentsOf(Op op, std::span<const Bits> row, Format format);

}  // namespace normcheck::reference
