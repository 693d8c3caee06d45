// A SAX handler that builds a flat object and stops at the first fault.
#include "reference/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "reference/quoted.h"

namespace normcheck::reference {
namespace {

using nlohmann::json;

class FlatObjectHandler : public json::json_sax_t {
 public:
  explicit FlatObjectHandler(std::span<const std::string_view> known) : known_(known) {}

  bool null() override { return Add(JsonKind::kNull, "null"); }
  bool boolean(bool value) override { return Add(JsonKind::kBool, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return Add(JsonKind::kInteger, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Add(JsonKind::kInteger, std::to_string(value)); }
  bool number_float(number_float_t, const string_t& token) override { return Add(JsonKind::kReal, token); }
  bool string(string_t& text) override { return Add(JsonKind::kString, std::move(text)); }
  bool binary(binary_t&) override { return Refuse("byte strings are no JSON; write text"); }

  bool start_object(std::size_t) override {
    if (inside_object_) return Refuse("an object inside the object; write a string, a number or an array of strings");
    inside_object_ = true;
    return true;
  }
  bool key(string_t& name) override {
    const auto same = [&](const JsonField& field) { return field.name == name; };
    const bool twice = std::any_of(fields_.begin(), fields_.end(), same);
    const bool is_known = std::find(known_.begin(), known_.end(), name) != known_.end();
    fields_.push_back({std::move(name), false, {}});
    if (!is_known) return Refuse("an unknown field; remove it, or see the schema for the right name");
    return !twice || Refuse("stands twice; write the field once");
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override {
    if (!inside_object_) return RefuseTopLevel("an array");
    if (inside_array_) return Refuse("an array inside the array; write one flat array");
    inside_array_ = true;
    fields_.back().is_array = true;
    return true;
  }
  bool end_array() override {
    inside_array_ = false;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception&) override {
    if (!fault_) fault_ = fmt::format("byte {}: no JSON from {} on; mend the text there", position, Quoted(TailOf(token)));
    return false;
  }

  std::optional<std::string> fault() const { return fault_; }
  std::vector<JsonField> Take() { return std::move(fields_); }

 private:
  bool Add(JsonKind kind, std::string text) {
    if (!inside_object_) return RefuseTopLevel("a scalar");
    fields_.back().values.push_back({kind, std::move(text)});
    return true;
  }
  bool Refuse(std::string_view what) {
    fault_ = fmt::format("{}: {}", Printable(fields_.back().name), what);
    return false;
  }
  bool RefuseTopLevel(std::string_view found) {
    fault_ = fmt::format("byte 1: {} where an object is needed; write {{\"schema\": ...}}", found);
    return false;
  }
  // The parser's last token holds all that it read of it; the fault is at its end.
  static std::string_view TailOf(std::string_view token) {
    return token.substr(token.size() - std::min<std::size_t>(token.size(), 24));
  }

  std::span<const std::string_view> known_;
  std::vector<JsonField> fields_;
  std::optional<std::string> fault_;
  bool inside_object_ = false;
  bool inside_array_ = false;
};

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

Result<std::vector<JsonField>> ReadJsonObject(std::string_view text, std::span<const std::string_view> known) {
  if (IsBlank(text)) return Error{"byte 1: nothing but blanks; write a JSON object"};
  FlatObjectHandler handler(known);
  const bool read = json::sax_parse(text.begin(), text.end(), &handler);
  if (const auto fault = handler.fault()) return Error{*fault};
  if (!read) return Error{"byte 1: no JSON object; write one"};
  return handler.Take();
}

std::string Shown(const JsonScalar& scalar) {
  if (scalar.kind == JsonKind::kString) return Quoted(scalar.text);
  return Printable(scalar.text);
}

}  // namespace normcheck::reference
