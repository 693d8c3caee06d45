// Tests of the plain cases that everything else starts from.
#include "reference/case.h"

#include <gtest/gtest.h>

namespace normcheck::reference {
namespace {

TEST(MakeCase, IsDenseZeroAndWithoutParameters) {
  const Case c = MakeCase(Op::kRmsNorm, {Format::kF16, Format::kF32, Format::kBf16}, 2, 3, 0.5);
  EXPECT_EQ(c.op, Op::kRmsNorm);
  EXPECT_EQ(c.x, std::vector<Bits>(6, 0));
  EXPECT_EQ(c.x_pitch, 3u);
  EXPECT_EQ(c.y_pitch, 3u);
  EXPECT_EQ(c.epsilon, 0.5);
  EXPECT_FALSE(c.gamma || c.beta);
  EXPECT_TRUE(c.expected.empty());
}

TEST(MakeCase, WidthZeroHoldsNoElements) { EXPECT_TRUE(MakeCase(Op::kLayerNorm, {}, 5, 0, 1).x.empty()); }

}  // namespace
}  // namespace normcheck::reference
