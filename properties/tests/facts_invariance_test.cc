// Facts of the mission that state relations: invariances, independence, epsilon, inverses.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "properties/kernels.h"
#include "properties/tests/fact_case.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using Row = std::vector<double>;
using reference::Bits;

Row Affine(const Row& x, double a, double b) {
  Row moved;
  for (double v : x) moved.push_back(a * v + b);
  return moved;
}

Row Negated(Row x) { return Affine(x, -1, 0); }

const Row kRow = {2, 4, 6, 8};
const Row kRagged = {1, -7, 3, 0.5, 12, -2.25, 8};

// F4: exact pairs a*x + b give the same exact xhat, hence the same correctly rounded bits.
TEST(Facts, F4AffineMapsOfTheRow) {
  for (const Row& x : {kRow, kRagged}) {
    const Row plain = ExactValues(CaseOf(kLayerNormOp, x, 0));
    EXPECT_EQ(ExactValues(CaseOf(kLayerNormOp, Affine(x, 3, 5), 0)), plain);
    EXPECT_EQ(ExactValues(CaseOf(kLayerNormOp, Affine(x, -3, 5), 0)), Negated(plain));
    for (double epsilon : {0x1p-17, 1.0}) {
      const Row with_epsilon = ExactValues(CaseOf(kLayerNormOp, x, epsilon));
      EXPECT_EQ(ExactValues(CaseOf(kLayerNormOp, Affine(x, 12, -100), 144 * epsilon)), with_epsilon);
      EXPECT_NE(ExactValues(CaseOf(kLayerNormOp, Affine(x, 12, -100), epsilon)), with_epsilon);
    }
    for (double a : {3.0, -3.0, 12.0}) ExpectKept(CaseOf(kLayerNormOp, Affine(x, a, 5), 1e-5));
  }
}

// F5: gamma = sqrt(5) rounded to f32 moves y by at most half an ulp of gamma times |xhat|; y is rounded once more.
TEST(Facts, F5ParametersCanUndoTheNormalisation) {
  const std::string gamma = "2.2360679774997896964";
  const Case c = CaseOf({.x = {"2", "4", "6", "8"}, .gamma = {gamma, gamma, gamma, gamma}, .beta = {"5", "5", "5", "5"}});
  const Row exact = ExactValues(c), got = KernelValues(c);
  for (std::size_t i = 0; i < 4; ++i) {
    const double from_gamma = HalfUlp(2.236) * std::abs(kRow[i] - 5) / std::sqrt(5.0);
    EXPECT_LE(std::abs(exact[i] - kRow[i]), from_gamma + HalfUlp(kRow[i]));
    EXPECT_LE(std::abs(got[i] - kRow[i]), from_gamma + 2 * HalfUlp(8));
  }
  ExpectKept(c);
}

Case Batch(Op op, const std::vector<Row>& rows) {
  Case c = reference::MakeCase(op, {}, rows.size(), rows[0].size(), 1e-5);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < c.width; ++i) c.x[r * c.width + i] = CaseOf(op, rows[r], 0).x[i];
  return c;
}

// F12
TEST(Facts, F12ARowDoesNotDependOnOthersOrOnEarlierCalls) {
  const std::vector<Row> rows = {{1, 2, 4}, {3, 9, 5}, {0x1p100, -0x1p100, 2}, {0, 0, 0}};
  for (Op op : {kLayerNormOp, kRmsNormOp}) {
    const auto together = RunProduction(Batch(op, rows));
    for (int call = 0; call < 2; ++call) {
      for (std::size_t r = rows.size(); r-- > 0;) {
        const auto alone = RunProduction(Batch(op, {rows[r]}));
        EXPECT_TRUE(std::equal(alone.y.begin(), alone.y.end(), together.y.begin() + static_cast<std::ptrdiff_t>(r * 3)));
        EXPECT_EQ(std::bit_cast<std::uint32_t>(alone.inv_std_dev.at(0)), std::bit_cast<std::uint32_t>(together.inv_std_dev.at(r)));
      }
    }
  }
}

// F13
TEST(Facts, F13StatisticsRunAcrossTheRow) {
  const std::vector<Row> rows = {{1, 2, 4}, {3, 9, 5}, {7, 0, 2}};
  const std::vector<Row> transposed = {{1, 3, 7}, {2, 9, 0}, {4, 5, 2}};
  const Row y = KernelValues(Batch(kLayerNormOp, rows)), t = KernelValues(Batch(kLayerNormOp, transposed));
  int equal = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += y[3 * r + i];
    for (std::size_t i = 0; i < 3; ++i) equal += y[3 * r + i] == t[3 * i + r];
    EXPECT_LE(std::abs(sum), 3 * 2 * HalfUlp(1.5));
  }
  EXPECT_EQ(equal, 0);
}

// F14
TEST(Facts, F14FeaturesAreNotScaledOrShiftedAlone) {
  const Row plain = KernelValues(CaseOf(kLayerNormOp, kRow, 0));
  for (const Row& changed : {Row{2, 8, 6, 8}, Row{2, 5, 6, 8}}) {
    const Row y = KernelValues(CaseOf(kLayerNormOp, changed, 0));
    EXPECT_GT(std::abs(y[0] - plain[0]), 0.05);
    EXPECT_GT(std::abs(y[1] - plain[1]), 0.05);
  }
}

// F15: the slack is what one rounding of each element can change.
TEST(Facts, F15StandardisedRowsHaveMeanZeroAndTheirMeanSquare) {
  for (const Row& x : {kRow, kRagged}) {
    const double width = static_cast<double>(x.size());
    double mean = 0, var = 0;
    for (double v : x) mean += v / width;
    for (double v : x) var += (v - mean) * (v - mean) / width;
    for (double epsilon : {0.0, 1e-5, 5.0}) {
      double sum = 0, square = 0, sum_slack = 0, square_slack = 0x1p-45;
      for (double y : ExactValues(CaseOf(kLayerNormOp, x, epsilon))) {
        sum += y;
        square += y * y / width;
        sum_slack += HalfUlp(y);
        square_slack += (2 * std::abs(y) + HalfUlp(y)) * HalfUlp(y) / width;
      }
      EXPECT_LE(std::abs(sum), sum_slack);
      EXPECT_LE(std::abs(square - var / (var + epsilon)), square_slack);
      EXPECT_EQ(epsilon == 5, square < 1 - 1e-3);
    }
  }
}

// F16
TEST(Facts, F16RmsNormIsLayerNormExactlyWhereTheMeanIsZero) {
  for (const Row& x : {Row{-3, -1, 1, 3}, Row{5, -2, -2, -1, 0}, Row{1e10, -1e10, 3, -3}})
    for (double epsilon : {0.0, 1e-5, 1.0}) {
      EXPECT_EQ(ExactValues(CaseOf(kLayerNormOp, x, epsilon)), ExactValues(CaseOf(kRmsNormOp, x, epsilon)));
      EXPECT_EQ(KernelValues(CaseOf(kLayerNormOp, x, epsilon)), KernelValues(CaseOf(kRmsNormOp, x, epsilon)));
    }
  EXPECT_NE(KernelValues(CaseOf(kRmsNormOp, kRow, 0)), KernelValues(CaseOf(kRmsNormOp, Affine(kRow, 1, 1), 0)));
  EXPECT_NE(KernelValues(CaseOf(kRmsNormOp, kRow, 0)), KernelValues(CaseOf(kLayerNormOp, kRow, 0)));
}

// F17: the judge never scores an undefined value, so the NaN is asked of the kernel itself.
TEST(Facts, F17ConstantRowWithoutEpsilonIsNaNAndNearConstantRowsBlowUp) {
  for (Op op : {kLayerNormOp, kRmsNormOp}) {
    const auto outputs = RunProduction(CaseOf(op, op == kLayerNormOp ? Row{7, 7, 7, 7} : Row{0, 0, 0, 0}, 0));
    EXPECT_TRUE(outputs.result.ok());
    for (Bits y : outputs.y) EXPECT_EQ(y, reference::CanonicalNan(norm::Format::kF32));
    EXPECT_EQ(outputs.inv_std_dev.at(0), HUGE_VALF);
  }
  const Row near_constant = {7, 7, 7, 7 + 0x1p-21};
  EXPECT_GT(KernelValues(CaseOf(kLayerNormOp, near_constant, 0))[3], 1.7);
  EXPECT_LT(KernelValues(CaseOf(kLayerNormOp, near_constant, 1e-5))[3], 1e-3);
  for (double epsilon : {0.0, 1e-5}) ExpectKept(CaseOf(kLayerNormOp, near_constant, epsilon));
}

// F18
TEST(Facts, F18EpsilonStandsUnderTheRoot) {
  const auto mutant = FindKernel("mutant:eps-after-root").value();
  const Case constant = CaseOf(kLayerNormOp, {7, 7, 7, 7}, 1e-5);
  const auto inside = RunProduction(constant), after = reference::RunKernel(mutant, constant, {});
  EXPECT_NEAR(1 / static_cast<double>(inside.inv_std_dev.at(0)), 3.16227766e-3, 1e-11 + 3.17e-3 * 0x1p-23);
  EXPECT_NEAR(1 / static_cast<double>(after.inv_std_dev.at(0)), 1e-5, 1e-5 * 0x1p-23);
  const Case near_epsilon = CaseOf(kLayerNormOp, {-0x1p-8, 0x1p-8}, 0x1p-16);
  EXPECT_FALSE(reference::Judge(mutant, near_epsilon, {}).kept);
  ExpectKept(near_epsilon);
}

// F24: x = mu + sqrt(var + eps)*xhat. y is off by at most an ulp of the largest, inv_std_dev by 2 ulp, mean by an ulp of max|x|.
TEST(Facts, F24StandardisingIsInvertible) {
  for (const Row& x : {kRow, kRagged, Affine(kRagged, 1, 1000)}) {
    const Case c = CaseOf(kLayerNormOp, x, 1e-5);
    const auto outputs = RunProduction(c);
    const Row y = KernelValues(c);
    const double root = 1 / static_cast<double>(outputs.inv_std_dev.at(0)), mean = static_cast<double>(outputs.mean.at(0));
    double largest_x = 0, largest_y = 0;
    for (double v : x) largest_x = std::max(largest_x, std::abs(v));
    for (double v : y) largest_y = std::max(largest_y, std::abs(v));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double slack = root * (2 * HalfUlp(largest_y) + std::abs(y[i]) * 4 * 0x1p-23) + 2 * HalfUlp(largest_x);
      EXPECT_LE(std::abs(mean + root * y[i] - x[i]), slack);
    }
  }
}

}  // namespace
}  // namespace normcheck::properties
