// The row families by kind of row; families.cc puts them in order.
#pragma once

#include "properties/families.h"

namespace normcheck::properties {

extern const Family kGaussian, kOffset1e3, kOffset1e4, kOffset1e6, kOffset1e7;      // offsets.cc
extern const Family kConstantRow, kNearConstant, kAlternating;                      // repeats.cc
extern const Family kOutlier, kOutlierHuge, kCancellingOutliers, kSparse, kOneHot;  // outliers.cc
extern const Family kExponentLadder, kSubnormal, kNearOverflow;                     // ranges.cc
extern const Family kAnyBits, kSpecials;                                            // bit_patterns.cc
extern const Family kVarNearEps, kBetaCancels;                                      // relations.cc
extern const Family kOverflowing;                                                   // overflow.cc

}  // namespace normcheck::properties
