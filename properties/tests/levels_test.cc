// The judge's levels against each other: double filter, double-double and exact integers on every family and format.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "properties/families.h"
#include "properties/honest.h"
#include "reference/case_judge.h"
#include "reference/contract.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::CaseJudge;
using reference::Contract;
using reference::Outputs;
using reference::Tally;
using reference::UlpQ20;
using reference::Verdict;
using reference::levels::LevelOptions;

const LevelOptions kExact{.filter = false, .double_double = false};
const LevelOptions kDoubleDouble{.filter = false};

const norm::Kernel& KernelWith(const std::vector<norm::Kernel>& kernels, norm::Precision precision) {
  for (const norm::Kernel& kernel : kernels) {
    const norm::Profile& profile = kernel.contract.profile;
    if (profile.algorithm == norm::Algorithm::kTwoPass && profile.accumulator == precision && profile.mean == precision) return kernel;
  }
  return kernels.front();
}

// Outputs that are right, nearly right and wrong in every way: a sound kernel's, some of them moved by a few ulps, some replaced.
Outputs SoiledOutputs(const norm::Kernel& kernel, const Case& c, Random& random) {
  Outputs outputs = reference::RunKernel(kernel, c, {});
  const Format y = c.formats.y;
  for (Bits& bits : outputs.y) {
    const std::uint64_t kind = random.Below(64);
    if (kind < 16) bits = (bits + static_cast<Bits>(random.Below(5)) - 2) & (y == Format::kF32 ? 0xffffffff : 0xffff);
    if (kind == 16) bits = reference::CanonicalNan(y);
    if (kind == 17) bits = reference::InfinityBits(y, random.Below(2) == 0);
    if (kind == 18) bits = random.Below(2) == 0 ? 0 : reference::BitsOf(-0.0, y);
    if (kind == 19) bits = reference::PoisonBits(y);
    if (kind == 20) bits = reference::BitsOf(random.Gaussian(), y);
    if (kind == 21 || (kind > 40 && reference::IsInfinite(bits, y))) bits = reference::MaxFinite(y, random.Below(2) == 0);
  }
  return outputs;
}

Contract ContractFor(std::size_t draw, const norm::Kernel& kernel) {
  constexpr const char* kTexts[] = {"correctly-rounded", "ulp:1", "row-ulp:4", "row-ulp:0.75+ftz", "correctly-rounded+ftz", "ulp:3+finite-only",
                                    "correctly-rounded+saturates", "row-ulp:2+saturates"};
  constexpr std::size_t kOwn = std::size(kTexts);
  if (draw % (kOwn + 1) == kOwn) return kernel.contract;
  return reference::ParseContract(kTexts[draw % (kOwn + 1)]).value();
}

Verdict JudgedBy(const LevelOptions& options, const Case& c, const Outputs& outputs, const Contract& contract, bool want) {
  Verdict verdict;
  CaseJudge(c, c.epsilon, contract).Judge(outputs, {want, true}, options, verdict);
  return verdict;
}

// Two figures of the same error: each is rounded down to 2^-20, and the filter's may be 2^-21 ulp or 2^-24 of it off.
void ExpectSameFigure(UlpQ20 fast, UlpQ20 exact, const char* name) {
  const double slack = 1 + 0x1p-22 * static_cast<double>(exact);
  EXPECT_LE(std::abs(static_cast<double>(fast) - static_cast<double>(exact)), slack) << name;
}

void ExpectSameTally(const Tally& fast, const Tally& exact) {
  EXPECT_EQ(fast.judged, exact.judged);
  EXPECT_EQ(fast.correctly_rounded, exact.correctly_rounded);
  EXPECT_EQ(fast.class_faults, exact.class_faults);
  EXPECT_EQ(fast.undefined, exact.undefined);
  EXPECT_EQ(fast.no_promise, exact.no_promise);
  EXPECT_EQ(fast.broken, exact.broken);
  EXPECT_EQ(fast.beyond_element, exact.beyond_element);
  EXPECT_EQ(fast.scored, exact.scored);
  EXPECT_EQ(fast.ulp.total(), exact.ulp.total());
  EXPECT_EQ(fast.row_ulp.total(), exact.row_ulp.total());
  ExpectSameFigure(fast.max_ulp, exact.max_ulp, "max_ulp");
  ExpectSameFigure(fast.max_row_ulp, exact.max_row_ulp, "max_row_ulp");
  ExpectSameFigure(fast.max_bound_ratio, exact.max_bound_ratio, "max_bound_ratio");
  EXPECT_NEAR(fast.MeanRowUlp(), exact.MeanRowUlp(), 0x1p-20 + 0x1p-22 * exact.MeanRowUlp());
  EXPECT_NEAR(fast.BiasUlp(), exact.BiasUlp(), 0x1p-20 + 0x1p-22 * reference::FromQ20(exact.max_ulp));
}

// F5: each output is counted once, whichever reading of a +ftz contract it was judged by.
void ExpectCountedOnce(const Verdict& verdict, const Case& c) {
  const Tally& tally = verdict.tally;
  EXPECT_EQ(tally.judged + tally.undefined + tally.no_promise + tally.not_checked, c.rows * c.width);
  EXPECT_EQ(tally.levels[0] + tally.levels[1] + tally.levels[2], tally.judged);
}

void ExpectSameVerdict(const Verdict& fast, const Verdict& exact) {
  ExpectSameTally(fast.tally, exact.tally);
  EXPECT_EQ(fast.want, exact.want);
  ASSERT_EQ(fast.worst.has_value(), exact.worst.has_value());
  if (fast.worst) {
    EXPECT_EQ(fast.worst->ulp.has_value(), exact.worst->ulp.has_value());
  }
  ASSERT_EQ(fast.statistics.has_value(), exact.statistics.has_value());
  if (!fast.statistics) return;
  EXPECT_EQ(fast.statistics->judged, exact.statistics->judged);
  EXPECT_EQ(fast.statistics->broken, exact.statistics->broken);
}

std::string Described(const Case& c, const Contract& contract, std::string_view family) {
  char text[256];
  std::snprintf(text, sizeof text, "%s %s H=%zu rows=%zu eps=%a y=%s %s", std::string(family).c_str(), norm::NameOf(c.op).data(), c.width,
                c.rows, c.epsilon, norm::TraitsOf(c.formats.y).name.data(), reference::ContractText(contract).c_str());
  return text;
}

struct Shares {
  std::uint64_t judged = 0;
  std::array<std::uint64_t, 3> levels{};
};

// Judges `elements` outputs of every family at every level.
void CompareLevels(std::size_t elements, Seed seed) {
  const std::vector<norm::Kernel> kernels = HonestKernels();
  const std::vector<norm::Formats> formats = norm::AllFormats();
  Random random(seed);
  std::size_t draw = 0;
  for (const Family& family : Families()) {
    Shares shares;
    for (std::size_t done = 0; done < elements;) {
      ++draw;
      const norm::Kernel& kernel = KernelWith(kernels, draw % 3 == 0 ? norm::Precision::kF32 : norm::Precision::kF64);
      const std::size_t width = Widths()[random.Below(Widths().size())];
      const Case c = MakeFamilyCase(family, {norm::kOps[random.Below(std::size(norm::kOps))], formats[random.Below(27)], 1 + random.Below(3), width, Epsilons()[random.Below(6)]}, random);
      const Outputs outputs = SoiledOutputs(kernel, c, random);
      const Contract contract = ContractFor(draw, kernel);
      SCOPED_TRACE(Described(c, contract, family.id));
      const bool want = draw % 5 == 0;
      const Verdict exact = JudgedBy(kExact, c, outputs, contract, want), fast = JudgedBy({}, c, outputs, contract, want);
      ExpectCountedOnce(fast, c);
      ExpectCountedOnce(exact, c);
      ExpectSameVerdict(fast, exact);
      ExpectSameVerdict(JudgedBy(kDoubleDouble, c, outputs, contract, want), exact);
      if (testing::Test::HasFailure()) return;
      done += c.rows * c.width;
      shares.judged += fast.tally.judged;
      for (std::size_t l = 0; l < 3; ++l) shares.levels[l] += fast.tally.levels[l];
    }
    std::printf("%-20s judged %9llu filter %.4f dd %.2e exact %.2e\n", std::string(family.id).c_str(),
                static_cast<unsigned long long>(shares.judged), static_cast<double>(shares.levels[0]) / static_cast<double>(shares.judged),
                static_cast<double>(shares.levels[1]) / static_cast<double>(shares.judged), static_cast<double>(shares.levels[2]) / static_cast<double>(shares.judged));
  }
}

TEST(Levels, AgreeOnEveryFamily) { CompareLevels(50'000, Seed{1}); }

TEST(LevelsLong, AgreeOnTenMillionOutputs) { CompareLevels(600'000, Seed{2}); }

}  // namespace
}  // namespace normcheck::properties
