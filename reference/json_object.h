// Reads a flat JSON object, scalars and arrays of scalars, strictly and without recursion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/result.h"

namespace normcheck::reference {

enum class JsonKind : std::uint8_t { kNull, kBool, kInteger, kReal, kString };

// A scalar: a string's text, or the token as it stands in the file.
struct JsonScalar {
  JsonKind kind = JsonKind::kNull;
  std::string text;
};

// A field holds one scalar, or an array of any number.
struct JsonField {
  std::string name;
  bool is_array = false;
  std::vector<JsonScalar> values;
};

// The fields in their order. Refused: anything that is not UTF-8 JSON, another top level than an object, names that are
// not in `known`, duplicate names, nesting below an array. Stops at the first fault; errors read "field: what; mend" or
// "byte N: what; mend".
Result<std::vector<JsonField>> ReadJsonObject(std::string_view json, std::span<const std::string_view> known);

// A scalar as messages show it: 'text', true, 4.5, null.
std::string Shown(const JsonScalar& scalar);

}  // namespace normcheck::reference
