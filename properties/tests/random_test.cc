// The random source: known values, bounds, and independence of streams.
#include "properties/random.h"

#include <gtest/gtest.h>

namespace normcheck::properties {
namespace {

// First outputs of splitmix64 for seed 1234567, as published with xoshiro (prng.di.unimi.it) and on Rosetta Code.
TEST(Random, IsSplitmix64) {
  Random random(Seed{1234567});
  for (std::uint64_t want : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(random.Next(), want);
}

TEST(Random, BelowReachesEveryResultAndNoOther) {
  Random random(Seed{1});
  int counts[7] = {};
  for (int i = 0; i < 7000; ++i) ++counts[random.Below(7)];
  for (int count : counts) EXPECT_NEAR(count, 1000, 5 * 30);  // five standard deviations
  EXPECT_EQ(random.Below(1), 0u);
}

TEST(Random, BetweenIncludesBothEnds) {
  Random random(Seed{2});
  bool low = false, high = false;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t draw = random.Between(-3, 3);
    ASSERT_TRUE(draw >= -3 && draw <= 3);
    low |= draw == -3;
    high |= draw == 3;
  }
  EXPECT_TRUE(low && high);
  EXPECT_EQ(random.Between(INT64_MIN, INT64_MIN), INT64_MIN);
  random.Between(INT64_MIN, INT64_MAX);
}

TEST(Random, UnitStaysBelowOneAndGaussianHasItsMoments) {
  Random random(Seed{3});
  double sum = 0, squares = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double unit = random.Unit();
    ASSERT_TRUE(unit >= 0 && unit < 1);
    const double gaussian = random.Gaussian();
    sum += gaussian;
    squares += gaussian * gaussian;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 / 141.4);
  EXPECT_NEAR(squares / kDraws, 1, 5 * 1.42 / 141.4);
}

TEST(Random, ForksDifferFromEachOtherAndLeaveTheirSourceAlone) {
  Random source(Seed{4});
  Random untouched(Seed{4});
  Random a = source.Fork(1), b = source.Fork(2), again = source.Fork(1);
  const std::uint64_t first = a.Next();
  EXPECT_NE(first, b.Next());
  EXPECT_EQ(first, again.Next());
  EXPECT_EQ(source.Next(), untouched.Next());
}

}  // namespace
}  // namespace normcheck::properties
