// The error bound of the binary64 stage: never reached, and none of its constants can do with less.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "norm/layer_norm.h"
#include "norm/row_engine.h"
#include "properties/families.h"
#include "properties/parameters.h"
#include "properties/tests/hard_cases.h"
#include "reference/case_values.h"
#include "reference/exact_row.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// The largest |y - Y|/E of the binary64 stage over a case's first row, as far as the row has one; 0 where not.
double WorstShare(const norm::RowEngine& engine, Case c) {
  c.rows = 1;
  c.x.resize(c.width);
  std::vector<double> y(c.width), error(c.width);
  bool known = false;
  RunKernel(KernelOf(c.op, [&](const norm::KernelCall& call) {
              known = engine.estimate_row(call, y.data(), error.data());
              return norm::CallResult{};
            }), c, {});
  if (!known) return 0;
  const reference::CaseValues values(c, c.epsilon, reference::Subnormals::kKept);
  const reference::ExactRow row(c.op, values.Row(0), c.epsilon);
  double worst = 0;
  for (std::size_t i = 0; i < c.width; ++i) {
    if (!std::isfinite(values.gamma(i)) || !std::isfinite(values.beta(i))) continue;
    const double off = std::fabs(static_cast<double>(row.Element(i, values.gamma(i), values.beta(i)).Error(reference::Dyadic(y[i]))));
    EXPECT_TRUE(off <= error[i]) << engine.name << " " << i << " of " << c.width << ": " << off << " for " << error[i];
    if (error[i] > 0) worst = off / error[i] > worst ? off / error[i] : worst;
  }
  return worst;
}

TEST(ErrorBound, IsNeverReached) {
  Random random(Seed{8});
  double worst = 0;
  for (int round = 0; round < 12; ++round)
    for (const Family& family : Families())
      for (const norm::RowEngine& engine : norm::RowEngines()) {
        const std::vector<Formats> formats = norm::ProductionFormats();
        const double share = WorstShare(engine, FamilyCase(family, norm::kProductionOps[random.Below(2)], formats[random.Below(formats.size())], random));
        worst = share > worst ? share : worst;
      }
  EXPECT_LT(worst, 1);
  EXPECT_GT(worst, 0.05);
  RecordProperty("worst_share", std::to_string(worst));
}

// On both sides of the mean from which on sums about it are made (kMostKappa2).
TEST(ErrorBound, HoldsAtTheLargestMeans) {
  Random random(Seed{14});
  for (const double mean : {1.5, 2.5, 3.5, 3.9, 4.0, 4.1, -4.0})
    for (const std::size_t width : {std::size_t{17}, std::size_t{256}, std::size_t{1500}})
      for (const Op op : norm::kProductionOps) {
        std::vector<double> x(width), gamma(width);
        for (double& value : x) value = static_cast<double>(static_cast<float>(mean + random.Gaussian()));
        for (double& value : gamma) value = static_cast<double>(static_cast<float>(1 + random.Unit()));
        Case c = CaseWith(op, {}, 1e-12, x, gamma, {});
        CancelBeta(c);
        for (const norm::RowEngine& engine : norm::RowEngines()) {
          EXPECT_LT(WorstShare(engine, c), 1) << engine.name;
          norm::Kernel kernel = KernelOn(engine.name, op);
          kernel.statistics = false;
          EXPECT_TRUE(reference::Judge(kernel, c, Options()).kept) << engine.name << " " << mean << " " << width;
        }
      }
}

norm::Kernel KernelWithBounds(Op op, const norm::BoundScales& scales) {
  return KernelOf(op, [scales](const norm::KernelCall& call) {
    norm::RowEngines().front().normalize_rows(call, scales);
    return norm::CallResult{};
  });
}

// With the bounds multiplied so: outputs that are not correctly rounded.
std::uint64_t BrokenWith(const norm::BoundScales& scales) {
  Random random(Seed{9});
  std::uint64_t broken = 0;
  for (int round = 0; round < 60; ++round)
    for (const Family& family : Families()) {
      const Op op = norm::kProductionOps[round % 2];
      norm::Kernel kernel = KernelWithBounds(op, scales);
      kernel.statistics = round % 4 < 2;
      broken += Judge(kernel, FamilyCase(family, op, {}, random), Options()).tally.broken;
    }
  return broken;
}

// The sweep above would see a wrong bound: with bounds that are too small the same rows come out wrong.
TEST(ErrorBound, TooSmallGivesWrongOutputs) {
  const auto all = [](double s) { return norm::BoundScales{s, s, s, s, s}; };
  EXPECT_EQ(BrokenWith(all(1)), 0u);
  EXPECT_GT(BrokenWith(all(0.02)), 100u);
  EXPECT_GT(BrokenWith(all(0)), 1000u);
}

Case RowCase(const std::vector<double>& x, Random& random) {
  std::vector<double> gamma(x.size());
  for (double& value : gamma) value = static_cast<double>(static_cast<float>(1 + random.Unit()));
  return CaseWith(Op::kLayerNorm, {}, 1e-5, x, gamma, {});
}

// A hundred elements at the mean, rounded: |xhat| about 2^-25, where E is that of gamma alone.
Case ElementsAtTheMean(Random& random) {
  std::vector<double> x(500);
  double sum = 0;
  for (std::size_t i = 100; i < x.size(); ++i) sum += x[i] = static_cast<double>(static_cast<float>(0.7 + random.Gaussian()));
  for (std::size_t i = 0; i < 100; ++i) x[i] = static_cast<double>(static_cast<float>(sum / 400));
  return RowCase(x, random);
}

// One element with xhat = 64, nearly cancelled by beta: there E is that of beta, far above that of gamma.
Case CancelledOutlier(Random& random) {
  std::vector<double> x(4097);
  for (double& value : x) value = random.Gaussian();
  x[random.Below(x.size())] = 1e6 * (1 + random.Unit());
  Case c = RowCase(x, random);
  c.beta = std::vector<Bits>(x.size());
  const reference::CaseValues values(c, c.epsilon, reference::Subnormals::kKept);
  const reference::ExactRow row(c.op, values.Row(0), c.epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = static_cast<double>(row.Element(i, values.gamma(i), 0).Error(reference::Dyadic(0.0)));
    (*c.beta)[i] = reference::BitsOf(x[i] > 1e5 ? -std::fabs(t) : 0, norm::Format::kF32);
  }
  return c;
}

std::uint64_t BrokenBy(Case (*make)(Random& random), const norm::BoundScales& scales) {
  Random random(Seed{10});
  std::uint64_t broken = 0;
  norm::Kernel kernel = KernelWithBounds(Op::kLayerNorm, scales);
  kernel.statistics = false;
  for (int round = 0; round < 250; ++round) broken += Judge(kernel, make(random), Options()).tally.broken;
  return broken;
}

// Where one part of E is nearly all of it, that part alone is needed.
TEST(ErrorBound, OfGammaAndOfBetaAreNeededEach) {
  EXPECT_EQ(BrokenBy(&ElementsAtTheMean, {}), 0u);
  EXPECT_GT(BrokenBy(&ElementsAtTheMean, {.of_gamma = 0}), 10u);
  EXPECT_EQ(BrokenBy(&CancelledOutlier, {}), 0u);
  EXPECT_GT(BrokenBy(&CancelledOutlier, {.of_beta = 0}), 0u);
}

// Statistics that are wrong with their bounds at `scales`, over rows of width 2^k, whose sums need no more than one rounding.
std::uint64_t BrokenStatistics(const norm::BoundScales& scales) {
  Random random(Seed{12});
  std::uint64_t broken = 0;
  for (int round = 0; round < 400; ++round) {
    const Case c = MakeFamilyCase(*FindFamily(round % 2 == 0 ? "exponent-ladder" : "cancelling-outliers"), {Op::kLayerNorm, {}, 4, 2 + random.Below(60), 1e-5}, random);
    const reference::Verdict verdict = Judge(KernelWithBounds(Op::kLayerNorm, scales), c, Options());
    broken += verdict.statistics ? verdict.statistics->broken : 0;
  }
  return broken;
}

TEST(ErrorBound, OfTheMeanIsNeeded) {
  EXPECT_EQ(BrokenStatistics({}), 0u);
  EXPECT_GT(BrokenStatistics({.mean = 0}), 0u);
}

// RMSNorm of four 24-bit integers with epsilon 2^50 - mean square: xhat = x/2^25, and 3*x of 25 bits is a tie. Epsilon one step away
// puts y within 2^-54 of it, where E has no part but that of y. inv_std_dev the same: epsilon next to 1/m^2 - mean square.
std::uint64_t BrokenNextToTies(const norm::BoundScales& scales) {
  Random random(Seed{13});
  std::uint64_t broken = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<double> x(4);
    double squares = 0;
    for (double& value : x) {
      value = 5592406 + 1 + 2 * static_cast<double>(random.Below(2796202));  // odd, 2^24/3 to 2^25/3
      squares += value * value / 4;
    }
    const double tie = std::nextafter(0x1p50 - squares, random.OneIn(2) ? 0 : 0x1p60);
    broken += Judge(KernelWithBounds(Op::kRmsNorm, scales), CaseWith(Op::kRmsNorm, {}, tie, x, std::vector<double>(4, 3), {}), Options()).tally.broken;
    const double midpoint = 1 + (2 * static_cast<double>(random.Below(1 << 23)) + 1) * 0x1p-24;
    const Case c = CaseWith(Op::kRmsNorm, {}, 1 / (midpoint * midpoint) - 0x1p-40, {0x1p-20, 0x1p-20, -0x1p-20, 0x1p-20}, {}, {});
    const reference::Verdict verdict = Judge(KernelWithBounds(Op::kRmsNorm, scales), c, Options());
    broken += verdict.statistics ? verdict.statistics->broken : 0;
  }
  return broken;
}

TEST(ErrorBound, OfYAndOfInvStdDevAreNeededNextToTies) {
  EXPECT_EQ(BrokenNextToTies({}), 0u);
  EXPECT_GT(BrokenNextToTies({.of_y = 0}), 0u);
  EXPECT_GT(BrokenNextToTies({.inv_std_dev = 0}), 0u);
}

}  // namespace
}  // namespace normcheck::properties
