// The production kernels against the judge: every output the exact value rounded once, on every target, hard rows first.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <string>

#include "norm/layer_norm.h"
#include "norm/row_engine.h"
#include "properties/families.h"
#include "properties/parameters.h"
#include "reference/case_json.h"
#include "reference/case_values.h"
#include "reference/exact_row.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

constexpr double kHardEpsilons[] = {0, 5e-324, 1e-300, 1e-30, 1e-12, 1e-5, 1, 4, 1e30, 1e300, DBL_MAX};

norm::Kernel KernelOf(Op op, std::function<norm::CallResult(const norm::KernelCall&)> run) {
  norm::Kernel kernel = norm::ProductionKernels()[op == Op::kLayerNorm ? 0 : 1];
  kernel.run = std::move(run);
  return kernel;
}

norm::Kernel KernelOn(std::string_view target, Op op) {
  return KernelOf(op, [target](const norm::KernelCall& call) { return norm::NormalizeOn(target, call); });
}

reference::JudgeOptions Options(bool exact_only = false) {
  reference::JudgeOptions options;
  options.diagnose = false;
  options.exact_only = exact_only;
  return options;
}

// Judges a case on one of the targets in turn and counts.
class Sweep {
 public:
  explicit Sweep(bool exact_only = false) : options_(Options(exact_only)) {}

  void Judge(const Case& c) {
    const std::vector<std::string_view> targets = norm::Targets();
    const std::string_view target = targets[cases_++ % targets.size()];
    const reference::Verdict verdict = reference::Judge(KernelOn(target, c.op), c, options_);
    EXPECT_TRUE(verdict.kept && !verdict.not_supported) << target << ": " << verdict.tally.broken << " of " << verdict.tally.judged << " " << verdict.fault
                                                        << "\n" << (c.x.size() <= 64 ? reference::CaseText(c) : std::to_string(c.width));
    tally_.Merge(verdict.tally);
  }
  const reference::Tally& tally() const { return tally_; }

 private:
  reference::JudgeOptions options_;
  std::size_t cases_ = 0;
  reference::Tally tally_;
};

Case FamilyCase(const Family& family, Op op, const Formats& formats, Random& random) {
  const std::size_t width = random.OneIn(7) ? 1025 + random.Below(3000) : Widths()[random.Below(Widths().size())];
  const double epsilon = random.OneIn(2) ? Epsilons()[random.Below(6)] : kHardEpsilons[random.Below(std::size(kHardEpsilons))];
  Case c = MakeFamilyCase(family, {op, formats, 1 + random.Below(4), width, epsilon}, random);
  if (random.OneIn(8) && c.gamma) CancelBeta(c);
  return c;
}

// All families until `outputs` are judged.
reference::Tally SweepFamilies(Op op, const Formats& formats, std::uint64_t outputs, bool exact_only) {
  Random random(Seed{outputs + static_cast<std::uint64_t>(formats.y)});
  Sweep sweep(exact_only);
  while (sweep.tally().judged < outputs && !testing::Test::HasFailure())
    for (const Family& family : Families()) sweep.Judge(FamilyCase(family, op, formats, random));
  return sweep.tally();
}

// Outputs of a test per op and format triple: NORMCHECK_CR_OUTPUTS where it is set.
std::uint64_t OutputsPerTriple(std::uint64_t otherwise) {
  const char* wanted = std::getenv("NORMCHECK_CR_OUTPUTS");
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

class CorrectRounding : public testing::TestWithParam<std::tuple<Op, Formats>> {};

// f32 has one triple of formats, the others four each: 10^7 outputs per op and format of x.
TEST_P(CorrectRounding, EveryFamilyEpsilonAndTarget) {
  const auto& [op, formats] = GetParam();
  const std::uint64_t outputs = OutputsPerTriple(formats.x == Format::kF32 ? 10000000 : 2500000);
  const reference::Tally tally = SweepFamilies(op, formats, outputs, false);
  EXPECT_EQ(tally.broken, 0u);
  EXPECT_GT(tally.scored, outputs / 2);
  RecordProperty("outputs", std::to_string(tally.judged));
}

TEST_P(CorrectRounding, AgainstTheIntegersAlone) {
  const auto& [op, formats] = GetParam();
  const reference::Tally tally = SweepFamilies(op, formats, 100000 / (formats.x == Format::kF32 ? 1 : 4), true);
  EXPECT_EQ(tally.broken, 0u);
  EXPECT_EQ(tally.levels[0] + tally.levels[1], 0u);
}

std::string NameOfTriple(const testing::TestParamInfo<std::tuple<Op, Formats>>& info) {
  const auto& [op, formats] = info.param;
  const auto name = [](Format format) { return std::string(norm::TraitsOf(format).name); };
  return std::string(norm::NameOf(op)) + "_" + name(formats.x) + "_" + name(formats.params) + "_" + name(formats.y);
}

INSTANTIATE_TEST_SUITE_P(Triples, CorrectRounding,
                         testing::Combine(testing::ValuesIn(norm::kOps), testing::ValuesIn(norm::ProductionFormats())), NameOfTriple);

Case CaseWith(Op op, const Formats& formats, double epsilon, const std::vector<double>& x, const std::vector<double>& gamma,
              const std::vector<double>& beta) {
  Case c = reference::MakeCase(op, formats, 1, x.size(), epsilon);
  const auto bits = [](Format format, const std::vector<double>& values) {
    std::vector<Bits> all;
    for (double value : values) all.push_back(reference::BitsOf(value, format));
    return all;
  };
  c.x = bits(formats.x, x);
  if (!gamma.empty()) c.gamma = bits(formats.params, gamma);
  if (!beta.empty()) c.beta = bits(formats.params, beta);
  return c;
}

// H = 4^k + 1, epsilon 0: xhat = (2^k, -2^-k, ...), so that beta makes exact zeros and, in 16 bits, ties at will.
TEST(CorrectRoundingOf, OneHotRowsOfSquareWidths) {
  Sweep sweep;
  Random random(Seed{3});
  for (const Formats& formats : norm::ProductionFormats())
    for (int k = 0; k <= 7; ++k)
      for (const double epsilon : {0.0, 5e-324, 1e-5}) {
        const std::size_t width = (std::size_t{1} << (2 * k)) + 1;
        std::vector<double> x(width, 0), gamma(width), beta(width);
        x[random.Below(width)] = random.OneIn(2) ? 1 : 0x1p15;
        for (std::size_t i = 0; i < width; ++i) {
          gamma[i] = std::ldexp(1 + static_cast<double>(random.Below(8)) / 8, static_cast<int>(random.Below(8)) - 4);
          const double half = std::ldexp(1.0, k - norm::TraitsOf(formats.y).precision);
          beta[i] = random.OneIn(2) ? std::ldexp(gamma[i], -k) : 1 + half * static_cast<double>(random.Below(4)) + std::ldexp(gamma[i], -k);
        }
        sweep.Judge(CaseWith(Op::kLayerNorm, formats, epsilon, x, gamma, beta));
      }
  EXPECT_GT(sweep.tally().levels[2], 1000u);
}

// (2,4,6,8), epsilon 4: xhat = (-1, -1/3, 1/3, 1); RMSNorm of (1,1,1,1), epsilon 3: 1/2.
TEST(CorrectRoundingOf, RationalRootsGiveTies) {
  Sweep sweep;
  Random random(Seed{4});
  for (const Formats& formats : norm::ProductionFormats())
    for (int draw = 0; draw < 500; ++draw) {
      std::vector<double> gamma(4), beta(4);
      for (std::size_t i = 0; i < 4; ++i) {
        gamma[i] = 3 * std::ldexp(1.0, -static_cast<int>(random.Below(30)));
        beta[i] = std::ldexp(static_cast<double>(random.Below(4096)), -static_cast<int>(random.Below(24)));
      }
      sweep.Judge(CaseWith(Op::kLayerNorm, formats, 4, {2, 4, 6, 8}, gamma, beta));
      sweep.Judge(CaseWith(Op::kRmsNorm, formats, 3, {1, 1, 1, 1}, gamma, beta));
    }
}

// EXACT.md 2.3: rows that no fixed precision holds, and gammas that lift what it loses.
TEST(CorrectRoundingOf, SpreadRows) {
  Sweep sweep;
  for (const double epsilon : kHardEpsilons)
    for (const auto& [large, small, gamma] : {std::tuple{0x1p100, 0x1p-20, 1.0}, std::tuple{0x1p127, 0x1p-100, 0x1p126}, std::tuple{0x1p120, 0x1p-149, 0x1p127}})
      for (const Op op : norm::kOps)
        sweep.Judge(CaseWith(op, {}, epsilon, {large, small, -large, 3 * small, 0, -2 * small}, std::vector<double>(6, gamma), {}));
}

// What a fuzzer found while the contract was row-ulp:0.501: f16 rows, f32 parameters near -1.4e26 that cancel.
TEST(CorrectRoundingOf, LargeParametersThatCancel) {
  Sweep sweep;
  Random random(Seed{5});
  for (const Formats& formats : norm::ProductionFormats())
    for (const double scale : {-0x1.d5d5d4p+86, 0x1p30, 0x1p-60, 0x1.fffffep127})
      for (const Op op : norm::kOps) {
        std::vector<double> x(37, -0x1.ba8p11), gamma(37, scale), beta(37, scale);
        x[0] = -0x1.dd4p-1, x[1] = -0x1.adp-10, beta[4] = scale * 0x1p-62;
        sweep.Judge(CaseWith(op, formats, 0x1.19799812dea11p-40, x, gamma, beta));
        for (double& value : beta) value *= 1 + random.Unit() * 0x1p-20;
        sweep.Judge(CaseWith(op, formats, 1e-5, x, gamma, beta));
      }
}

// In place, wide rows lose x chunk by chunk; what is undecided must still see all of it.
TEST(CorrectRoundingOf, WideRowsInPlace) {
  Random random(Seed{6});
  for (const std::string_view id : {"gaussian", "one-hot", "beta-cancels", "sparse", "offset-1e6"})
    for (const std::size_t width : {1023u, 1024u, 1025u, 4097u, 20000u}) {
      const Case c = MakeFamilyCase(*FindFamily(id), {Op::kLayerNorm, {}, 2, width, 1e-5}, random);
      for (const std::string_view target : norm::Targets()) {
        reference::RunOptions run;
        run.in_place = c.x_pitch == c.y_pitch;
        const reference::Outputs outputs = RunKernel(KernelOn(target, c.op), c, run);
        const reference::Verdict verdict = JudgeOutputs(c, outputs, {.kind = norm::ContractKind::kCorrectlyRounded}, norm::EpsilonFormat::kF64, Options());
        EXPECT_TRUE(verdict.kept) << id << " " << width << " " << target << " " << verdict.fault;
      }
    }
}

TEST(CorrectRoundingOf, VeryWideRows) {
  Random random(Seed{7});
  Sweep sweep;
  for (const std::string_view id : {"gaussian", "near-constant", "one-hot", "exponent-ladder"})
    for (const std::size_t width : {(std::size_t{1} << 20) + 1, std::size_t{300000}})
      sweep.Judge(MakeFamilyCase(*FindFamily(id), {random.OneIn(2) ? Op::kLayerNorm : Op::kRmsNorm, {}, 1, width, 1e-12}, random));
}

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
        const double share = WorstShare(engine, FamilyCase(family, norm::kOps[random.Below(2)], formats[random.Below(formats.size())], random));
        worst = share > worst ? share : worst;
      }
  EXPECT_LT(worst, 1);
  EXPECT_GT(worst, 0.05);
  RecordProperty("worst_share", std::to_string(worst));
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
      const Op op = norm::kOps[round % 2];
      broken += Judge(KernelWithBounds(op, scales), FamilyCase(family, op, {}, random), Options()).tally.broken;
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
  for (int round = 0; round < 250; ++round) broken += Judge(KernelWithBounds(Op::kLayerNorm, scales), make(random), Options()).tally.broken;
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
