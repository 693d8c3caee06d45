// Decides the gate and says what moved.
#include "reports/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/read_report.h"

namespace normcheck::reports {
namespace {

using reference::Error;
using reference::Result;

constexpr std::size_t kToldCells = 8;
constexpr std::size_t kTextWidth = 80;

const Json* KernelNamed(const Json& report, const std::string& name) {
  for (const Json& kernel : report.at("kernels"))
    if (kernel.at("name").get<std::string>() == name) return &kernel;
  return nullptr;
}

Error Differs(const std::string& file, const std::string& field, const std::string& has, const std::string& run) {
  return {fmt::format("{}: {}: the baseline has {}, this run {}; make a baseline of the same kind with --baseline", file, field, has, run)};
}

void Count(GateResult& gate) {
  for (const CellMoves& cell : gate.comparison.moved) {
    if (cell.worse) ++gate.worse;
    else if (cell.before == nullptr) ++gate.added;
    else ++gate.better;
  }
}

void ListAllowed(const Json& before, const Json& after, GateResult& gate) {
  std::vector<std::string> broken;
  for (const Json& cell : before.at("cells"))
    if (!cell.at("kept").get<bool>()) broken.push_back(CellName(cell));
  const std::string kernel = after.at("name").get<std::string>();
  for (const Json& law : before.value("laws", Json::array()))
    if (law.at("state") == "broken") broken.push_back("law " + law.at("law").get<std::string>());
  const auto is_worse = [&](const std::string& name) {
    return std::ranges::any_of(gate.comparison.moved,
                               [&](const CellMoves& c) { return c.worse && c.kernel == kernel && c.cell == name; });
  };
  const auto list = [&](const std::string& name) {
    if (std::ranges::find(broken, name) != broken.end() && !is_worse(name)) gate.allowed.push_back(kernel + " " + name);
  };
  for (const Json& cell : after.at("cells"))
    if (!cell.at("kept").get<bool>()) list(CellName(cell));
  for (const Json& law : after.value("laws", Json::array()))
    if (law.at("state") == "broken") list("law " + law.at("law").get<std::string>());
}

std::string Short(const Json& value) {
  if (value.is_number_float()) return fmt::format("{:.7g}", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string Fitted(const std::string& text) {
  return text.size() <= kTextWidth ? text + "\n" : text.substr(0, kTextWidth - 1) + "~\n";
}

std::string MoveLine(const Move& move) {
  return Fitted(fmt::format("    {:<18} {} -> {}{}", move.figure, Short(move.before), Short(move.after), move.worse ? "" : "  better"));
}

std::string CellLines(const CellMoves& cell) {
  const std::string_view word = cell.before == nullptr ? "new  " : cell.worse ? "worse" : "better";
  std::string text = Fitted(fmt::format("{} {}: {}", word, cell.kernel, cell.cell));
  if (cell.after == nullptr && cell.worse) text += "    not checked any more\n";
  if (cell.before == nullptr && cell.worse) text += "    broken, and not in the baseline\n";
  for (const Move& move : cell.moves)
    if (!cell.worse || move.worse) text += MoveLine(move);
  return text;
}

std::string Section(const GateResult& gate, const char* what, bool (*wanted)(const CellMoves&)) {
  std::string text;
  std::size_t seen = 0;
  for (const CellMoves& cell : gate.comparison.moved)
    if (wanted(cell) && seen++ < kToldCells) text += CellLines(cell);
  if (seen > kToldCells) text += fmt::format("... and {} more {} cells in gate.sarif\n", seen - kToldCells, what);
  return text;
}

// A baseline of an earlier version has no laws.
std::string WithoutLaws(const GateResult& gate) {
  const std::vector<std::string>& kernels = gate.comparison.without_laws;
  if (kernels.empty()) return "";
  return Fitted(fmt::format("laws not compared, the baseline has none: {}", fmt::join(kernels, ", ")));
}

std::string AllowedText(const GateResult& gate) {
  if (gate.allowed.empty()) return "";
  std::string text = fmt::format("allowed: {} broken cells or laws, broken in the baseline too\n", gate.allowed.size());
  for (std::size_t i = 0; i < std::min(gate.allowed.size(), kToldCells); ++i) text += Fitted("    " + gate.allowed[i]);
  if (gate.allowed.size() > kToldCells) text += fmt::format("    ... and {} more in gate.sarif\n", gate.allowed.size() - kToldCells);
  return text;
}

}  // namespace

Result<bool> CheckBaseline(const std::string& file, const Json& baseline, const GatedRun& run) {
  if (baseline.contains("interrupted")) return Error{file + ": interrupted: an unfinished run is no baseline; make a whole one"};
  if (baseline.contains("shard")) return Error{file + ": shard: one shard is no baseline; merge all with --merge"};
  const std::string mode = baseline.at("mode").get<std::string>();
  if (mode != NameOf(run.mode)) return Differs(file, "mode", mode, std::string(NameOf(run.mode)));
  const auto seed = baseline.at("seed").get<std::uint64_t>();
  if (seed != run.seed.value) return Differs(file, "seed", std::to_string(seed), std::to_string(run.seed.value));
  for (const auto& [name, contract] : run.kernels) {
    const Json* kernel = KernelNamed(baseline, name);
    if (kernel == nullptr) return Error{fmt::format("{}: kernels: {} is not in the baseline; make one with --baseline", file, name)};
    const std::string judged = kernel->at("contract").get<std::string>();
    if (judged != contract) return Differs(file, "kernels: contract of " + name, judged, contract);
  }
  return true;
}

GateResult Gate(const std::string& file, const Json& baseline, const Json& report) {
  GateResult gate;
  gate.baseline = file;
  for (const Json& kernel : report.at("kernels")) {
    const Json& before = *KernelNamed(baseline, kernel.at("name").get<std::string>());
    Compare(before, kernel, gate.comparison);
    ListAllowed(before, kernel, gate);
  }
  for (const Json& kernel : baseline.at("kernels")) {
    const std::string name = kernel.at("name").get<std::string>();
    if (KernelNamed(report, name) == nullptr) gate.not_run.push_back(name);
  }
  Count(gate);
  return gate;
}

std::string GateText(const GateResult& gate) {
  std::string text = fmt::format("gate {}: {} cells and {} laws compared, {} worse, {} better, {} new\n",
                                 gate.passed() ? "passed" : "FAILED", gate.comparison.cells, gate.comparison.laws, gate.worse,
                                 gate.better, gate.added);
  text += WithoutLaws(gate);
  text += Section(gate, "worse", [](const CellMoves& c) { return c.worse; });
  text += Section(gate, "better", [](const CellMoves& c) { return !c.worse && c.before != nullptr; });
  text += Section(gate, "new", [](const CellMoves& c) { return !c.worse && c.before == nullptr; });
  text += AllowedText(gate);
  for (const std::string& kernel : gate.not_run) text += Fitted("not run: " + kernel);
  if (gate.better + gate.added > 0) text += "To claim what is better or new, make the baseline anew with --baseline.\n";
  return text;
}

}  // namespace normcheck::reports
