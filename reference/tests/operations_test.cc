// The operations by hand: values that anyone can check with a pencil, and what tells one definition from another.
#include "reference/operations/operations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "reference/judge.h"
#include "reference/tests/made_case.h"

namespace normcheck::reference {
namespace {

std::vector<double> Values(Op op, const std::vector<double>& x, double epsilon) {
  std::vector<double> y;
  for (const Bits bits : CorrectlyRounded(RowCase(op, x, epsilon))) y.push_back(ValueOf(bits, Format::kF32));
  return y;
}

std::vector<double> InFloat(std::vector<double> values) {
  for (double& value : values) value = static_cast<double>(static_cast<float>(value));
  return values;
}

TEST(L2Norm, OfThreeAndFour) {
  EXPECT_EQ(Values(Op::kL2Norm, {3, 4}, 0), InFloat({0.6, 0.8}));
  EXPECT_EQ(Values(Op::kL2Norm, {3, 4}, 11), InFloat({0.5, 2.0 / 3}));  // sqrt(25 + 11) = 6
  EXPECT_EQ(Values(Op::kL2Norm, {0, 0, 0, 1000}, 0), InFloat({0, 0, 0, 1}));
}

// The squares pass every format; the quotient does not.
TEST(L2Norm, OfRowsWhoseSquaresOverflowFloat) {
  EXPECT_EQ(Values(Op::kL2Norm, {3 * 0x1p125, 4 * 0x1p125}, 1e-5), InFloat({0.6, 0.8}));
  EXPECT_EQ(Values(Op::kL2Norm, {3 * 0x1p-140, 4 * 0x1p-140}, 0), InFloat({0.6, 0.8}));
}

TEST(L2Norm, OfRowsWithAnInfinityIsZeroElsewhere) {
  const std::vector<double> y = Values(Op::kL2Norm, {1, -kInf, -2}, 1e-5);
  EXPECT_TRUE(y[0] == 0 && std::isnan(y[1]) && y[2] == 0);
}

// Root mean square: 5/sqrt(2) in the place of 5.
TEST(RmsNorm, IsNotL2Norm) {
  EXPECT_EQ(Values(Op::kRmsNorm, {3, 4}, 0), InFloat({3 / std::sqrt(12.5), 4 / std::sqrt(12.5)}));
}

// Readers go by names: two of one name would be taken for each other.
TEST(Operations, HaveNamesOfTheirOwnAndDescribeTheirOperands) {
  std::set<std::string_view> names, formulas;
  for (const Operation* operation : kOperations) {
    names.insert(NameOf(operation->op));
    formulas.insert(operation->formula);
    EXPECT_TRUE(operation->Find("x") && operation->Find("y")) << NameOf(operation->op);
    EXPECT_EQ(operation->Find("mean") != nullptr, operation->centred()) << NameOf(operation->op);
  }
  EXPECT_EQ(names.size(), kOperations.size());
  EXPECT_EQ(formulas.size(), kOperations.size());
}

TEST(Operations, AreNamedToWhoWritesAnother) { EXPECT_EQ(OpNames(), "layer_norm, rms_norm, l2_norm"); }

}  // namespace
}  // namespace normcheck::reference
