// Tests of case files: what is read and written, and one refusal for every way to get one wrong.
#include "reference/case_json.h"

#include <gtest/gtest.h>

#include <functional>

#include "reference/number.h"
#include "reference/tests/random_case.h"

namespace normcheck::reference {
namespace {

const std::string kGood =
    R"({"schema":"normcheck/case/1","op":"layer_norm","x_format":"f32","param_format":"f32","y_format":"f32","rows":1,"width":4,)"
    R"("epsilon":"1e-5","x":["2","4","6","8"]})";

std::string Replaced(const std::string& from, const std::string& to) {
  std::string out = kGood;
  const std::size_t at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return out.replace(at, from.size(), to);
}

std::string Added(const std::string& fields) { return Replaced("]}", "]," + fields + "}"); }

// The message for the text, checked to be one printable line that opens with the file's name.
std::string ErrorOf(const std::string& json) {
  const auto c = ParseCase(json, "bad.json");
  if (c.ok()) return "accepted";
  EXPECT_EQ(c.error().rfind("bad.json: ", 0), 0u) << c.error();
  EXPECT_LT(c.error().size(), 400u);
  for (const char letter : c.error()) EXPECT_TRUE(letter >= ' ' && letter <= '~') << c.error();
  return c.error();
}

TEST(ParseCase, ReadsTheSmallestFile) {
  const auto c = ParseCase(kGood, "good.json");
  ASSERT_TRUE(c.ok()) << c.error();
  Case want = MakeCase(Op::kLayerNorm, {}, 1, 4, 1e-5);
  want.x = {0x40000000, 0x40800000, 0x40c00000, 0x41000000};
  EXPECT_TRUE(c.value() == want);
}

TEST(ParseCase, ReadsEveryField) {
  const auto c = ParseCase(
      R"({"schema":"normcheck/case/1","variant":"standard","op":"rms_norm","x_format":"f16","param_format":"bf16","y_format":"f32",
          "rows":2,"width":1,"epsilon":"0x1p-20","x":["nan:0x7c01","-inf"],"gamma":["0.5"],"beta":["-0"],"pitch":3,"y_pitch":2,
          "expected":[null,"-1.34164"],"source":"Zürich"})", "all.json");
  ASSERT_TRUE(c.ok()) << c.error();
  Case want = MakeCase(Op::kRmsNorm, {Format::kF16, Format::kBf16, Format::kF32}, 2, 1, 0x1p-20);
  want.x = {0x7c01, 0xfc00};
  want.gamma = {0x3f00};
  want.beta = {0x8000};
  want.x_pitch = 3;
  want.y_pitch = 2;
  want.expected = {std::nullopt, "-1.34164"};
  want.source = "Z\xc3\xbcrich";
  EXPECT_TRUE(c.value() == want);
}

TEST(ParseCase, PitchIsThatOfYTooUnlessSaid) {
  EXPECT_EQ(ParseCase(Added(R"("pitch":6)"), "p").value().y_pitch, 6u);
  EXPECT_EQ(ParseCase(Added(R"("y_pitch":6)"), "p").value().x_pitch, 4u);
}

TEST(ParseCase, OneRowMayHaveAnyPitch) {
  EXPECT_EQ(ParseCase(Added(R"("pitch":4294967296)"), "p").value().x_pitch, std::size_t{1} << 32);
}

struct Edit {
  const char* field;  // named in the message
  std::string json;
};

// The edits of the acceptance check path-bad-input, in its order.
TEST(ParseCase, RefusesTheAcceptanceEditsByField) {
  const Edit kEdits[] = {
      {"byte 61", kGood.substr(0, 60)},
      {"byte 1", ""},
      {"op", Replaced("layer_norm", "layernorm")},
      {"x_format", Replaced("\"f32\"", "\"f64\"")},
      {"epsilon", Replaced("1e-5", "-1")},
      {"epsilon", Replaced("1e-5", "nan")},
      {"epsilon", Replaced("1e-5", "inf")},
      {"x", Replaced("\"width\":4", "\"width\":5")},
      {"width", Replaced("\"width\":4", "\"width\":-4")},
      {"width", Replaced("\"width\":4", "\"width\":99999999999999999999")},
      {"width", Replaced("\"width\":4", "\"width\":4.5")},
      {"width", Replaced("\"width\":4", "\"width\":true")},
      {"rows", Replaced("\"rows\":1,\"width\":4", "\"rows\":4294967296,\"width\":4294967296")},
      {"x[3]", Replaced("\"8\"", "\"eight\"")},
      {"x[3]", Replaced("\"8\"", "\"8e99999\"")},
      {"x[3]", Replaced("\"8\"", "null")},
      {"rows", Replaced("\"rows\":1", "\"rows\":\"1\"")},
      {"schema", Replaced("case/1", "case/9")},
      {"z", Replaced("\"x\":", "\"z\":")},
      {"byte 1", std::string(100'000, '[')},
      {"gamma", Replaced("\"8\"]", "\"8\"],\"gamma\":[\"1\"]")},
      {"pitch", Replaced("\"8\"]", "\"8\"],\"pitch\":2")},
      {"expected", Replaced("\"8\"]", "\"8\"],\"expected\":[\"1\"]")},
      {"byte 1", std::string("\x00\xff", 2)},
      {"colour", Added("\"colour\":\"red\"")},
      {"rows", Replaced("\"rows\":1", "\"rows\":1,\"rows\":2")},
  };
  for (const auto& [field, json] : kEdits) EXPECT_EQ(ErrorOf(json).rfind(std::string("bad.json: ") + field + ":", 0), 0u) << ErrorOf(json);
  std::string half = Replaced("\"f32\"", "\"f16\"");
  half.replace(half.find("\"8\""), 3, "\"0x1.0000001p+3\"");
  EXPECT_EQ(ErrorOf(half).rfind("bad.json: x[3]: '0x1.0000001p+3' does not fit f16", 0), 0u) << ErrorOf(half);
}

TEST(ParseCase, RefusesEachMissingField) {
  for (const char* name : {"schema", "op", "x_format", "param_format", "y_format", "rows", "width", "epsilon", "x"}) {
    std::string json = kGood;
    const std::size_t begin = json.find("\"" + std::string(name) + "\":");
    const bool last = std::string(name) == "x";
    const std::size_t end = last ? json.size() - 1 : json.find(",\"", begin);
    json.erase(last ? begin - 1 : begin, last ? end - begin + 1 : end - begin + 1);
    EXPECT_EQ(ErrorOf(json).rfind(std::string("bad.json: ") + name + ": missing; add", 0), 0u) << ErrorOf(json);
  }
}

TEST(ParseCase, RefusesWhatIsNotReadYetByName) {
  EXPECT_NE(ErrorOf(Added("\"residual\":[\"1\"]")).find("residual: reserved"), std::string::npos);
  EXPECT_NE(ErrorOf(Added("\"dy\":[\"1\"]")).find("dy: reserved"), std::string::npos);
  EXPECT_NE(ErrorOf(Added("\"variant\":\"gemma\"")).find("variant: 'gemma' is not built"), std::string::npos);
}

TEST(ParseCase, RefusesWrongTypes) {
  const Edit kEdits[] = {
      {"op", Replaced("\"layer_norm\"", "3")},
      {"op", Replaced("\"layer_norm\"", "[\"layer_norm\"]")},
      {"epsilon", Replaced("\"1e-5\"", "1e-5")},
      {"width", Replaced("\"width\":4", "\"width\":null")},
      {"width", Replaced("\"width\":4", "\"width\":4.0")},
      {"width", Replaced("\"width\":4", "\"width\":[4]")},
      {"width", Replaced("\"width\":4", "\"width\":1099511627776")},
      {"width", Replaced("\"width\":4", "\"width\":{}")},
      {"x", Replaced("[\"2\",\"4\",\"6\",\"8\"]", "\"2\"")},
      {"x", Replaced("\"8\"", "[\"8\"]")},
      {"x", Replaced("\"8\"", "{}")},
      {"x[0]", Replaced("\"2\"", "2")},
      {"x[0]", Replaced("\"2\"", "true")},
      {"gamma", Added("\"gamma\":null")},
      {"gamma[1]", Added("\"gamma\":[\"1\",\"\",\"1\",\"1\"]")},
      {"beta", Added("\"beta\":[]")},
      {"expected[2]", Added("\"expected\":[null,\"1\",2,null]")},
      {"expected[0]", Added("\"expected\":[\"?\",null,null,null]")},
      {"y_pitch", Added("\"y_pitch\":3")},
      {"source", Added("\"source\":7")},
      {"x", Added("\"x\":[\"1\"]")},
  };
  for (const auto& [field, json] : kEdits) EXPECT_EQ(ErrorOf(json).rfind(std::string("bad.json: ") + field + ":", 0), 0u) << ErrorOf(json);
}

TEST(ParseCase, NamesWhatItFoundAndTheMend) {
  EXPECT_NE(ErrorOf(Replaced("\"width\":4", "\"width\":true")).find("a JSON integer is needed, found true"), std::string::npos);
  EXPECT_NE(ErrorOf(Replaced("\"2\"", "2")).find("write it as a string"), std::string::npos);
}

TEST(ParseCase, RefusesRowsPitchedBeyondTheLimit) {
  const std::string two_rows = R"("rows":2,"width":2)";
  std::string json = Replaced("\"rows\":1,\"width\":4", two_rows);
  EXPECT_EQ(ErrorOf(json), "accepted");
  json.insert(json.size() - 1, ",\"pitch\":8589934591");
  EXPECT_NE(ErrorOf(json).find("pitch: 2 rows"), std::string::npos) << ErrorOf(json);
}

TEST(ParseCase, RefusesBrokenTextWithoutEchoingIt) {
  for (const std::string& json : {std::string("\xff\xfe"), Replaced("layer_norm", "layer\xff_norm"), kGood + "x", kGood + kGood, std::string("null"),
                                  std::string("[]"), std::string("\"text\""), std::string("7"), std::string("{"), std::string("{\"x\":1e999}"),
                                  Replaced("layer_norm", "layer\n_norm"), Added("\"\\u0000\\n\":1"), Replaced("\"8\"", "\"" + std::string(1'000'000, '8') + "e99\""),
                                  Added("\"" + std::string(1'000'000, 'k') + "\":1"), std::string("{\"x\":") + std::string(1'000'000, '['),
                                  Replaced("\"width\":4", "\"width\":" + std::string(100'000, '9'))})
    EXPECT_NE(ErrorOf(json), "accepted") << json.substr(0, 200);
}

TEST(CaseText, ReadsBackInAllTriples) {
  std::mt19937_64 random(1);
  for (const Formats& formats : AllTriples())
    for (int i = 0; i < 50; ++i) {
      Case c = RandomCase(random, formats);
      if (i % 2 == 0) c.expected.assign(c.x.size(), Expected{"-0x0p+0"});
      if (i % 3 == 0 && !c.expected.empty()) c.expected.back() = std::nullopt;
      if (i % 5 == 0) c.source = "a \"quoted\"\n line \xc3\xbc";
      const auto again = ParseCase(CaseText(c), "case");
      ASSERT_TRUE(again.ok()) << again.error() << CaseText(c);
      ASSERT_TRUE(again.value() == c) << CaseText(c);
    }
}

TEST(CaseText, WritesHexOnReadableLines) {
  Case c = MakeCase(Op::kLayerNorm, {}, 1, 40, 1e-5);
  c.x[0] = 0x41400000;
  const std::string text = CaseText(c);
  EXPECT_NE(text.find("\"epsilon\": \"0x1.4f8b588e368f1p-17\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"x\": [\n    \"0x1.8p+3\", \"0x0p+0\""), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("]}\n"));
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    EXPECT_LE(end - begin, 104u);
  }
}

TEST(CaseText, WritesASourceThatIsNoUtf8) {
  Case c = MakeCase(Op::kLayerNorm, {}, 0, 0, 0);
  c.source = "\xff";
  EXPECT_TRUE(ParseCase(CaseText(c), "case").ok());
}

}  // namespace
}  // namespace normcheck::reference
