// The shrinker: it ends, never goes up, and finds small rows behind conditions that hold wide ones.
#include "properties/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/families.h"
#include "properties/measure.h"
#include "properties/shrink_size.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::ValueOf;

constexpr Formats kF32{};

Case Wide(std::string_view family, std::size_t rows, std::size_t width) {
  Random random(Seed{7});
  return MakeFamilyCase(*FindFamily(family), {Op::kLayerNorm, kF32, rows, width, 1e-3}, random);
}

bool Consistent(const Case& c) {
  return c.x.size() == c.rows * c.width && c.x_pitch >= c.width && c.y_pitch >= c.width && (!c.gamma || c.gamma->size() == c.width) &&
         (!c.beta || c.beta->size() == c.width);
}

TEST(Simpler, EveryNeighbourIsConsistentSimplerAndOfTheSameFormats) {
  for (const Family& family : Families()) {
    const Case c = Wide(family.id, 3, 17);
    const auto simpler = Simpler(c);
    EXPECT_FALSE(simpler.empty());
    for (const Case& candidate : simpler) {
      ASSERT_TRUE(Consistent(candidate)) << family.id;
      ASSERT_TRUE(IsSimpler(candidate, c)) << family.id;
      ASSERT_FALSE(IsSimpler(c, candidate)) << family.id;
      ASSERT_TRUE(candidate.formats == c.formats && candidate.op == c.op && candidate.rows > 0 && candidate.width > 0);
    }
  }
}

TEST(Simpler, IsBoundedForWideRows) {
  EXPECT_LE(Simpler(Wide("gaussian", 4, 4096)).size(), 1000u);
  EXPECT_LE(Simpler(Wide("gaussian", 1, 64)).size(), 5000u);
}

TEST(Simpler, OfTheSimplestCaseIsEmpty) {
  EXPECT_TRUE(Simpler(reference::MakeCase(Op::kLayerNorm, kF32, 1, 1, 0)).empty());
  EXPECT_TRUE(Simpler(reference::MakeCase(Op::kLayerNorm, kF32, 0, 0, 0)).empty());
}

TEST(Shrink, WhatAlwaysFailsEndsAtOneZero) {
  for (const Family& family : Families()) {
    const Case shrunk = Shrink(Wide(family.id, 4, 66), [](const Case&) { return true; }, 10000);
    EXPECT_EQ(shrunk.x, std::vector<Bits>{0}) << family.id;
    EXPECT_TRUE(!shrunk.gamma && !shrunk.beta && shrunk.epsilon == 0 && shrunk.x_pitch == 1 && shrunk.y_pitch == 1) << family.id;
  }
}

// STACK.md 5: the condition on which removing aligned chunks alone stayed at 29 elements.
TEST(Shrink, FindsThirteenElementsBehindAWidthModulo16) {
  Case c = Wide("outlier", 1, 77);
  c.x[5] = reference::BitsOf(12345.678, Format::kF32);
  const auto fails = [](const Case& v) {
    return v.width % 16 == 13 && std::ranges::any_of(v.x, [](Bits b) { return ValueOf(b, Format::kF32) > 100; });
  };
  const Case shrunk = Shrink(c, fails, 10000);
  EXPECT_EQ(shrunk.width, 13u);
  EXPECT_TRUE(fails(shrunk));
  EXPECT_EQ(std::ranges::count(shrunk.x, Bits{0}), 12);
}

// From 61 elements no single chunk leads to 12 or fewer, and nothing between fails.
TEST(Shrink, ARandomRestartLeavesALocalMinimum) {
  const auto fails = [](const Case& v) { return v.width == 61 || v.width <= 12; };
  const Case wide = Wide("gaussian", 1, 61);
  const Case shrunk = Shrink(wide, fails, 10000);
  EXPECT_EQ(shrunk.width, 1u);
  EXPECT_TRUE(Shrink(wide, fails, 10000) == shrunk);
}

TEST(Shrink, KeepsWhatTheFailureNeeds) {
  Case c = Wide("specials", 3, 33);
  c.gamma.reset();
  c.x[40] = reference::CanonicalNan(Format::kF32);
  const auto has_nan = [](const Case& v) { return std::ranges::any_of(v.x, [](Bits b) { return reference::IsNan(b, Format::kF32); }); };
  const Case shrunk = Shrink(c, has_nan, 10000);
  EXPECT_EQ(shrunk.x, std::vector<Bits>{reference::CanonicalNan(Format::kF32)});
}

// CASES.md T21: shrinkers of floats that never end, on just this predicate and value.
TEST(Shrink, EndsOnPositiveNumbersFromMinus2147483600) {
  Case c = reference::MakeCase(Op::kLayerNorm, kF32, 1, 1, 0);
  c.x[0] = reference::BitsOf(-2147483600.0, Format::kF32);
  const Case shrunk = Shrink(c, [](const Case& v) { return ValueOf(v.x[0], Format::kF32) != 0; }, 1 << 30);
  EXPECT_EQ(ValueOf(shrunk.x[0], Format::kF32), 1.0);
}

TEST(Shrink, StopsAfterTheStepsAllowed) {
  int evaluations = 0;
  Shrink(Wide("gaussian", 1, 64), [&](const Case&) { ++evaluations; return false; }, 10);
  EXPECT_EQ(evaluations, 10);
}

TEST(Rank, GoesFromZeroOverIntegersAndPowersToTheRest) {
  const auto rank = [](double value) { return RankOf(reference::BitsOf(value, Format::kF32), Format::kF32); };
  const double kAscending[] = {0, -0.0, 1, -1, 2, 16, 32, 0x1p-60, 33, 1e6, 0.75, 0.1, HUGE_VAL, -HUGE_VAL, NAN};
  for (std::size_t i = 1; i < std::size(kAscending); ++i) EXPECT_LT(rank(kAscending[i - 1]), rank(kAscending[i])) << kAscending[i];
}

// A million elements in about 100 evaluations, each a call of that size or less.
TEST(ShrinkSize, FindsTheCornerOfALargeCase) {
  const Case c = reference::MakeCase(Op::kLayerNorm, kF32, 1000, 1000, 1e-5);
  int evaluations = 0;
  const auto fails = [&](const Case& candidate) {
    ++evaluations;
    EXPECT_TRUE(Consistent(candidate));
    return candidate.rows >= 130 && candidate.width >= 67;
  };
  const Case shrunk = ShrinkSize(c, fails, 3000);
  EXPECT_TRUE(shrunk.rows == 130 && shrunk.width == 67) << shrunk.rows << " x " << shrunk.width;
  EXPECT_LE(evaluations, 150);
}

TEST(ShrinkSize, KeepsTheRowAndTheColumnThatFail) {
  Case c = reference::MakeCase(Op::kLayerNorm, kF32, 300, 200, 1e-5);
  c.x[123 * 200 + 45] = reference::BitsOf(3, Format::kF32);
  const auto fails = [](const Case& candidate) { return std::ranges::count(candidate.x, reference::BitsOf(3, Format::kF32)) > 0; };
  const Case shrunk = ShrinkSize(c, fails, 3000);
  EXPECT_TRUE(shrunk.x.size() == 1 && fails(shrunk)) << shrunk.rows << " x " << shrunk.width;
}

TEST(ShrinkSize, StopsAtItsLastStep) {
  int evaluations = 0;
  ShrinkSize(reference::MakeCase(Op::kLayerNorm, kF32, 100, 100, 0), [&](const Case&) { return ++evaluations > 0; }, 7);
  EXPECT_LE(evaluations, 7);
}

}  // namespace
}  // namespace normcheck::properties
