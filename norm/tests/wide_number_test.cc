// Wide numbers against identities and values worked out by hand.
#include "norm/wide_number.h"

#include <gtest/gtest.h>


namespace normcheck::norm {
namespace {

WideNumber Of(double value) { return WideNumber::FromDouble(value); }

TEST(WideNumber, DoublesComeBackAsTheyWere) {
  for (double value : {1.0, -3.0, 0x1.fffffffffffffp1023, 5e-324, -0x1.5p-1070, 0x1p-1022, 0.1})
    EXPECT_EQ(Of(value).Truncated(), value);
  EXPECT_EQ(Of(-0.0).Truncated(), 0);
  EXPECT_EQ(Of(0).Sign(), 0);
  EXPECT_EQ(Of(-5e-324).Sign(), -1);
}

TEST(WideNumber, TruncationIsTowardsZero) {
  EXPECT_EQ((Of(0x1p100) + Of(1)).Truncated(), 0x1p100);
  EXPECT_EQ((Of(0x1p100) - Of(1)).Truncated(), 0x1.fffffffffffffp99);
  EXPECT_EQ((Of(1) - Of(0x1p100)).Truncated(), -0x1.fffffffffffffp99);
}

TEST(WideNumber, SumsKeepTheSmallestBitBesideTheLargest) {
  const WideNumber sum = Of(0x1p1000) + Of(0x1p-1000);
  EXPECT_EQ((sum - Of(0x1p1000)).Truncated(), 0x1p-1000);
  EXPECT_EQ((sum - Of(0x1p1000) - Of(0x1p-1000)).Sign(), 0);
}

TEST(WideNumber, CarriesAndBorrowsRunThroughAllLimbs) {
  const WideNumber ones = Of(0x1p640) - Of(1);
  EXPECT_EQ((ones + Of(1)).Truncated(), 0x1p640);
  EXPECT_EQ(ones.TopBit(), 640);
  EXPECT_EQ((ones + Of(1)).TopBit(), 641);
  // (2^640 - 1)^2 = 2^1280 - 2^641 + 1
  EXPECT_EQ((ones * ones - Of(0x1p1000).TimesPowerOfTwo(280) + Of(0x1p641)).Truncated(), 1);
}

TEST(WideNumber, MagnitudesCompareAcrossExponents) {
  EXPECT_EQ(CompareMagnitudes(Of(3), Of(-3)), 0);
  EXPECT_EQ(CompareMagnitudes(Of(0x1p700) + Of(1), Of(0x1p700)), 1);
  EXPECT_EQ(CompareMagnitudes(Of(0x1p700), Of(-0x1p700) - Of(1)), -1);
  EXPECT_EQ(CompareMagnitudes(Of(0), Of(5e-324)), -1);
  EXPECT_EQ(CompareMagnitudes(Of(5e-324), Of(0)), 1);
  EXPECT_EQ(CompareMagnitudes(Of(0), Of(0)), 0);
}

}  // namespace
}  // namespace normcheck::norm
