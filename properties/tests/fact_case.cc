// Builds fact cases and asks reference and production kernels about them.
#include "properties/tests/fact_case.h"

#include <gtest/gtest.h>

#include "properties/families/values.h"
#include "properties/kernels.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

std::vector<Bits> Parse(const Numbers& numbers) {
  std::vector<Bits> bits;
  for (const std::string& text : numbers) bits.push_back(reference::ParseNumber(text, Format::kF32).value());
  return bits;
}

norm::Kernel Production(Op op) { return FindKernel(NameOf(op)).value(); }

std::vector<double> Values(const std::vector<Bits>& bits) {
  std::vector<double> values;
  for (Bits b : bits) values.push_back(reference::ValueOf(b, Format::kF32));
  return values;
}

}  // namespace

Case CaseOf(const Fact& fact) {
  Case c = reference::MakeCase(fact.op, {}, 1, fact.x.size(), reference::ParseEpsilon(fact.epsilon).value());
  c.x = Parse(fact.x);
  if (!fact.gamma.empty()) c.gamma = Parse(fact.gamma);
  if (!fact.beta.empty()) c.beta = Parse(fact.beta);
  for (const std::string& text : fact.expected) c.expected.emplace_back(text);
  return c;
}

Case CaseOf(Op op, const std::vector<double>& x, double epsilon) {
  Case c = reference::MakeCase(op, {}, 1, x.size(), epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) {
    c.x[i] = reference::BitsOf(x[i], Format::kF32);
    EXPECT_EQ(reference::ValueOf(c.x[i], Format::kF32), x[i]) << "not representable";
  }
  return c;
}

void ExpectKept(const Case& c) {
  const auto verdict = reference::Judge(Production(c.op), c, {});
  EXPECT_TRUE(verdict.kept && !verdict.not_supported) << NameOf(c.op) << ": " << verdict.fault;
}

void ExpectHolds(const Fact& fact) {
  const Case c = CaseOf(fact);
  ASSERT_EQ(c.expected.size(), c.x.size());
  const auto checked = reference::CheckExpected(c);
  EXPECT_TRUE(checked.ok()) << checked.error();
  ExpectKept(c);
}

reference::Outputs RunProduction(const Case& c) { return reference::RunKernel(Production(c.op), c, {}); }
std::vector<double> KernelValues(const Case& c) { return Values(RunProduction(c).y); }
std::vector<double> ExactValues(const Case& c) { return Values(reference::CorrectlyRounded(c)); }

double HalfUlp(double value) { return SpacingAt(value, Format::kF32) / 2; }

}  // namespace normcheck::properties
