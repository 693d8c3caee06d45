// Writes a Case as the JSON of a case file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reference/case_json.h"
#include "reference/number.h"

namespace normcheck::reference {
namespace {

constexpr std::size_t kLineWidth = 100;

// Text as a JSON string; what is not UTF-8 is replaced.
std::string JsonString(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The items between brackets, wrapped; `Item(i)` gives the i-th as JSON.
template <typename Item>
std::string WrappedArray(std::size_t count, Item item) {
  std::string out = "[";
  std::size_t line = kLineWidth;  // full, so that the first item opens a line
  for (std::size_t i = 0; i < count; ++i) {
    std::string next = item(i) + (i + 1 < count ? "," : "");
    const bool wrap = line + 1 + next.size() > kLineWidth;
    out += wrap ? "\n    " : " ";
    line = (wrap ? 4 : line + 1) + next.size();
    out += next;
  }
  return out + "]";
}

std::string NumbersText(const std::vector<Bits>& numbers, Format format) {
  return WrappedArray(numbers.size(), [&](std::size_t i) { return '"' + HexText(numbers[i], format) + '"'; });
}

std::string ExpectedText(const std::vector<Expected>& expected) {
  return WrappedArray(expected.size(), [&](std::size_t i) { return expected[i] ? JsonString(*expected[i]) : "null"; });
}

}  // namespace

std::string CaseText(const Case& c) {
  const auto name = [](Format format) { return norm::TraitsOf(format).name; };
  std::string out = fmt::format(
      "{{\"schema\": \"normcheck/case/1\", \"op\": \"{}\",\n"
      "  \"x_format\": \"{}\", \"param_format\": \"{}\", \"y_format\": \"{}\",\n"
      "  \"rows\": {}, \"width\": {}, \"epsilon\": \"{}\"",
      norm::NameOf(c.op), name(c.formats.x), name(c.formats.params), name(c.formats.y), c.rows, c.width, HexText(c.epsilon));
  if (c.x_pitch != c.width) out += fmt::format(", \"pitch\": {}", c.x_pitch);
  if (c.y_pitch != c.x_pitch) out += fmt::format(", \"y_pitch\": {}", c.y_pitch);
  if (!c.source.empty()) out += ",\n  \"source\": " + JsonString(c.source);
  out += ",\n  \"x\": " + NumbersText(c.x, c.formats.x);
  if (c.gamma) out += ",\n  \"gamma\": " + NumbersText(*c.gamma, c.formats.params);
  if (c.beta) out += ",\n  \"beta\": " + NumbersText(*c.beta, c.formats.params);
  if (!c.expected.empty()) out += ",\n  \"expected\": " + ExpectedText(c.expected);
  return out + "}\n";
}

}  // namespace normcheck::reference
