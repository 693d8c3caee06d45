// Tests of the byte form: exact round trips, total decoding, and lengths that mutate into widths.
#include "reference/case_bytes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/case_json.h"
#include "reference/tests/random_case.h"

namespace normcheck::reference {
namespace {

void ExpectRoundTrip(const Case& c) { EXPECT_EQ(CaseText(DecodeCase(EncodeCase(c))), CaseText(c)); }

TEST(CaseBytes, DecodeInvertsEncodeInAllTriples) {
  std::mt19937_64 random(1);
  for (const Formats& formats : AllTriples())
    for (int i = 0; i < 200; ++i) {
      const Case c = RandomCase(random, formats);
      ASSERT_TRUE(DecodeCase(EncodeCase(c)) == c) << CaseText(c);
    }
}

TEST(CaseBytes, KeepsEmptyAndFarPitchedShapes) {
  Case no_rows = MakeCase(Op::kLayerNorm, {}, 0, (std::size_t{1} << 39) + 3, 1e-5);
  ExpectRoundTrip(no_rows);
  Case no_rows_but_gamma = MakeCase(Op::kRmsNorm, {}, 0, 3, 0);
  no_rows_but_gamma.gamma = std::vector<Bits>{1, 2, 3};
  ExpectRoundTrip(no_rows_but_gamma);
  Case no_width = MakeCase(Op::kLayerNorm, {}, std::size_t{1} << 39, 0, 1);
  no_width.gamma.emplace();
  ExpectRoundTrip(no_width);
  Case far = MakeCase(Op::kLayerNorm, {}, 1, 2, 1);
  far.x_pitch = kCountLimit - 1;
  far.y_pitch = (std::size_t{1} << 31) + 1;
  ExpectRoundTrip(far);
  Case widest = MakeCase(Op::kLayerNorm, {}, 2, 3, 1);
  widest.x_pitch = kMaxPitchedElements - 3;
  ExpectRoundTrip(widest);
}

TEST(CaseBytes, LeavesExpectedAndSourceOut) {
  Case c = MakeCase(Op::kLayerNorm, {}, 1, 1, 1);
  const auto bytes = EncodeCase(c);
  c.expected = {"1"};
  c.source = "somewhere";
  EXPECT_EQ(EncodeCase(c), bytes);
}

// What the decoder gives is a case: its own text is accepted, and says the same.
TEST(CaseBytes, EveryStringDecodesToAValidCase) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    std::vector<std::uint8_t> bytes(random() % 80);
    const bool sparse = random() % 2 == 0;  // with small sizes
    for (std::uint8_t& byte : bytes) byte = sparse && random() % 8 != 0 ? 0 : static_cast<std::uint8_t>(random());
    const Case c = DecodeCase(bytes);
    ASSERT_LE(c.x.size(), bytes.size() + 1);
    const auto again = ParseCase(CaseText(c), "case");
    ASSERT_TRUE(again.ok()) << again.error();
    ASSERT_TRUE(again.value() == c);
    ASSERT_TRUE(DecodeCase(EncodeCase(c)) == c);
  }
}

TEST(CaseBytes, NothingDecodesToOneEmptyRow) {
  const Case c = DecodeCase({});
  EXPECT_EQ(c.rows, 1u);
  EXPECT_EQ(c.width, 0u);
  EXPECT_EQ(c.epsilon, 0);
}

TEST(CaseBytes, LongerAndShorterInputsWidenAndNarrowTheRow) {
  Case c = MakeCase(Op::kLayerNorm, {}, 1, 4, 1);
  c.x = {10, 20, 30, 40};
  auto bytes = EncodeCase(c);
  bytes.resize(bytes.size() - 4);
  EXPECT_EQ(DecodeCase(bytes).x, (std::vector<Bits>{10, 20, 30}));
  bytes.insert(bytes.end(), {50, 0, 0, 0, 60, 0, 0, 0, 99});
  EXPECT_EQ(DecodeCase(bytes).x, (std::vector<Bits>{10, 20, 30, 50, 60}));
}

TEST(CaseBytes, MoreRowsThanBytesAreReducedAtWidthOne) {
  Case c = MakeCase(Op::kLayerNorm, {}, 1, 3, 1);
  c.x = {1, 2, 3};
  auto bytes = EncodeCase(c);
  bytes[10] = bytes[11] = 0xff;
  const Case many = DecodeCase(bytes);
  EXPECT_EQ(many.rows, 3u);
  EXPECT_EQ(many.width, 1u);
  EXPECT_EQ(many.x, c.x);
}

TEST(CaseBytes, EpsilonIsMadeFiniteAndNotNegative) {
  auto bytes = EncodeCase(MakeCase(Op::kLayerNorm, {}, 1, 1, 2));
  bytes[9] = 0xc0;
  EXPECT_EQ(DecodeCase(bytes).epsilon, 2);
  bytes[8] = 0xf0;
  bytes[9] = 0xff;
  EXPECT_EQ(DecodeCase(bytes).epsilon, 1);  // -infinity without its sign and top exponent bit
}

}  // namespace
}  // namespace normcheck::reference
