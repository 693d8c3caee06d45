// The correctly rounded values of the reference against MPFR intervals, over every row family and every triple of formats.
#include <gtest/gtest.h>

#include <cmath>

#include "norm/kernel.h"
#include "properties/families.h"
#include "reference/judge.h"
#include "reference/number.h"
#include "reference/tests/mpfr_row.h"

namespace normcheck::properties {
namespace {

using reference::Interval;

bool AllFinite(const std::vector<Bits>& bits, Format format) {
  for (Bits one : bits)
    if (!reference::IsFinite(one, format)) return false;
  return true;
}

bool Finite(const Case& c) {
  return AllFinite(c.x, c.formats.x) && (!c.gamma || AllFinite(*c.gamma, c.formats.params)) &&
         (!c.beta || AllFinite(*c.beta, c.formats.params));
}

// 0/0: epsilon 0 on a row of equal values (RMSNorm: of zeros).
bool Undefined(const Case& c) {
  if (c.epsilon > 0) return false;
  const double first = c.op == Op::kLayerNorm ? reference::ValueOf(c.x.front(), c.formats.x) : 0;
  for (Bits bits : c.x)
    if (reference::ValueOf(bits, c.formats.x) != first) return false;
  return true;
}

double Parameter(const std::optional<std::vector<Bits>>& bits, std::size_t i, Format format, double absent) {
  return bits ? reference::ValueOf((*bits)[i], format) : absent;
}

// How many outputs the intervals decide; the others are ties and zeros.
std::size_t Decided(const Case& c) {
  std::vector<double> x;
  for (Bits bits : c.x) x.push_back(reference::ValueOf(bits, c.formats.x));
  const std::vector<Bits> want = reference::CorrectlyRounded(c);
  const std::vector<Interval> xhat = reference::MpfrXhat(c.op, x, c.epsilon);
  std::size_t decided = 0;
  for (std::size_t i = 0; i < c.width; ++i) {
    const Interval gamma(Parameter(c.gamma, i, c.formats.params, 1));
    const Interval y = gamma * xhat[i] + Interval(Parameter(c.beta, i, c.formats.params, 0));
    const auto [low, high] = y.Rounded(c.formats.y);
    if (y.Middle() == 0 || !(low == high && std::signbit(low) == std::signbit(high))) continue;
    ++decided;
    EXPECT_EQ(reference::HexText(want[i], c.formats.y), reference::HexText(reference::BitsOf(low, c.formats.y), c.formats.y))
        << "element " << i;
  }
  return decided;
}

std::size_t DecidedOf(const Family& family, const Formats& formats, Random& random) {
  constexpr std::size_t kShort[] = {2, 3, 5, 17, 33, 65};
  std::size_t decided = 0;
  for (int i = 0; i < 12; ++i) {
    const Shape shape{norm::kOps[i % std::size(norm::kOps)], formats, 1, kShort[random.Below(std::size(kShort))], Epsilons()[random.Below(Epsilons().size())]};
    const Case c = MakeFamilyCase(family, shape, random);
    if (Finite(c) && !Undefined(c)) decided += Decided(c);
  }
  return decided;
}

TEST(Reference, AgreesWithMpfrOnEveryFamilyAndFormat) {
  Random random(Seed{1});
  std::size_t all = 0;
  for (const Family& family : Families()) {
    std::size_t decided = 0;
    for (const Formats& formats : norm::AllFormats()) decided += DecidedOf(family, formats, random);
    EXPECT_GT(decided, 500u) << family.id;
    all += decided;
  }
  EXPECT_GT(all, 100'000u);
  RecordProperty("decided", static_cast<int>(all));
}

}  // namespace
}  // namespace normcheck::properties
