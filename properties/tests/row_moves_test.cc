// Moves keep cases valid and really move; formats change without losing what a number is.
#include "properties/row_moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "norm/kernel.h"
#include "properties/case_gen.h"
#include "properties/random.h"
#include "reference/case_bytes.h"

namespace normcheck::properties {
namespace {

const auto kFormats = norm::ProductionFormats();
const MoveLimits kLimits = {kFormats, 8192};

Case AnyCase(Op op, std::size_t max_width, Random& random) { return MakeAnyCase(random, {&op, 1}, kFormats, max_width); }

bool Fits(const std::vector<Bits>& values, Format format) {
  return format == Format::kF32 || std::ranges::all_of(values, [](Bits bits) { return bits <= 0xffff; });
}

// What case.h promises of every case.
testing::AssertionResult Valid(const Case& c) {
  if (c.x.size() != c.rows * c.width) return testing::AssertionFailure() << "x has " << c.x.size() << " elements";
  if (c.gamma && c.gamma->size() != c.width) return testing::AssertionFailure() << "gamma has " << c.gamma->size();
  if (c.beta && c.beta->size() != c.width) return testing::AssertionFailure() << "beta has " << c.beta->size();
  if (c.x_pitch < c.width || c.y_pitch < c.width) return testing::AssertionFailure() << "pitch below width";
  if (!std::isfinite(c.epsilon) || std::signbit(c.epsilon)) return testing::AssertionFailure() << "epsilon " << c.epsilon;
  if (!Fits(c.x, c.formats.x) || (c.gamma && !Fits(*c.gamma, c.formats.params)) || (c.beta && !Fits(*c.beta, c.formats.params)))
    return testing::AssertionFailure() << "bits beyond their format";
  return testing::AssertionSuccess();
}

TEST(Moves, KeepEveryCaseValidAndChangeSome) {
  for (const Move& move : Moves()) {
    Random random({7});
    int changed = 0;
    for (int i = 0; i < 300; ++i) {
      Case c = AnyCase(i % 2 ? Op::kLayerNorm : Op::kRmsNorm, 20, random);
      const Case before = c;
      move.apply(c, kLimits, random);
      ASSERT_TRUE(Valid(c)) << move.name;
      changed += c == before ? 0 : 1;
    }
    EXPECT_GT(changed, 60) << move.name;
  }
}

TEST(Moves, StandEmptyCases) {
  Random random({3});
  for (const auto& [rows, width] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 5}, {4, 0}})
    for (const Move& move : Moves())
      for (int i = 0; i < 50; ++i) {
        Case c = reference::MakeCase(Op::kLayerNorm, {}, rows, width, 0);
        if (i % 2) c.gamma.emplace(width);
        move.apply(c, kLimits, random);
        ASSERT_TRUE(Valid(c)) << move.name;
      }
}

// The widest row and the most rows of 3000 moved cases of 1 to max_elements elements.
std::pair<std::size_t, std::size_t> Reach(std::size_t max_elements) {
  const Formats only{Format::kF16, Format::kF32, Format::kF16};
  const MoveLimits limits = {{&only, 1}, max_elements, 1};
  Random random({5});
  std::size_t widest = 0, most_rows = 0;
  for (int i = 0; i < 3000; ++i) {
    Case c = MakeAnyCase(random, norm::kOps, {&only, 1}, 10);
    MutateCase(c, limits, random);
    EXPECT_TRUE(Valid(c) && c.formats == only && c.rows >= 1 && c.width >= 1 && c.x.size() <= max_elements) << c.rows << 'x' << c.width;
    widest = std::max(widest, c.width);
    most_rows = std::max(most_rows, c.rows);
  }
  return {widest, most_rows};
}

TEST(Moves, StayWithinTheLimitsAndReachThem) {
  const auto [widest, most_rows] = Reach(40);
  EXPECT_EQ(widest, 40u);
  EXPECT_GE(most_rows, 8u);
}

TEST(Moves, ReachBatchesWhereTheLimitsAllowThem) { EXPECT_GE(Reach(1000).second, 256u); }

TEST(DrawnCases, AreFamilyCasesOfWhichAQuarterIsMoved) {
  const CaseSource source = {{Op::kRmsNorm}, {kFormats[1]}, 257};
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random({seed}), same({seed});
    const Case c = DrawCase(source, random);
    ASSERT_TRUE(Valid(c) && c.op == Op::kRmsNorm && c.formats == kFormats[1] && c.rows > 0 && c.width > 0 && c.width <= 257);
    moved += c != MakeAnyCase(same, source.ops, source.formats, source.max_width);
  }
  EXPECT_TRUE(moved > 400 && moved < 560) << moved;
}

// The classes of what the laws really get, moves included: every H mod 16, pitch, and every kind of number.
TEST(DrawnCases, BringEveryClassUp) {
  const CaseSource source = {{Op::kLayerNorm, Op::kRmsNorm}, kFormats, 512};
  std::map<std::string, int> counts;
  Random random({9});
  for (int i = 0; i < 6800; ++i) {  // 34 laws of 200 cases
    const Case c = DrawCase(source, random);
    const CaseClasses k = ClassesOf(c);
    ++counts["width mod 16 = " + std::to_string(c.width % 16)];
    counts["x pitched"] += c.x_pitch > c.width;
    counts["y pitched"] += c.y_pitch > c.width;
    const std::pair<const char*, bool> all[] = {
        {"constant", k.constant}, {"subnormal", k.subnormal}, {"negative zero", k.negative_zero}, {"near overflow", k.near_overflow},
        {"nan", k.nan}, {"infinite", k.infinite}, {"var below eps", k.var_below_eps}, {"var near eps", k.var_near_eps},
        {"var above eps", k.var_above_eps}, {"width one", k.width_one}};
    for (const auto& [name, holds] : all) counts[name] += holds;
  }
  EXPECT_EQ(counts.size(), 16u + 2 + 10);
  for (const auto& [name, count] : counts) EXPECT_GE(count, 5) << name;
}

TEST(Moves, SurviveTheByteForm) {
  Random random({11});
  for (int i = 0; i < 2000; ++i) {
    Case c = AnyCase(Op::kLayerNorm, 40, random);
    MutateCase(c, kLimits, random);
    ASSERT_EQ(reference::DecodeCase(reference::EncodeCase(c)), c);
  }
}

TEST(WithFormats, KeepsSignAndExponent) {
  Case c = reference::MakeCase(Op::kLayerNorm, {}, 1, 2, 0);
  c.x = {0x3f800000, 0xc1200000};  // 1, -10
  const Case half = WithFormats(c, {Format::kBf16, Format::kF32, Format::kF32});
  EXPECT_EQ(half.x, (std::vector<Bits>{0x3f80, 0xc120}));
  EXPECT_EQ(WithFormats(half, c.formats), c);
}

}  // namespace
}  // namespace normcheck::properties
