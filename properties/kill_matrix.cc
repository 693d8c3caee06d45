// Runs every duel and writes the matrix down.
#include "properties/kill_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "properties/case_gen.h"
#include "properties/kernels.h"

namespace normcheck::properties {
namespace {

constexpr std::size_t kLongestLine = 200;

bool Kills(const Duel& duel) {
  return std::ranges::any_of(duel.cases_to_kill, [](std::uint64_t cases) { return cases > 0; });
}

std::string OneLine(const Case& c) {
  std::ostringstream line;
  showValue(c, line);
  std::string text = line.str();
  return text.size() <= kLongestLine ? text : text.substr(0, kLongestLine) + "...";
}

// A mutant with a state starts anew with every run, so that a duel does not depend on those before it.
Duel Fight(const norm::Kernel& mutant, const Law& law, const KillOptions& options) {
  Duel duel;
  duel.mutant = mutant.name;
  duel.law = law.name;
  for (std::uint64_t seed : options.seeds) {
    PropertyOptions run_options;
    run_options.cases = options.cases;
    run_options.seed = {seed};
    const auto fresh = FindKernel(mutant.name);
    const LawRun run = RunLaw(fresh.ok() ? fresh.value() : mutant, law, run_options);
    duel.applicable = run.state != LawRun::State::kNotApplicable;
    const bool killed = run.state == LawRun::State::kBroken;
    if (killed && !Kills(duel) && run.shrunk) {
      duel.shrunk_rows = run.shrunk->rows;
      duel.shrunk_width = run.shrunk->width;
      duel.shrunk = OneLine(*run.shrunk);
    }
    duel.cases_to_kill.push_back(killed ? run.cases : 0);
  }
  return duel;
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
  for (const norm::Kernel& mutant : mutants) {
    if (options.progress) options.progress(mutant.name);
    matrix.mutants.push_back(mutant.name);
    for (const Law& law : Laws()) matrix.duels.push_back(Fight(mutant, law, options));
  }
  return matrix;
}

std::string KillMatrixJson(const KillMatrix& matrix) {
  nlohmann::ordered_json duels = nlohmann::ordered_json::array();
  for (const Duel& duel : matrix.duels) {
    if (!duel.applicable) continue;
    nlohmann::ordered_json entry = {{"mutant", duel.mutant}, {"law", duel.law}, {"cases_to_kill", duel.cases_to_kill}};
    if (Kills(duel)) entry.update({{"rows", duel.shrunk_rows}, {"width", duel.shrunk_width}, {"shrunk", duel.shrunk}});
    duels.push_back(std::move(entry));
  }
  const nlohmann::ordered_json json = {{"schema", "normcheck/kill-matrix/1"}, {"cases", matrix.options.cases},
                                       {"seeds", matrix.options.seeds},       {"survivors", matrix.Survivors()},
                                       {"idle_laws", matrix.IdleLaws()},      {"duels", std::move(duels)}};
  return json.dump(1) + "\n";
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
