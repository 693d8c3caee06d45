// Adds up what cells were not asked.
#include "reports/asked.h"

#include <fmt/format.h>

#include <algorithm>

namespace normcheck::reports {

Json AskedJson(const Json& cells) {
  std::uint64_t of = 0, not_asked = 0;
  Json reasons = Json::array();
  for (const Json& cell : cells) {
    for (const char* count : {"judged", "undefined", "no_promise", "not_checked"}) of += cell.at(count).get<std::uint64_t>();
    const Json left_out = cell.value("left_out", Json::object());
    for (const auto& [reason, outputs] : left_out.items()) {
      not_asked += outputs.get<std::uint64_t>();
      if (std::ranges::find(reasons, Json(reason)) == reasons.end()) reasons.push_back(reason);
    }
  }
  return {{"outputs", of - std::min(of, not_asked)}, {"of", of}, {"not", std::move(reasons)}};
}

std::string AskedText(const Json& asked) {
  std::string text = fmt::format("{} of {} outputs", GroupedText(asked.at("outputs").get<std::uint64_t>()),
                                 GroupedText(asked.at("of").get<std::uint64_t>()));
  const char* separator = "; not: ";
  for (const Json& reason : asked.at("not")) {
    text += separator + reason.get<std::string>();
    separator = ", ";
  }
  return text;
}

std::string GroupedText(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace normcheck::reports
