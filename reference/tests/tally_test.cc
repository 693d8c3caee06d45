// Tallies: bins, percentiles, saturation and merging.
#include "reference/tally.h"

#include <gtest/gtest.h>

#include <limits>

namespace normcheck::reference {
namespace {

TEST(UlpQ20, RoundsDownAndSaturates) {
  EXPECT_EQ(ToQ20(0.5), UlpQ20{1} << 19);
  EXPECT_EQ(ToQ20(0x1.fp-20), 1U);
  EXPECT_EQ(ToQ20(0x1.fp-21), 0U);
  EXPECT_EQ(ToQ20(0x1p43), (UlpQ20{1} << 63) - 1);
  EXPECT_EQ(ToQ20(std::numeric_limits<double>::infinity()), (UlpQ20{1} << 63) - 1);
  EXPECT_EQ(ToQ20(std::numeric_limits<double>::quiet_NaN()), (UlpQ20{1} << 63) - 1);
}

TEST(UlpHistogram, PercentilesAreUpperBinEdges) {
  UlpHistogram histogram;
  EXPECT_FALSE(histogram.Percentile(0.5).has_value());
  histogram.Add(0);
  histogram.Add(ToQ20(1.0));
  histogram.Add(ToQ20(1.9));
  histogram.Add(ToQ20(1000));
  EXPECT_EQ(histogram.Percentile(0.25), 0.0);
  EXPECT_EQ(histogram.Percentile(0.5), 1.125);
  EXPECT_EQ(histogram.Percentile(0.75), 2.0);
  EXPECT_EQ(histogram.Percentile(0.999), 1024.0);
  EXPECT_EQ(histogram.total(), 4U);
}

TEST(UlpHistogram, EveryValueFallsIntoABin) {
  UlpHistogram histogram;
  for (int k = 0; k < 63; ++k) {
    histogram.Add(UlpQ20{1} << k);
    histogram.Add((UlpQ20{2} << k) - 1);
  }
  EXPECT_EQ(histogram.total(), 126U);
}

TEST(Tally, MergesToTheSameFiguresInAnyOrder) {
  Tally a;
  a.judged = a.scored = 2;
  a.max_ulp = 7;
  a.row_ulp_sum = ToQ20(3);
  a.bias_sum = -static_cast<__int128>(ToQ20(1));
  a.ulp.Add(5);
  Tally b;
  b.judged = b.scored = 2;
  b.max_ulp = 9;
  b.row_ulp_sum = ToQ20(1);
  b.levels[2] = 2;
  Tally ab = a;
  ab.Merge(b);
  Tally ba = b;
  ba.Merge(a);
  EXPECT_EQ(ab.judged, 4U);
  EXPECT_EQ(ab.max_ulp, 9U);
  EXPECT_EQ(ab.MeanRowUlp(), 1.0);
  EXPECT_EQ(ab.BiasUlp(), -0.25);
  EXPECT_EQ(ab.levels[2], 2U);
  EXPECT_EQ(ab.ulp.bins(), ba.ulp.bins());
  EXPECT_TRUE(ab.row_ulp_sum == ba.row_ulp_sum);
}

}  // namespace
}  // namespace normcheck::reference
