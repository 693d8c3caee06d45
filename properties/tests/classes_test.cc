// Classes of cases, and that random cases bring every family, format and class up.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "properties/families.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

Case RowCase(std::vector<double> x, double epsilon, Format format = Format::kF32) {
  Case c = reference::MakeCase(Op::kLayerNorm, {format, format, format}, 1, x.size(), epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) c.x[i] = reference::BitsOf(x[i], format);
  return c;
}

TEST(Classes, ARowThatRoundedToOneValueIsConstant) {
  EXPECT_TRUE(ClassesOf(RowCase({1, 1 + 0x1p-12}, 1e-5, Format::kF16)).constant);
  EXPECT_FALSE(ClassesOf(RowCase({1, 1 + 0x1p-12}, 1e-5, Format::kF32)).constant);
  EXPECT_TRUE(ClassesOf(RowCase({0, -0.0}, 1e-5)).constant);
  EXPECT_FALSE(ClassesOf(RowCase({7}, 1e-5)).constant);
  EXPECT_TRUE(ClassesOf(RowCase({7}, 1e-5)).width_one);
}

TEST(Classes, ElementsAreToldByTheirBits) {
  EXPECT_TRUE(ClassesOf(RowCase({0x1p-127, 1}, 0)).subnormal);
  EXPECT_FALSE(ClassesOf(RowCase({0x1p-126, 1}, 0)).subnormal);
  EXPECT_TRUE(ClassesOf(RowCase({0x1p-133, 1}, 0, Format::kBf16)).subnormal);
  EXPECT_TRUE(ClassesOf(RowCase({-0.0, 1}, 0)).negative_zero);
  EXPECT_FALSE(ClassesOf(RowCase({0.0, 1}, 0)).negative_zero);
  EXPECT_TRUE(ClassesOf(RowCase({0x1p127, 1}, 0)).near_overflow);
  EXPECT_FALSE(ClassesOf(RowCase({0x1.fffffep126, 1}, 0)).near_overflow);
  EXPECT_TRUE(ClassesOf(RowCase({40000, 1}, 0, Format::kF16)).near_overflow);
  const CaseClasses infinite = ClassesOf(RowCase({1e300, 1}, 0));
  EXPECT_TRUE(infinite.infinite && !infinite.nan && !infinite.near_overflow);
}

TEST(Classes, VarianceIsComparedWithEpsilon) {
  EXPECT_TRUE(ClassesOf(RowCase({-1, 1}, 1)).var_near_eps);
  EXPECT_TRUE(ClassesOf(RowCase({-1, 1}, 100)).var_below_eps);
  EXPECT_TRUE(ClassesOf(RowCase({-1, 1}, 1e-5)).var_above_eps);
  EXPECT_TRUE(ClassesOf(RowCase({-1, 1}, 0)).var_above_eps);
}

TEST(Classes, ShapeIsToldByWidthAndPitch) {
  Case c = RowCase(std::vector<double>(16, 1.0), 0);
  EXPECT_FALSE(ClassesOf(c).tail || ClassesOf(c).pitched);
  c.y_pitch = 17;
  EXPECT_TRUE(ClassesOf(c).pitched);
  EXPECT_TRUE(ClassesOf(RowCase(std::vector<double>(17, 1.0), 0)).tail);
}

void Count(const std::string& where, const CaseClasses& k, std::map<std::string, int>& counts) {
  const std::pair<const char*, bool> all[] = {
      {"constant", k.constant}, {"subnormal", k.subnormal}, {"negative zero", k.negative_zero}, {"near overflow", k.near_overflow},
      {"nan", k.nan}, {"infinite", k.infinite}, {"var below eps", k.var_below_eps}, {"var near eps", k.var_near_eps},
      {"var above eps", k.var_above_eps}, {"tail", k.tail}, {"whole lanes", !k.tail}, {"pitched", k.pitched}, {"width one", k.width_one}};
  for (const auto& [name, holds] : all) counts[where + name] += holds;
}

TEST(AnyCase, EveryClassComesUpForEveryOpAndFormat) {
  std::map<std::string, int> counts;
  Random random(Seed{1});
  for (Op op : norm::kOps)
    for (Format format : norm::kFormats)
      for (int i = 0; i < 1000; ++i) {
        const Formats formats{format, Format::kF32, format};
        const Case c = MakeAnyCase(random, {&op, 1}, {&formats, 1}, 512);
        const std::string where = std::string(NameOf(op)) + ' ' + std::string(norm::TraitsOf(format).name) + ": ";
        Count(where, ClassesOf(c), counts);
      }
  EXPECT_EQ(counts.size(), std::size(norm::kOps) * 3 * 13);
  for (const auto& [name, count] : counts) EXPECT_GE(count, 10) << name;
}

TEST(AnyCase, EveryWidthEpsilonAndParameterChoiceComesUp) {
  std::map<std::size_t, int> widths;
  std::map<double, int> epsilons;
  int gamma = 0, beta = 0, wide = 0;
  Random random(Seed{2});
  const Formats formats;
  for (int i = 0; i < 4000; ++i) {
    const Case c = MakeAnyCase(random, norm::kOps, {&formats, 1}, 4096);
    ++widths[c.width];
    ++epsilons[c.epsilon];
    gamma += c.gamma.has_value();
    beta += c.beta.has_value();
    wide += c.width > 1024;
  }
  for (std::size_t width : Widths())
    EXPECT_TRUE(width > 512 || widths[width] > 0) << width;
  for (double epsilon : Epsilons()) EXPECT_GT(epsilons[epsilon], 400) << epsilon;
  EXPECT_GT(wide, 10);
  for (int count : {gamma, beta}) EXPECT_TRUE(count > 2700 && count < 3300) << count;
}

TEST(AnyCase, StaysWithinTheWidthAskedFor) {
  Random random(Seed{3});
  const Formats formats;
  for (int i = 0; i < 500; ++i) EXPECT_LE(MakeAnyCase(random, norm::kOps, {&formats, 1}, 5).width, 5u);
}

}  // namespace
}  // namespace normcheck::properties
