// Prepares the kill matrix's JSON for its page.
#include "reports/kill_page.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/page.h"
#include "reports/template.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kLongestRow = 160;

// Values of `field` over the duels, each once, in order of appearance.
std::vector<std::string> Names(const Json& duels, const char* field) {
  std::vector<std::string> names;
  for (const Json& duel : duels) {
    const std::string name = duel.at(field).get<std::string>();
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string Joined(const Json& list) {
  std::string text;
  for (const Json& item : list) text += (text.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : item.dump());
  return text;
}

std::string Counts(const Json& duel) {
  std::string text;
  for (const Json& count : duel.at("cases_to_kill"))
    text += (text.empty() ? "" : ", ") + (count == 0 ? std::string("–") : count.dump());
  return text;
}

// Colour step: 0 for the first case, then two a decade.
int StepOf(std::uint64_t cases) {
  return std::min(9, static_cast<int>(std::ceil(2 * std::log10(static_cast<double>(cases)))) + (cases > 1 ? 1 : 0));
}

Json CellOf(const Json* duel) {
  if (duel == nullptr) return {{"killed", false}, {"mark", ""}, {"sort", -1}};
  const Json& counts = duel->at("cases_to_kill");
  const bool lives = std::ranges::any_of(counts, [](const Json& count) { return count == 0; });
  if (lives || counts.empty()) return {{"killed", false}, {"mark", "–"}, {"sort", 1e9}};
  std::uint64_t most = 0;
  for (const Json& count : counts) most = std::max(most, count.get<std::uint64_t>());
  return {{"killed", true}, {"most", most}, {"decade", StepOf(most)}};
}

std::string ShrunkText(const Json& duel) {
  const std::string text = duel.value("shrunk", "");
  return text.size() <= kLongestRow ? text : text.substr(0, kLongestRow) + " ...";
}

Json MutantEntry(const std::string& mutant, const std::vector<std::string>& laws, const std::map<std::string, const Json*>& duels) {
  Json entry = {{"mutant", mutant}, {"anchor", "shrunk-" + mutant.substr(mutant.find(':') + 1)}, {"cells", Json::array()}, {"kills", Json::array()}};
  for (const std::string& law : laws) {
    const auto found = duels.find(law);
    const Json* const duel = found == duels.end() ? nullptr : found->second;
    entry["cells"].push_back(CellOf(duel));
    if (duel != nullptr && duel->contains("shrunk"))
      entry["kills"].push_back({{"law", law}, {"counts", Counts(*duel)}, {"shrunk", ShrunkText(*duel)}});
  }
  entry["killers"] = entry.at("kills").size();
  return entry;
}

}  // namespace

std::string KillMatrixPage(const Json& matrix) {
  const Json& duels = matrix.at("duels");
  const std::vector<std::string> laws = Names(duels, "law");
  const std::vector<std::string> mutants = Names(duels, "mutant");
  std::map<std::string, std::map<std::string, const Json*>> by_mutant;
  for (const Json& duel : duels) by_mutant[duel.at("mutant").get<std::string>()][duel.at("law").get<std::string>()] = &duel;
  Json values = {{"style", kPageStyle}, {"script", kPageScript}, {"cases", matrix.at("cases")},
                 {"seeds", Joined(matrix.at("seeds"))}, {"survivors", Joined(matrix.at("survivors"))},
                 {"idle_laws", Joined(matrix.at("idle_laws"))}, {"mutant_count", mutants.size()}, {"law_count", laws.size()}};
  values["laws"] = Json::array();
  for (const std::string& law : laws) values["laws"].push_back({{"law", law}});
  values["mutants"] = Json::array();
  for (const std::string& mutant : mutants) values["mutants"].push_back(MutantEntry(mutant, laws, by_mutant.at(mutant)));
  return FillTemplate(kKillMatrixTemplate, values);
}

}  // namespace normcheck::reports
