// A child of two cases is a valid case within the caps, and has something of both.
#include "fuzz/crossover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fuzz/target_case.h"
#include "norm/kernel.h"
#include "properties/families.h"
#include "reference/case_bytes.h"

namespace normcheck::fuzz {
namespace {

using properties::Random;
using reference::Bits;
using reference::Case;

bool Fits(const std::vector<Bits>& values, norm::Format format) {
  return format == norm::Format::kF32 || std::ranges::all_of(values, [](Bits bits) { return bits <= 0xffff; });
}

bool Valid(const Case& c) {
  const bool shaped = c.x.size() == c.rows * c.width && (!c.gamma || c.gamma->size() == c.width) && (!c.beta || c.beta->size() == c.width);
  const bool fits = Fits(c.x, c.formats.x) && (!c.gamma || Fits(*c.gamma, c.formats.params)) && (!c.beta || Fits(*c.beta, c.formats.params));
  return shaped && fits && c.x_pitch >= c.width && c.y_pitch >= c.width && std::isfinite(c.epsilon) && !std::signbit(c.epsilon);
}

Case Drawn(int i, Random& random) {
  const norm::Op op = norm::kOps[i % std::size(norm::kOps)];
  return properties::MakeAnyCase(random, std::span(&op, 1), norm::ProductionFormats(), 70);
}

TEST(Crossover, KeepsCasesValidAndMixesThem) {
  Random random({5});
  int mixed = 0;
  for (int i = 0; i < 3000; ++i) {
    const Case a = Drawn(i, random);
    const Case b = Drawn(i / 2, random);
    const Case child = CrossCases(a, b, random);
    ASSERT_TRUE(Valid(child));
    ASSERT_TRUE(WithinCaps(child));
    EXPECT_EQ(child.formats, a.formats);
    EXPECT_EQ(child.op, a.op);
    ASSERT_EQ(reference::DecodeCase(reference::EncodeCase(child)), child);
    mixed += child == a ? 0 : 1;
  }
  EXPECT_GT(mixed, 1500);
}

// Two cases that share no number: what a child holds tells where it is from.
Case Filled(Bits x, Bits parameter, double epsilon) {
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, 3, 4, epsilon);
  std::ranges::fill(c.x, x);
  c.gamma.emplace(4, parameter);
  c.beta.emplace(4, parameter);
  return c;
}

TEST(Crossover, GivesRowsColumnsAndParametersOfBoth) {
  const Case a = Filled(0x3f800000, 0x3f000000, 1);
  const Case b = Filled(0x40000000, 0x40800000, 2);
  Random random({9});
  bool whole_rows = false, columns = false, parameters = false;
  for (int i = 0; i < 400; ++i) {
    const Case child = CrossCases(a, b, random);
    const auto row = [&](std::size_t r) { return std::vector<Bits>(child.x.begin() + static_cast<std::ptrdiff_t>(4 * r), child.x.begin() + static_cast<std::ptrdiff_t>(4 * r + 4)); };
    const std::vector<Bits> ours(4, 0x3f800000), theirs(4, 0x40000000);
    whole_rows |= (row(0) == ours && row(1) == theirs) || (row(0) == theirs && row(1) == ours);
    columns |= row(0) == row(1) && child.x[0] == 0x3f800000 && child.x[3] == 0x40000000 && (*child.gamma)[3] == 0x40800000;
    parameters |= row(0) == ours && row(2) == ours && (*child.gamma)[0] == 0x40800000 && child.epsilon == 2;
  }
  EXPECT_TRUE(whole_rows);
  EXPECT_TRUE(columns);
  EXPECT_TRUE(parameters);
}

TEST(Crossover, StandsEmptyCases) {
  Random random({2});
  const Case empty = reference::MakeCase(norm::Op::kLayerNorm, {}, 0, 5, 0);
  const Case full = Filled(0x3f800000, 0x3f800000, 1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(CrossCases(empty, full, random), empty);
    EXPECT_EQ(CrossCases(full, empty, random), full);
  }
}

}  // namespace
}  // namespace normcheck::fuzz
