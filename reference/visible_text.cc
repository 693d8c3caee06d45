// Walks UTF-8 by the table of well-formed byte sequences (Unicode 15, table 3-7).
#include "reference/visible_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace normcheck::reference {
namespace {

// The range of a sequence's second byte, by its first: overlong forms, surrogates and values beyond U+10FFFF are left out.
bool IsSecond(std::uint8_t first, std::uint8_t second) {
  const std::uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const std::uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}

// Bytes of the well-formed sequence at the front of `text`; 0 where there is none.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length == 0 || text.size() < length || !IsSecond(first, byte(1))) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

// C0 but newline and tab, DEL, and C1 (0xc2 0x80 to 0xc2 0x9f), which terminals obey too.
bool IsControl(std::string_view sequence) {
  const auto first = static_cast<std::uint8_t>(sequence[0]);
  if (sequence.size() == 2) return first == 0xc2 && static_cast<std::uint8_t>(sequence[1]) < 0xa0;
  return sequence.size() == 1 && ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7f);
}

void AppendEscaped(std::string_view bytes, std::string& out) {
  for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
}

template <typename Json>
Json WithVisibleStrings(const Json& json) {
  if (json.is_string()) return VisibleText(json.template get_ref<const std::string&>());
  if (!json.is_structured()) return json;
  Json copy = json.is_object() ? Json::object() : Json::array();
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) copy[VisibleText(key)] = WithVisibleStrings(value);
    else copy.push_back(WithVisibleStrings(value));
  }
  return copy;
}

template <typename Json>
std::string Dumped(const Json& json, int indent) {
  try {
    return json.dump(indent);
  } catch (const typename Json::type_error&) {
    return WithVisibleStrings(json).dump(indent);
  }
}

}  // namespace

std::string VisibleText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const std::string_view taken = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || IsControl(taken)) AppendEscaped(taken, out);
    else out += taken;
    text.remove_prefix(taken.size());
  }
  return out;
}

std::string JsonText(const nlohmann::json& json, int indent) { return Dumped(json, indent); }
std::string JsonText(const nlohmann::ordered_json& json, int indent) { return Dumped(json, indent); }

}  // namespace normcheck::reference
