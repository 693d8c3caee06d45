// Fills text templates from JSON: the part of the Mustache language that the page needs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace normcheck::reports {

// {{name}} inserts a value escaped for HTML, {{{name}}} inserts it as it is; {{#name}}...{{/name}} repeats over an array,
// enters an object, or shows the text where the value is true, a number or a text that is not empty; {{^name}}...{{/name}} shows it
// where the value is absent, null, false or empty. Names are sought from the innermost section outwards; absent ones insert nothing.
// Errors: a section that is not closed is taken to reach to the end; templates are ours and tested.
std::string FillTemplate(std::string_view text, const nlohmann::ordered_json& values);

// VisibleText with & < > " ' as entities: safe in text and in quoted attributes, of HTML and XML.
std::string Escape(std::string_view text);

}  // namespace normcheck::reports
