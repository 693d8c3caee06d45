// Tests of contracts as text: the grammar, its canonical form, and what is refused.
#include "reference/contract.h"

#include <gtest/gtest.h>

namespace normcheck::reference {
namespace {

using norm::Algorithm;
using norm::ContractKind;
using norm::Form;
using norm::Order;
using norm::Precision;

Contract Read(std::string_view text) {
  const auto contract = ParseContract(text);
  EXPECT_TRUE(contract.ok()) << text << ": " << contract.error();
  return contract.ok() ? contract.value() : Contract{};
}

TEST(ParseContract, ReadsTheUlpContracts) {
  EXPECT_EQ(Read("correctly-rounded"), (Contract{.kind = ContractKind::kCorrectlyRounded}));
  EXPECT_EQ(Read("ulp:0.501"), (Contract{.kind = ContractKind::kUlp, .k = 0.501}));
  EXPECT_EQ(Read("row-ulp:4"), Contract{});
  EXPECT_EQ(Read("row-ulp:0.5+ftz"), (Contract{.kind = ContractKind::kRowUlp, .k = 0.5, .flush_to_zero = true}));
}

TEST(ParseContract, ReadsThatValuesBeyondTheFormatSaturate) {
  EXPECT_EQ(Read("correctly-rounded+saturates"), (Contract{.kind = ContractKind::kCorrectlyRounded, .saturates = true}));
}

TEST(ParseContract, ReadsProfilesWithDefaults) {
  EXPECT_EQ(Read("two-pass"), (Contract{.kind = ContractKind::kProfile}));
  const norm::Profile full = {.algorithm = Algorithm::kOnePass, .order = Order::kPairwise, .block = 16, .accumulator = Precision::kF64,
                              .mean = Precision::kF64, .form = Form::kScaleBias};
  EXPECT_EQ(Read("one-pass,form=scale-bias,mean=f64,acc=f64,order=pairwise:16+finite-only+ftz"),
            (Contract{.kind = ContractKind::kProfile, .profile = full, .flush_to_zero = true, .finite_only = true}));
  EXPECT_EQ(Read("welford,order=recursive,acc=f32,mean=f32,form=centred"),
            (Contract{.kind = ContractKind::kProfile, .profile = {.algorithm = Algorithm::kWelford}}));
}

TEST(ContractText, IsCanonical) {
  const struct { const char* text; const char* canonical; } kTable[] = {
      {"ulp:1.50", "ulp:1.5"},
      {"row-ulp:4+finite-only+ftz", "row-ulp:4+ftz+finite-only"},
      {"ulp:2+saturates+ftz", "ulp:2+ftz+saturates"},
      {"two-pass,acc=f32,order=recursive", "two-pass"},
      {"two-pass,form=scale-bias,order=lanes:8,acc=f64", "two-pass,order=lanes:8,acc=f64,form=scale-bias"},
      {"ulp:1e15", "ulp:1000000000000000"}};
  for (const auto& [text, canonical] : kTable) EXPECT_EQ(ContractText(Read(text)), canonical);
}

TEST(ContractText, ReadsBack) {
  for (const char* base : {"correctly-rounded", "ulp:0.5000000000000001", "ulp:123456789012345.6", "row-ulp:1e-300", "two-pass",
                           "one-pass,order=lanes:32", "welford,order=pairwise:1,acc=f64,mean=f64,form=scale-bias"})
    for (const char* suffix : {"", "+ftz", "+finite-only", "+ftz+finite-only", "+saturates", "+ftz+finite-only+saturates"}) {
      const Contract contract = Read(std::string(base) + suffix);
      EXPECT_EQ(Read(ContractText(contract)), contract) << base << suffix;
    }
}

TEST(ParseContract, ExplainsWhyHalfAnUlpIsRefused) {
  for (const char* text : {"ulp:0.5", "ulp:.500", "ulp:5e-1"})
    EXPECT_NE(ParseContract(text).error().find("power of two"), std::string::npos) << text;
  EXPECT_NE(ParseContract("ulp:0.4").error().find("below half an ulp"), std::string::npos);
}

TEST(ParseContract, RefusesEverythingElse) {
  for (const char* text : {"", "ulp", "ulp:", "ulp:-1", "ulp:0", "ulp:nan", "ulp:inf", "ulp:1e99999", "ulp:4,acc=f32", "ULP:4", "row-ulp:0",
                           "correctly-rounded:1", "correctly-rounded,acc=f32", "two-pass,", "two-pass,acc", "two-pass,acc=f16", "two-pass,mean=",
                           "two-pass,order=lanes", "two-pass,order=lanes:", "two-pass,order=lanes:0", "two-pass,order=lanes:-8",
                           "two-pass,order=lanes:8x", "two-pass,order=lanes:99999999999", "two-pass,order=recursive:8", "two-pass,order=tree:2",
                           "two-pass,form=centered", "two-pass,acc=f32,acc=f32", "two-pass,speed=fast", "two-pass:4", "three-pass", "ulp:4+",
                           "ulp:4+ftz+ftz", "ulp:4+saturates+saturates", "ulp:4+fast", "+ftz", " ulp:4"}) {
    const auto contract = ParseContract(text);
    ASSERT_FALSE(contract.ok()) << text;
    EXPECT_EQ(contract.error().rfind("contract: ", 0), 0u) << contract.error();
  }
}

TEST(ParseContract, NamesTheFieldAtFault) {
  EXPECT_NE(ParseContract("two-pass,acc=f16").error().find("acc: 'f16'"), std::string::npos);
  EXPECT_NE(ParseContract("two-pass,speed=fast").error().find("'speed' is no field"), std::string::npos);
  EXPECT_EQ(ParseContract("\xff\n").error().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace normcheck::reference
