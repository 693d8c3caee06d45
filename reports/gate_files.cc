// The gate's outcome for CI systems: JUnit XML and SARIF 2.1.0.
#include <fmt/format.h>

#include <map>

#include "reference/visible_text.h"
#include "reports/draft.h"
#include "reports/figures.h"
#include "reports/gate.h"
#include "reports/read_report.h"
#include "reports/template.h"

namespace normcheck::reports {
namespace {

std::string MoveText(const Move& move) { return fmt::format("{} {} -> {}", move.figure, reference::JsonText(move.before), reference::JsonText(move.after)); }

std::string WhatMoved(const CellMoves& cell) {
  if (cell.after == nullptr) return "not checked any more";
  if (cell.before == nullptr) return cell.worse ? "broken, and not in the baseline" : "not in the baseline";
  std::string text;
  for (const Move& move : cell.moves) text += (text.empty() ? "" : "; ") + MoveText(move);
  return text;
}

std::string ReplayOf(const CellMoves& cell) { return cell.after == nullptr ? "" : cell.after->value("replay", std::string()); }

// Families and laws of a kernel, those of the run and those that are gone, with what got worse in each.
std::map<std::string, std::string> FailuresByFamily(const GateResult& gate, const Json& kernel) {
  std::map<std::string, std::string> failures;
  for (const Json& cell : kernel.at("cells")) failures[cell.at("family").get<std::string>()];
  const Json laws = kernel.value("laws", Json::array());
  for (const Json& law : laws) failures["law " + law.at("law").get<std::string>()];
  for (const CellMoves& cell : gate.comparison.moved) {
    if (cell.kernel != kernel.at("name").get<std::string>() || !cell.worse) continue;
    std::string& text = failures[FamilyOf(cell)];
    text += cell.cell + ": " + WhatMoved(cell) + "\n";
    if (!ReplayOf(cell).empty()) text += "  " + ReplayOf(cell) + "\n";
  }
  return failures;
}

Json Rules() {
  Json rules = Json::array();
  const auto add = [&](std::string_view id, std::string_view about) {
    rules.push_back({{"id", id}, {"shortDescription", {{"text", about}}}});
  };
  for (const CellFigure& figure : CellFigures()) add(figure.name, figure.about);
  add("kept", "A contract that was kept is broken.");
  add("fault", "A call as a whole went wrong: refused, foreign memory written, environment changed.");
  add("law", "A law that was kept is broken, or could not be asked.");
  add("cells", "A cell or law of the baseline is gone, or one that it lacks is there.");
  add("allowed", "A contract is broken that the baseline had broken already.");
  return rules;
}

// The worst row where there is one: it opens in the report's folder; else the baseline.
std::string UriOf(const CellMoves& cell, const std::string& baseline) {
  const Json* now = cell.after;
  const std::string file = now == nullptr ? "" : ReportDraft::FileOf(*now);
  return file.empty() ? baseline : file;
}

Json Finding(const std::string& rule, const char* level, const std::string& message, const std::string& uri, const std::string& place) {
  return {{"ruleId", rule},
          {"level", level},
          {"message", {{"text", message}}},
          {"locations", Json::array({{{"physicalLocation", {{"artifactLocation", {{"uri", uri}}}, {"region", {{"startLine", 1}}}}},
                                      {"logicalLocations", Json::array({{{"fullyQualifiedName", place}}})}}})},
          {"partialFingerprints", {{"cellAndFigure/v1", place + " " + rule}}}};
}

// One result a figure, so that each has its own rule.
void AddFindings(const CellMoves& cell, const std::string& baseline, Json& results) {
  const std::string place = cell.kernel + ": " + cell.cell, uri = UriOf(cell, baseline);
  const std::string replay = ReplayOf(cell).empty() ? "" : " Replay: " + ReplayOf(cell);
  if (cell.moves.empty())
    results.push_back(Finding("cells", cell.worse ? "error" : "note", place + ": " + WhatMoved(cell) + "." + replay, uri, place));
  for (const Move& move : cell.moves)
    results.push_back(Finding(move.figure, move.worse ? "error" : "note", place + ": " + MoveText(move) + "." + replay, uri, place));
}

}  // namespace

std::string GateJUnit(const GateResult& gate, const Json& report) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"normcheck gate\">\n";
  for (const Json& kernel : report.at("kernels")) {
    const std::string name = Escape(kernel.at("name").get<std::string>());
    const std::map<std::string, std::string> failures = FailuresByFamily(gate, kernel);
    std::size_t failed = 0;
    std::string tests;
    for (const auto& [family, failure] : failures) {
      if (!failure.empty()) ++failed;
      const std::string inside =
          failure.empty() ? "" : "<failure message=\"worse than the baseline\">" + Escape(failure) + "</failure>";
      tests += fmt::format("    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n", name, Escape(family), inside);
    }
    xml += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n{}  </testsuite>\n", name,
                       failures.size(), failed, tests);
  }
  return xml + "</testsuites>\n";
}

std::string GateSarif(const GateResult& gate) {
  Json results = Json::array();
  for (const CellMoves& cell : gate.comparison.moved) AddFindings(cell, gate.baseline, results);
  for (const std::string& place : gate.allowed)
    results.push_back(Finding("allowed", "note", place + ": broken as in the baseline.", gate.baseline, place));
  const Json driver = {{"name", "normcheck"}, {"version", NORMCHECK_VERSION}, {"rules", Rules()}};
  const Json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", std::move(results)}}})}};
  return reference::JsonText(sarif, 1) + "\n";
}

}  // namespace normcheck::reports
