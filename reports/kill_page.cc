// Prepares the kill matrix's JSON for its page.
#include "reports/kill_page.h"

#include <algorithm>
#include <cmath>

#include "reports/page.h"
#include "reports/template.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kLongestRow = 160;

std::string Joined(const Json& list) {
  std::string text;
  for (const Json& item : list) text += (text.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : item.dump());
  return text;
}

// "3, –, 17": by seed.
std::string Counts(const Json& kill) {
  std::string text;
  for (const Json& count : kill.at("cases_to_kill"))
    text += (text.empty() ? "" : ", ") + (count == 0 ? std::string("–") : count.dump());
  return text;
}

// Colour step: 0 for the first case, then two a decade.
int StepOf(std::uint64_t cases) {
  return std::min(9, static_cast<int>(std::ceil(2 * std::log10(static_cast<double>(cases)))) + (cases > 1 ? 1 : 0));
}

// The most cases over the seeds; "–" where one let the mutant live, nothing where the law does not apply.
Json CellOf(const Json* kill, bool applies) {
  if (!applies) return {{"killed", false}, {"mark", ""}, {"sort", -1}};
  std::uint64_t most = 0;
  bool lives = kill == nullptr;
  for (const Json& count : kill == nullptr ? Json::array() : kill->at("cases_to_kill")) {
    lives = lives || count == 0;
    most = std::max(most, count.get<std::uint64_t>());
  }
  if (lives) return {{"killed", false}, {"mark", "–"}, {"sort", 1e9}};
  return {{"killed", true}, {"most", most}, {"decade", StepOf(most)}};
}

std::string ShrunkText(const Json& kill) {
  const std::string text = kill.at("shrunk").get<std::string>();
  return text.size() <= kLongestRow ? text : text.substr(0, kLongestRow) + " ...";
}

const Json* KillBy(const Json& mutant, const Json& law) {
  const Json& kills = mutant.at("kills");
  const auto found = std::ranges::find_if(kills, [&](const Json& kill) { return kill.at("law") == law; });
  return found == kills.end() ? nullptr : &*found;
}

Json MutantEntry(const Json& mutant, const Json& laws) {
  const std::string name = mutant.at("name").get<std::string>();
  Json entry = {{"mutant", name}, {"about", mutant.at("about")}, {"anchor", "shrunk-" + name.substr(name.find(':') + 1)},
                {"killers", mutant.at("kills").size()}};
  entry["cells"] = Json::array();
  for (const Json& law : laws) {
    const Json* const kill = KillBy(mutant, law.at("name"));
    const Json& survived = mutant.at("survived");
    entry["cells"].push_back(CellOf(kill, kill != nullptr || std::ranges::find(survived, law.at("name")) != survived.end()));
  }
  entry["kills"] = Json::array();
  for (const Json& kill : mutant.at("kills"))
    entry["kills"].push_back({{"law", kill.at("law")}, {"counts", Counts(kill)}, {"shrunk", ShrunkText(kill)}});
  return entry;
}

}  // namespace

std::string KillMatrixPage(const Json& matrix) {
  Json values = {{"style", kPageStyle}, {"script", kPageScript}, {"cases", matrix.at("cases")},
                 {"seeds", Joined(matrix.at("seeds"))}, {"survivors", Joined(matrix.at("survivors"))},
                 {"idle_laws", Joined(matrix.at("idle_laws"))}, {"laws", matrix.at("laws")},
                 {"mutant_count", matrix.at("mutants").size()}, {"law_count", matrix.at("laws").size()}};
  values["mutants"] = Json::array();
  for (const Json& mutant : matrix.at("mutants")) values["mutants"].push_back(MutantEntry(mutant, matrix.at("laws")));
  return FillTemplate(kKillMatrixTemplate, values);
}

}  // namespace normcheck::reports
