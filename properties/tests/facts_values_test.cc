// Facts of the mission that state values: the truncated digits against the exact reference, and the kernels' contract.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "properties/kernels.h"
#include "properties/tests/fact_case.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

const Numbers kRow = {"2", "4", "6", "8"};
const Numbers kStandardised = {"-1.34164078649987381784", "-0.44721359549995793928", "0.44721359549995793928", "1.34164078649987381784"};

// F1
TEST(Facts, F1RowOfFourIsStandardised) {
  ExpectHolds({.x = kRow, .expected = kStandardised});
  const auto outputs = RunProduction(CaseOf({.x = kRow}));
  EXPECT_EQ(outputs.mean.at(0), 5.0f);
  const double inv_std_dev = static_cast<double>(outputs.inv_std_dev.at(0));
  EXPECT_LE(std::abs(inv_std_dev - 0.44721359549995793928), 2 * HalfUlp(0.447));
  EXPECT_LE(std::abs(1 / (inv_std_dev * inv_std_dev) - 5), 5 * 2 * 0x1p-23);
}

// F2
TEST(Facts, F2GammaAndBetaActPerFeature) {
  ExpectHolds({.x = kRow, .gamma = {"3", "3", "3", "3"}, .beta = {"-2", "-2", "-2", "-2"},
               .expected = {"-6.02492235949962145353", "-3.34164078649987381784", "-0.65835921350012618215", "2.02492235949962145353"}});
}

// F3
TEST(Facts, F3ConstantRowGivesExactlyBeta) {
  const Numbers sevens = {"7", "7", "7", "7"};
  ExpectHolds({.x = sevens, .epsilon = "1e-5", .expected = {"0", "0", "0", "0"}});
  ExpectHolds({.x = sevens, .epsilon = "1e-5", .gamma = {"3", "-1", "1e30", "0"}, .beta = {"0.1", "-2", "3", "0x1p-149"},
               .expected = {reference::HexText(reference::BitsOf(0.1, norm::Format::kF32), norm::Format::kF32), "-0x1p+1", "0x1.8p+1", "0x1p-149"}});
  const auto outputs = RunProduction(CaseOf({.x = sevens, .epsilon = "1e-5"}));
  for (double y : KernelValues(CaseOf({.x = sevens, .epsilon = "1e-5"}))) EXPECT_EQ(y, 0);
  EXPECT_EQ(outputs.mean.at(0), 7.0f);
  EXPECT_NEAR(static_cast<double>(outputs.inv_std_dev.at(0)), 1 / std::sqrt(1e-5), 2 * HalfUlp(316));
}

// F6: the LayerNorm half; BatchNorm comes with the laws that contrast it.
TEST(Facts, F6LayerNormOfABatchOfOneIsWellDefined) { ExpectHolds({.x = kRow, .expected = kStandardised}); }

// F7
TEST(Facts, F7RmsNormOfTheRow) {
  ExpectHolds({.op = kRmsNormOp, .x = kRow,
               .expected = {"0.36514837167011074230", "0.73029674334022148460", "1.09544511501033222691", "1.46059348668044296921"}});
  const auto outputs = RunProduction(CaseOf({.op = kRmsNormOp, .x = kRow}));
  EXPECT_NEAR(static_cast<double>(outputs.inv_std_dev.at(0)), 1 / std::sqrt(30.0), 2 * HalfUlp(0.18));
  EXPECT_TRUE(outputs.mean.empty());
}

// F8
TEST(Facts, F8FiftyTimesTheRowIsTheSame) { ExpectHolds({.x = {"100", "200", "300", "400"}, .expected = kStandardised}); }

// F9
TEST(Facts, F9AnyMeanAndDeviationIsReached) {
  ExpectHolds({.x = kRow, .gamma = {"4", "4", "4", "4"}, .beta = {"10", "10", "10", "10"},
               .expected = {"4.63343685400050472861", "8.21114561800016824287", "11.78885438199983175713", "15.36656314599949527139"}});
}

// F22
TEST(Facts, F22OutputNeedNotHaveUnitVariance) {
  const auto y = KernelValues(CaseOf({.x = kRow, .gamma = {"4", "4", "4", "4"}, .beta = {"10", "10", "10", "10"}}));
  double mean = 0, var = 0, slack = 0;
  for (double v : y) mean += v / 4;
  for (double v : y) var += (v - 10) * (v - 10) / 4;
  for (double v : y) slack += 2 * HalfUlp(v) * (2 * std::abs(v - 10) + 1) / 4;
  EXPECT_LE(std::abs(mean - 10), slack);
  EXPECT_LE(std::abs(var - 16), slack);
}

// F11
TEST(Facts, F11OneOutlierReachesTheBound) {
  ExpectHolds({.x = {"0", "0", "0", "1"},
               .expected = {"-0.57735026918962576451", "-0.57735026918962576451", "-0.57735026918962576451", "1.73205080756887729352"}});
  for (std::size_t width : {2u, 3u, 5u, 17u, 257u, 4096u}) {
    std::vector<double> x(width, 3.0);
    x[width / 2] = -7;
    const double bound = std::sqrt(static_cast<double>(width - 1));
    for (double y : ExactValues(CaseOf(kLayerNormOp, x, 0))) EXPECT_LE(std::abs(y), bound + HalfUlp(bound));
    EXPECT_LE(std::abs(KernelValues(CaseOf(kLayerNormOp, x, 0))[width / 2] + bound), 2 * HalfUlp(bound));
  }
}

// F19
TEST(Facts, F19FivesAndSingleElementsAreZeroThenBeta) {
  ExpectHolds({.x = {"5", "5", "5", "5"}, .epsilon = "1e-5", .expected = {"0", "0", "0", "0"}});
  for (const char* epsilon : {"1e-12", "1e-8", "1e-5", "1e-3", "1"}) {
    ExpectHolds({.x = {"123.456"}, .epsilon = epsilon, .expected = {"0"}});
    ExpectHolds({.x = {"-3e38"}, .epsilon = epsilon, .gamma = {"17"}, .beta = {"-0.625"}, .expected = {"-0x1.4p-1"}});
  }
}

// F20
TEST(Facts, F20OneTwoThreeAndOneHundredMore) {
  const Numbers want = {"-1.22474487139158904910", "0", "1.22474487139158904910"};
  ExpectHolds({.x = {"1", "2", "3"}, .expected = want});
  ExpectHolds({.x = {"101", "102", "103"}, .expected = want});
}

// F21
TEST(Facts, F21OutlierIsRescaledNotClipped) {
  const Numbers row = {"0", "0", "0", "1000"};
  const std::string low = "-0.57735026918962576451", low_eps = "-0.57735026917422975733";
  ExpectHolds({.x = row, .expected = {low, low, low, "1.73205080756887729353"}});
  ExpectHolds({.x = row, .epsilon = "1e-5", .expected = {low_eps, low_eps, low_eps, "1.73205080752268927199"}});
}

}  // namespace
}  // namespace normcheck::properties
