// The exact sum against signs worked out by hand.
#include "norm/exact_sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace normcheck::norm {
namespace {

constexpr float kTiny = 0x1p-149f;
constexpr float kMax = std::numeric_limits<float>::max();

TEST(ExactSum, EmptySumGivesTheSignOfTheValue) {
  EXPECT_EQ(ExactSum().SignOfDeviation(kTiny, 1), 1);
  EXPECT_EQ(ExactSum().SignOfDeviation(-kMax, 5), -1);
  EXPECT_EQ(ExactSum().SignOfDeviation(-0.0f, 5), 0);
}

TEST(ExactSum, SeesTheSmallestBitBesideTheLargest) {
  ExactSum sum;
  for (float value : {kMax, kTiny, -kMax}) sum.Add(value);  // S = 2^-149, H = 3
  EXPECT_EQ(sum.SignOfDeviation(0, 3), -1);
  EXPECT_EQ(sum.SignOfDeviation(kTiny, 3), 1);
  EXPECT_EQ(sum.SignOfDeviation(kTiny, 1), 0);
  sum.Add(-kTiny);
  EXPECT_EQ(sum.SignOfDeviation(0, 4), 0);
}

TEST(ExactSum, CarriesAndBorrowsRunThroughAllLimbs) {
  ExactSum sum;
  for (int i = 0; i < 1000; ++i) sum.Add(kMax);
  EXPECT_EQ(sum.SignOfDeviation(kMax, 1000), 0);
  EXPECT_EQ(sum.SignOfDeviation(kMax, 1001), 1);
  EXPECT_EQ(sum.SignOfDeviation(kMax, 999), -1);
  sum.Add(kTiny);
  EXPECT_EQ(sum.SignOfDeviation(kMax, 1000), -1);
  for (int i = 0; i < 2000; ++i) sum.Add(-kMax);  // S = -1000*kMax + 2^-149
  EXPECT_EQ(sum.SignOfDeviation(-kMax, 1000), -1);
  sum.Add(-kTiny);
  EXPECT_EQ(sum.SignOfDeviation(-kMax, 1000), 0);
}

TEST(ExactSum, WidthsBeyond32BitsKeepTheirHighPart) {
  const std::size_t width = (std::size_t{1} << 40) + 1;
  ExactSum sum;
  sum.Add(0x1p40f);
  EXPECT_EQ(sum.SignOfDeviation(1, width - 1), 0);
  EXPECT_EQ(sum.SignOfDeviation(1, width), 1);
  EXPECT_EQ(sum.SignOfDeviation(1, width - 2), -1);
  EXPECT_EQ(sum.SignOfDeviation(kMax, std::numeric_limits<std::size_t>::max()), 1);
  EXPECT_EQ(sum.SignOfDeviation(-kMax, std::numeric_limits<std::size_t>::max()), -1);
}

}  // namespace
}  // namespace normcheck::norm
