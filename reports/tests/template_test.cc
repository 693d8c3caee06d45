// The template filler: escaping, sections, scopes.
#include "reports/template.h"

#include <gtest/gtest.h>

namespace normcheck::reports {
namespace {

using Json = nlohmann::ordered_json;

TEST(FillTemplate, EscapesUnlessAskedNotTo) {
  EXPECT_EQ(FillTemplate("{{a}} {{{a}}}", {{"a", "<\"&'>"}}), "&lt;&quot;&amp;&#39;&gt; <\"&'>");
}

TEST(FillTemplate, RepeatsOverListsAndSeesOuterNames) {
  const Json values = {{"name", "n"}, {"list", Json::array({{{"x", 1}}, {{"x", 2}}})}};
  EXPECT_EQ(FillTemplate("[{{#list}}{{name}}{{x}};{{/list}}]", values), "[n1;n2;]");
}

TEST(FillTemplate, ShowsInvertedSectionsForWhatIsAbsentOrEmpty) {
  const std::string text = "{{#a}}yes{{/a}}{{^a}}no{{/a}}";
  for (const Json& off : {Json{{"b", 1}}, Json{{"a", ""}}, Json{{"a", false}}, Json{{"a", nullptr}}, Json{{"a", Json::array()}}})
    EXPECT_EQ(FillTemplate(text, off), "no") << off;
  for (const Json& on : {Json{{"a", "x"}}, Json{{"a", true}}, Json{{"a", 0}}}) EXPECT_EQ(FillTemplate(text, on), "yes") << on;
}

TEST(FillTemplate, NestsSectionsOfOneName) {
  const Json values = {{"a", {{"a", Json::array({{{"x", 1}}, {{"x", 2}}})}}}};
  EXPECT_EQ(FillTemplate("{{#a}}({{#a}}{{x}}{{/a}}){{/a}}", values), "(12)");
}

TEST(FillTemplate, InsertsTextThatLooksLikeATagUntouched) {
  EXPECT_EQ(FillTemplate("{{a}}", {{"a", "{{b}}"}, {"b", "no"}}), "{{b}}");
}

}  // namespace
}  // namespace normcheck::reports
