// Verdicts in their two written forms.
#include <gtest/gtest.h>

#include "norm/kernel_fault.h"
#include "reference/judge.h"
#include "reference/verdict_json.h"
#include "reference/tests/made_case.h"

namespace normcheck::reference {
namespace {

Verdict JudgeValues(const Case& c, const std::vector<double>& y) {
  Outputs outputs;
  outputs.y = BitsOfAll(y, c.formats.y);
  JudgeOptions options;
  options.want_outputs = true;
  Verdict verdict = JudgeOutputs(c, outputs, {norm::ContractKind::kUlp, 4}, norm::EpsilonFormat::kF64, options);
  verdict.kernel = "some-kernel";
  return verdict;
}

const Case kUnit = RowCase(Op::kLayerNorm, {-1, 1}, 0);

std::vector<std::string> KeysOf(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  return keys;
}

TEST(VerdictJson, HasTheFieldsOfTheSchema) {
  const nlohmann::ordered_json json = VerdictJson(JudgeValues(kUnit, {-1, 1 + 0x1p-20}), kUnit, "a.case.json", true);
  const std::vector<std::string> keys = {"schema", "kernel", "contract", "case", "kept", "elements", "correctly_rounded",
                                         "class_faults", "undefined", "no_promise", "not_supported", "worst", "row",
                                         "diagnosis", "levels", "got", "want"};
  EXPECT_EQ(KeysOf(json), keys);
  EXPECT_EQ(json["schema"], "normcheck/verdict/1");
  EXPECT_EQ(json["contract"], "ulp:4");
  EXPECT_EQ(json["kept"], false);
  EXPECT_EQ(json["elements"], 2);
  EXPECT_EQ(json["worst"]["got"], "0x1.00001p+0");
  EXPECT_EQ(json["worst"]["want"], "0x1p+0");
  EXPECT_EQ(json["worst"]["ulp"], 8);
  EXPECT_EQ(json["worst"]["bound_ratio"], 2);
  EXPECT_TRUE(json["row"]["var_over_eps"].is_null()) << "infinite at epsilon 0";
  EXPECT_EQ(json["want"], (std::vector<std::string>{"-0x1p+0", "0x1p+0"}));
  EXPECT_EQ(json["levels"]["exact"], 2);
}

TEST(VerdictJson, IsNullWhereNothingWasJudged) {
  const Case c = RowCase(Op::kLayerNorm, {2, 2}, 0);
  const nlohmann::ordered_json json = VerdictJson(JudgeValues(c, {kNan, 5}), c, "f", true);
  EXPECT_TRUE(json["worst"].is_null());
  EXPECT_TRUE(json["row"].is_null());
  EXPECT_EQ(json["undefined"], 2);
  EXPECT_EQ(json["kept"], true);
  EXPECT_EQ(json["want"], (std::vector<std::string>{"nan", "nan"}));
  EXPECT_FALSE(VerdictJson(JudgeValues(c, {kNan, 5}), c, "f", false).contains("want"));
}

TEST(VerdictText, KeptIsOneLine) {
  const std::string text = VerdictText(JudgeValues(kUnit, {-1, 1}), kUnit, "a.case.json");
  EXPECT_EQ(text, "kept  some-kernel  ulp:4: 2 of 2 correctly rounded, worst 0 row ulp  a.case.json\n");
}

TEST(VerdictText, BrokenShowsBitsErrorRowAndReplayIn80Columns) {
  const std::string text = VerdictText(JudgeValues(kUnit, {-1, 1 + 0x1p-20}), kUnit, "a.case.json");
  for (const char* part : {"BROKEN", "0x1.00001p+0", "0x1p+0", "8 ulp", "row 0, element 1 of 2",
                           "replay ./normcheck judge --kernel some-kernel a.case.json"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    EXPECT_LE(end - start, 80U) << text.substr(start, end - start);
    start = end + 1;
  }
}

// D3: a call that never came back shows no figures, one that wrote elsewhere shows where and, where y is right, no more.
TEST(VerdictText, AMemoryFaultShowsNoFigures) {
  norm::Kernel kernel;
  kernel.ops = {Op::kLayerNorm};
  kernel.formats = {Formats{}};
  kernel.contract = {norm::ContractKind::kRowUlp, 4};
  kernel.run = [](const norm::KernelCall&) -> norm::CallResult { throw norm::KernelFault("the kernel crashed (SIGSEGV) behind y"); };
  Verdict verdict = Judge(kernel, kUnit, {});
  std::string text = VerdictText(verdict, kUnit, "f");
  EXPECT_NE(text.find("behind y"), std::string::npos) << text;
  for (const char* figure : {"got", "0 of 0", "worst", "var/eps"}) EXPECT_EQ(text.find(figure), std::string::npos) << text;
  EXPECT_TRUE(VerdictJson(verdict, kUnit, "f", false)["worst"].is_null());
  Outputs outputs;
  outputs.y = BitsOfAll({-1, 1}, kUnit.formats.y);
  outputs.trespass = "1 element behind y, from 0 after its end on";
  verdict = JudgeOutputs(kUnit, outputs, kernel.contract, norm::EpsilonFormat::kF64, {});
  text = VerdictText(verdict, kUnit, "f");
  EXPECT_NE(text.find("fault  wrote outside its outputs: 1 element behind y, from 0 after its end on\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("count"), std::string::npos) << text;
}

TEST(VerdictText, UnsupportedSaysSo) {
  Verdict verdict;
  verdict.kernel = "k";
  verdict.not_supported = true;
  verdict.fault = "not supported by the kernel";
  EXPECT_EQ(VerdictText(verdict, kUnit, "f"), "not judged  k  f: not supported by the kernel\n");
}

}  // namespace
}  // namespace normcheck::reference
