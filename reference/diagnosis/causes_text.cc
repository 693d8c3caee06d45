// Causes for machines and for people.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/diagnosis/causes.h"
#include "reference/wrapped_text.h"

namespace normcheck::reference {
namespace {

std::string_view NameOf(Cause::Kind kind) {
  switch (kind) {
    case Cause::Kind::kMistake: return "mistake";
    case Cause::Kind::kRange: return "range";
    case Cause::Kind::kDescription: break;
  }
  return "description";
}

nlohmann::ordered_json JsonOf(const Cause& cause) {
  nlohmann::ordered_json json;
  json["id"] = cause.ids.size() == 1 ? nlohmann::ordered_json(cause.ids.front()) : nlohmann::ordered_json(nullptr);
  json["kind"] = NameOf(cause.kind);
  if (cause.ids.size() > 1) json["one_of"] = cause.ids;
  json[cause.ids.empty() ? "description" : "text"] = cause.text;
  json["explains"] = cause.explains;
  json["excluded_by"] = cause.excluded_by;
  json["of"] = cause.of;
  if (!cause.except.empty()) json["except"] = cause.except;
  if (!cause.ids.empty()) json["distance_ulp"] = cause.distance;
  json["ops"] = cause.ops;
  json["formats"] = cause.formats;
  json["cases"] = cause.cases;
  return json;
}

std::string LabelOf(const Cause& cause) {
  if (cause.ids.empty()) return std::string(NameOf(cause.kind));
  if (cause.ids.size() == 1) return cause.ids.front();
  return fmt::format("one of: {}", fmt::join(cause.ids, ", "));
}

}  // namespace

nlohmann::ordered_json CausesJson(const std::vector<Cause>& causes) {
  auto json = nlohmann::ordered_json::array();
  for (const Cause& cause : causes) json.push_back(JsonOf(cause));
  return json;
}

std::string CausesText(const std::vector<Cause>& causes) {
  std::string text;
  for (const Cause& cause : causes) {
    const std::string except = cause.except.empty() ? "" : ", not seen where " + cause.except;
    text += fmt::format("cause  {}: explains {} of {} broken {}{}\n{}", LabelOf(cause), cause.explains, cause.of,
                        cause.of == 1 ? "case" : "cases", except, WrappedText(cause.text, 9));
  }
  return text;
}

}  // namespace normcheck::reference
