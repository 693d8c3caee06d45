// Runs every duel and writes the matrix down.
#include "properties/kill_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "properties/case_gen.h"
#include "properties/forked.h"
#include "properties/kernels.h"

namespace normcheck::properties {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestLine = 200;
// Of large calls: one round. A million elements take a mutant's engine 0.1 s.
constexpr int kCasesOfARound = 200;

bool Kills(const Duel& duel) {
  return std::ranges::any_of(duel.cases_to_kill, [](std::uint64_t cases) { return cases > 0; });
}

std::string OneLine(const Case& c) {
  std::ostringstream line;
  showValue(c, line);
  std::string text = line.str();
  return text.size() <= kLongestLine ? text : text.substr(0, kLongestLine) + "...";
}

// A mutant with a state starts anew with every run, so that a duel does not depend on those before it. One kill is shrunk.
void FightOnce(const Law& law, const PropertyOptions& options, Duel& duel) {
  const LawRun run = RunLaw(options.fresh(), law, options);
  duel.applicable = run.state != LawRun::State::kNotApplicable;
  const bool killed = run.state == LawRun::State::kBroken;
  if (killed && options.shrink && run.shrunk) {
    duel.shrunk_rows = run.shrunk->rows;
    duel.shrunk_width = run.shrunk->width;
    duel.shrunk = OneLine(*run.shrunk);
  }
  duel.cases_to_kill.push_back(killed ? run.cases : 0);
}

Duel Fight(const norm::Kernel& mutant, const Law& law, const KillOptions& options) {
  Duel duel;
  duel.mutant = mutant.name;
  duel.law = law.name;
  for (std::uint64_t seed : options.seeds) {
    PropertyOptions run_options;
    run_options.cases = law.round != nullptr ? std::min(options.cases, kCasesOfARound) : options.cases;
    run_options.seed = {seed};
    run_options.shrink = !Kills(duel);
    run_options.fresh = [&] { return FindKernel(mutant.name).value(); };
    FightOnce(law, run_options, duel);
  }
  return duel;
}

// A mutant's part of the matrix, as it stands in the file and comes back from the process that made it.
Json MutantJson(const norm::Kernel& mutant, std::span<const Duel> duels) {
  Json kills = Json::array(), survived = Json::array();
  for (const Duel& duel : duels) {
    if (!duel.applicable) continue;
    if (!Kills(duel)) survived.push_back(duel.law);
    else kills.push_back({{"law", duel.law}, {"cases_to_kill", duel.cases_to_kill}, {"rows", duel.shrunk_rows},
                          {"width", duel.shrunk_width}, {"shrunk", duel.shrunk}});
  }
  return {{"name", mutant.name}, {"about", mutant.about}, {"kills", std::move(kills)}, {"survived", std::move(survived)}};
}

Json FightAll(const norm::Kernel& mutant, const KillOptions& options) {
  std::vector<Duel> duels;
  for (const Law& law : Laws()) duels.push_back(Fight(mutant, law, options));
  return MutantJson(mutant, duels);
}

void AddDuels(const Json& mutant, KillMatrix& matrix) {
  for (const std::string& law : matrix.laws) {
    Duel duel;
    duel.mutant = mutant["name"];
    duel.law = law;
    const auto kill = std::ranges::find_if(mutant["kills"], [&](const Json& entry) { return entry["law"] == law; });
    duel.applicable = kill != mutant["kills"].end() || std::ranges::find(mutant["survived"], Json(law)) != mutant["survived"].end();
    duel.cases_to_kill.assign(matrix.options.seeds.size(), 0);
    if (kill != mutant["kills"].end()) {
      duel.cases_to_kill = (*kill)["cases_to_kill"].get<std::vector<std::uint64_t>>();
      duel.shrunk_rows = (*kill)["rows"];
      duel.shrunk_width = (*kill)["width"];
      duel.shrunk = (*kill)["shrunk"];
    }
    matrix.duels.push_back(std::move(duel));
  }
}

// An array with one line an entry.
std::string Lines(const std::vector<Json>& entries) {
  std::string text;
  for (const Json& entry : entries) text += (text.empty() ? "" : ",\n") + entry.dump();
  return "[\n" + text + "]";
}

std::vector<const Duel*> DuelsOf(const KillMatrix& matrix, const std::string& mutant) {
  std::vector<const Duel*> duels;
  for (const Duel& duel : matrix.duels)
    if (duel.mutant == mutant) duels.push_back(&duel);
  return duels;
}

std::string Counts(const Duel& duel) {
  std::string text;
  for (std::uint64_t cases : duel.cases_to_kill) text += (text.empty() ? "" : ", ") + (cases == 0 ? std::string("-") : std::to_string(cases));
  return text;
}

// The duel that killed with the fewest cases over all seeds.
const Duel* Quickest(const std::vector<const Duel*>& duels) {
  const Duel* best = nullptr;
  const auto cost = [](const Duel& duel) {
    std::uint64_t sum = 0;
    for (std::uint64_t cases : duel.cases_to_kill) sum += cases == 0 ? 1'000'000 : cases;
    return sum;
  };
  for (const Duel* duel : duels)
    if (Kills(*duel) && (best == nullptr || cost(*duel) < cost(*best))) best = duel;
  return best;
}

std::string Names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

}  // namespace

std::vector<std::string> KillMatrix::Survivors() const {
  std::vector<std::string> survivors;
  for (const std::string& mutant : mutants) {
    const auto duels_of = DuelsOf(*this, mutant);
    for (std::size_t seed = 0; seed < options.seeds.size(); ++seed) {
      if (std::ranges::any_of(duels_of, [&](const Duel* duel) { return duel->cases_to_kill[seed] > 0; })) continue;
      survivors.push_back(mutant);
      break;
    }
  }
  return survivors;
}

std::vector<std::string> KillMatrix::IdleLaws() const {
  std::vector<std::string> idle;
  for (const std::string& law : laws)
    if (std::ranges::none_of(duels, [&](const Duel& duel) { return duel.law == law && Kills(duel); })) idle.push_back(law);
  return idle;
}

KillMatrix MakeKillMatrix(std::span<const norm::Kernel> mutants, const KillOptions& options) {
  KillMatrix matrix;
  matrix.options = options;
  for (const Law& law : Laws()) matrix.laws.emplace_back(law.name);
  const auto texts = RunForked(
      mutants.size(), [&](std::size_t i) { return FightAll(mutants[i], options).dump(); },
      [&](std::size_t i) { if (options.progress) options.progress(mutants[i].name); });
  for (const std::string& text : texts) {
    const Json mutant = Json::parse(text);
    matrix.mutants.push_back(mutant["name"]);
    AddDuels(mutant, matrix);
  }
  return matrix;
}

std::string KillMatrixJson(const KillMatrix& matrix) {
  std::vector<Json> laws, mutants;
  for (const Law& law : Laws()) laws.push_back({{"name", law.name}, {"about", law.about}});
  const std::span duels(matrix.duels);
  for (std::size_t i = 0; i < matrix.mutants.size(); ++i)
    mutants.push_back(MutantJson(FindKernel(matrix.mutants[i]).value(), duels.subspan(i * matrix.laws.size(), matrix.laws.size())));
  return fmt::format("{{\"schema\":\"normcheck/kill-matrix/1\",\n\"cases\":{},\n\"seeds\":{},\n\"survivors\":{},\n\"idle_laws\":{},\n\"laws\":{},\n\"mutants\":{}}}\n",
                     matrix.options.cases, Json(matrix.options.seeds).dump(), Json(matrix.Survivors()).dump(), Json(matrix.IdleLaws()).dump(),
                     Lines(laws), Lines(mutants));
}

std::string KillMatrixMarkdown(const KillMatrix& matrix) {
  std::string text = fmt::format("# Kill matrix\n\n{} mutants against {} laws, each law alone, at most {} cases, {} seeds. Cases to kill are given by seed "
                                 "(- survived).\n\nMutants that live through every law at some seed: {}. Laws that kill none: {}.\n\n",
                                 matrix.mutants.size(), matrix.laws.size(), matrix.options.cases, matrix.options.seeds.size(),
                                 Names(matrix.Survivors()), Names(matrix.IdleLaws()));
  text += "| mutant | killed by | quickest law | after cases | shrunk case |\n|---|---|---|---|---|\n";
  for (const std::string& mutant : matrix.mutants) {
    const auto duels = DuelsOf(matrix, mutant);
    const auto killers = std::ranges::count_if(duels, [](const Duel* duel) { return Kills(*duel); });
    const Duel* const best = Quickest(duels);
    text += fmt::format("| {} | {} laws | {} | {} | {} |\n", mutant, killers, best ? best->law : "", best ? Counts(*best) : "", best ? best->shrunk : "");
  }
  text += "\n| law | mutants that it kills alone | not asked of |\n|---|---|---|\n";
  for (const std::string& law : matrix.laws) {
    const auto of_law = [&](auto predicate) {
      return std::ranges::count_if(matrix.duels, [&](const Duel& duel) { return duel.law == law && predicate(duel); });
    };
    text += fmt::format("| {} | {} | {} |\n", law, of_law(Kills), of_law([](const Duel& duel) { return !duel.applicable; }));
  }
  return text;
}

}  // namespace normcheck::properties
