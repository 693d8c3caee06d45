// The integer level against MPFR on more than 1e5 outputs: every family of rows, every triple of formats, both ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "norm/kernel.h"
#include "reference/exact_rounding.h"
#include "reference/row_judge.h"
#include "reference/tests/made_case.h"
#include "reference/tests/mpfr_row.h"

namespace normcheck::reference {
namespace {

constexpr std::size_t kWidths[] = {1, 2, 3, 4, 5, 7, 8, 17, 31, 64, 65, 130};
constexpr double kEpsilons[] = {0, 1e-12, 1e-5, 1, 5e-324, 0x1p-149, 4};
enum Family { kNormal, kOffset, kNearConstant, kOneHot, kAnyBits, kSubnormal, kNearOverflow, kAlternating, kSmallIntegers, kFamilies };

struct Counts {
  std::uint64_t decided = 0;
  std::uint64_t ties = 0;
  std::uint64_t zeros = 0;
  std::uint64_t infinite = 0;
  std::uint64_t subnormal = 0;
};

class Rows {
 public:
  explicit Rows(std::uint64_t seed) : random_(seed) {}

  std::uint64_t Below(std::uint64_t n) { return random_() % n; }

  double Uniform() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1; }

  double FiniteBits(Format format) {
    const Bits all = format == Format::kF32 ? 0xffffffff : 0xffff;
    for (;;) {
      const Bits bits = static_cast<Bits>(random_()) & all;
      if (IsFinite(bits, format)) return ValueOf(bits, format);
    }
  }

  double Value(Family family, Format format, std::size_t i) {
    const double max = ValueOf(MaxFinite(format, false), format);
    switch (family) {
      case kOffset: return 1000 + Uniform();
      case kNearConstant: return 3.3 * (1 + (Below(9) == 0 ? 0x1p-8 : 0));
      case kOneHot: return i == 0 ? 3 : 0;
      case kAnyBits: return FiniteBits(format);
      case kSubnormal: return Uniform() * std::ldexp(1, norm::TraitsOf(format).emin);
      case kNearOverflow: return Uniform() * max;
      case kAlternating: return i % 2 == 0 ? 1.5 : -1.5;
      case kSmallIntegers: return static_cast<double>(Below(9)) - 4;
      default: return Uniform() + Uniform() + Uniform();
    }
  }

  std::vector<Bits> Row(Family family, Format format, std::size_t width) {
    std::vector<Bits> row;
    for (std::size_t i = 0; i < width; ++i) row.push_back(BitsOf(Value(family, format, i), format));
    return row;
  }

 private:
  std::mt19937_64 random_;
};

// gamma and beta: absent, moderate, any bits, or beta the nearest to -gamma*xhat.
void AddParameters(Rows& rows, std::size_t style, Case& c) {
  const Format format = c.formats.params;
  if (style == 0) return;
  c.gamma = rows.Row(style == 2 ? kAnyBits : kNormal, format, c.width);
  c.beta = rows.Row(style == 2 ? kAnyBits : kSmallIntegers, format, c.width);
  if (style != 3) return;
  const std::vector<Interval> xhat = MpfrXhat(c.op, ValuesOf(c.x, c.formats.x, Subnormals::kKept), c.epsilon);
  for (std::size_t i = 0; i < c.width; ++i)
    (*c.beta)[i] = BitsOf(-xhat[i].Middle() * ValueOf((*c.gamma)[i], format), format);
}

void CheckError(const RowJudge& judge, std::size_t i, const Interval& y, Format format, Bits want) {
  const std::optional<long> binade = y.Binade();
  const Bits got = want ^ 1;
  if (!binade || !IsFinite(got, format) || !IsFinite(want, format)) return;
  const ElementVerdict verdict = judge.Judge(i, got);
  ASSERT_TRUE(verdict.sizes);
  const norm::FormatTraits traits = norm::TraitsOf(format);
  const long exponent = std::max<long>(*binade, traits.emin) - traits.precision + 1;
  const double error = std::abs((Interval(ValueOf(got, format)) - y).Middle());
  const double ulp = std::ldexp(error, static_cast<int>(-exponent));
  EXPECT_NEAR(verdict.sizes->ulp, ulp, 0x1p-51 * ulp);
}

void CheckElement(const RowJudge& judge, std::size_t i, const Interval& y, Format format, Counts& counts) {
  const Bits want = judge.Want(i);
  const auto [low, high] = y.Rounded(format);
  if (low == high && std::signbit(low) == std::signbit(high)) {
    ++counts.decided;
    ASSERT_EQ(HexText(want, format), HexText(BitsOf(low, format), format));
    if (std::isinf(low)) ++counts.infinite;
    if (std::abs(low) < std::ldexp(1, norm::TraitsOf(format).emin)) ++counts.subnormal;
    CheckError(judge, i, y, format, want);
  } else if (low == 0 && high == 0) {
    ++counts.zeros;
    EXPECT_EQ(judge.Element(i)->Sign(), 0);
  } else {
    ++counts.ties;
    const double cap = std::ldexp(1, norm::TraitsOf(format).emax + 1);
    const double tie = (std::clamp(low, -cap, cap) + std::clamp(high, -cap, cap)) / 2;
    EXPECT_EQ(judge.Element(i)->Compare(Dyadic(tie)), 0);
    EXPECT_EQ(want % 2, 0U);
  }
}

void CheckCase(const Case& c, Counts& counts) {
  const CaseValues values(c, c.epsilon, Subnormals::kKept);
  const RowJudge judge(values, 0, {norm::ContractKind::kUlp, 4});
  if (judge.row().Undefined()) return;
  const std::vector<Interval> xhat = MpfrXhat(c.op, values.Row(0), c.epsilon);
  for (std::size_t i = 0; i < c.width; ++i) {
    const Interval y = Interval(values.gamma(i)) * xhat[i] + Interval(values.beta(i));
    ASSERT_NO_FATAL_FAILURE(CheckElement(judge, i, y, c.formats.y, counts))
        << norm::NameOf(c.op) << " width " << c.width << " element " << i << " epsilon " << HexText(c.epsilon);
  }
}

TEST(IntegerLevel, AgreesWithMpfr) {
  Rows rows(1);
  Counts counts;
  std::size_t turn = 0;
  const auto pick = [&](const auto& list) { return list[rows.Below(std::size(list))]; };
  const std::vector<Formats> formats = norm::AllFormats();
  while (counts.decided < 165000) {
    const Formats& triple = formats[turn % formats.size()];
    const auto family = static_cast<Family>(turn / formats.size() % kFamilies);
    Case c = MakeCase(pick(norm::kOps), triple, 1, pick(kWidths), pick(kEpsilons));
    c.x = rows.Row(family, triple.x, c.width);
    const CaseValues values(c, c.epsilon, Subnormals::kKept);
    if (!ExactRow(c.op, values.Row(0), c.epsilon).Undefined()) AddParameters(rows, rows.Below(4), c);
    ASSERT_NO_FATAL_FAILURE(CheckCase(c, counts));
    ++turn;
  }
  EXPECT_GE(turn, formats.size() * kFamilies) << "every triple of formats with every family";
  EXPECT_GT(counts.ties, 20U);
  EXPECT_GT(counts.zeros, 100U);
  EXPECT_GT(counts.infinite, 50U);
  EXPECT_GT(counts.subnormal, 1000U);
  RecordProperty("ties", static_cast<int>(counts.ties));
  RecordProperty("zeros", static_cast<int>(counts.zeros));
}

}  // namespace
}  // namespace normcheck::reference
