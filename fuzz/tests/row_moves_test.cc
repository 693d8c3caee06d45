// Moves keep cases valid and really move; formats change without losing what a number is.
#include "fuzz/row_moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fuzz/target_case.h"
#include "norm/kernel.h"
#include "properties/random.h"
#include "reference/case_bytes.h"

namespace normcheck::fuzz {
namespace {

using properties::Random;
using reference::Bits;
using reference::Case;

bool Fits(const std::vector<Bits>& values, norm::Format format) {
  return format == norm::Format::kF32 || std::ranges::all_of(values, [](Bits bits) { return bits <= 0xffff; });
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
      Case c = FreshCase(i % 2 ? norm::Op::kLayerNorm : norm::Op::kRmsNorm, 20, random);
      const Case before = c;
      move.apply(c, random);
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
        Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, rows, width, 0);
        if (i % 2) c.gamma.emplace(width);
        move.apply(c, random);
        ASSERT_TRUE(Valid(c)) << move.name;
      }
}

TEST(Moves, SurviveTheByteForm) {
  Random random({11});
  for (int i = 0; i < 2000; ++i) {
    Case c = FreshCase(norm::Op::kLayerNorm, 40, random);
    MutateCase(c, random);
    ASSERT_EQ(reference::DecodeCase(reference::EncodeCase(c)), c);
  }
}

TEST(WithFormats, KeepsSignAndExponent) {
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, 1, 2, 0);
  c.x = {0x3f800000, 0xc1200000};  // 1, -10
  const Case half = WithFormats(c, {norm::Format::kBf16, norm::Format::kF32, norm::Format::kF32});
  EXPECT_EQ(half.x, (std::vector<Bits>{0x3f80, 0xc120}));
  EXPECT_EQ(WithFormats(half, c.formats), c);
}

TEST(TargetCase, ForcesOpAndAFormatOfTheKernel) {
  norm::Kernel kernel;
  kernel.ops = {norm::Op::kRmsNorm};
  kernel.formats = {{norm::Format::kF16, norm::Format::kF16, norm::Format::kF16}};
  const auto bytes = reference::EncodeCase(reference::MakeCase(norm::Op::kLayerNorm, {}, 2, 3, 1));
  const Case c = TargetCase(kernel, norm::Op::kRmsNorm, bytes);
  EXPECT_EQ(c.op, norm::Op::kRmsNorm);
  EXPECT_EQ(c.formats, kernel.formats.front());
  EXPECT_EQ(c.width, 3u);
  EXPECT_TRUE(Valid(c));
}

}  // namespace
}  // namespace normcheck::fuzz
