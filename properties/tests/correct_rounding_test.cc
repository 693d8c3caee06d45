// The production kernels against the judge: every output the exact value rounded once, on every target, hard rows first.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "norm/layer_norm.h"
#include "norm/row_engine.h"
#include "properties/families.h"
#include "properties/parameters.h"
#include "properties/tests/hard_cases.h"
#include "reference/case_json.h"
#include "reference/case_values.h"
#include "reference/exact_row.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// Judges a case on one of the targets in turn, with statistics and without in turn (they have paths of their own), and counts.
class Sweep {
 public:
  explicit Sweep(bool exact_only = false) : options_(Options(exact_only)) {}

  void Judge(const Case& c) {
    const std::vector<std::string_view> targets = norm::Targets();
    const std::string_view target = targets[cases_ % targets.size()];
    norm::Kernel kernel = KernelOn(target, c.op);
    kernel.statistics = cases_++ / targets.size() % 2 == 0;
    const reference::Verdict verdict = reference::Judge(kernel, c, options_);
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
                         testing::Combine(testing::ValuesIn(norm::kProductionOps), testing::ValuesIn(norm::ProductionFormats())), NameOfTriple);

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
      for (const Op op : norm::kProductionOps)
        sweep.Judge(CaseWith(op, {}, epsilon, {large, small, -large, 3 * small, 0, -2 * small}, std::vector<double>(6, gamma), {}));
}

// What a fuzzer found while the contract was row-ulp:0.501: f16 rows, f32 parameters near -1.4e26 that cancel.
TEST(CorrectRoundingOf, LargeParametersThatCancel) {
  Sweep sweep;
  Random random(Seed{5});
  for (const Formats& formats : norm::ProductionFormats())
    for (const double scale : {-0x1.d5d5d4p+86, 0x1p30, 0x1p-60, 0x1.fffffep127})
      for (const Op op : norm::kProductionOps) {
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

}  // namespace
}  // namespace normcheck::properties
