// Prepares the comparison of two reports.
#include "reports/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "reports/compare.h"
#include "reports/page.h"
#include "reports/summary.h"
#include "reports/template.h"

namespace normcheck::reports {
namespace {

using reference::Error;
using reference::Result;
using Pair = std::pair<std::size_t, std::size_t>;

constexpr std::size_t kShownCells = 100;

std::string NameOf(const Json& kernel) { return kernel.at("name").get<std::string>(); }

std::vector<Pair> PairsOf(const Json& before, const Json& after) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::size_t j = 0; j < after.size(); ++j)
      if (NameOf(before[i]) == NameOf(after[j])) pairs.emplace_back(i, j);
  if (!pairs.empty()) return pairs;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) pairs.emplace_back(i, i);
  return pairs;
}

Json TotalsText(const Totals* totals) {
  if (totals == nullptr) return {{"text", "-"}, {"broken", false}};
  const std::string worst = totals->class_faults > 0 ? "class" : UlpText(totals->max_row_ulp);
  return {{"text", fmt::format("{} ({})", worst, UlpText(totals->max_ulp))},
          {"share", ShareText(totals->correctly_rounded, totals->judged)},
          {"broken", !totals->kept}};
}

Json FamilyRows(const KernelSummary& before, const KernelSummary& after, const Comparison& comparison) {
  Json rows = Json::array();
  for (const std::string& family : FamilyNames({before, after})) {
    std::size_t worse = 0, better = 0;
    for (const CellMoves& cell : comparison.moved) {
      if (FamilyOf(cell) != family) continue;
      worse += cell.worse ? 1 : 0;
      better += cell.better && !cell.worse ? 1 : 0;
    }
    rows.push_back({{"family", family},
                    {"before", TotalsText(Find(before.families, family))},
                    {"after", TotalsText(Find(after.families, family))},
                    {"worse", worse},
                    {"better", better},
                    {"moved", worse + better > 0}});
  }
  return rows;
}

Json CellEntry(const CellMoves& cell) {
  Json entry = {{"cell", cell.cell}, {"worse", cell.worse}, {"moves", Json::array()}};
  if (cell.before == nullptr) entry["note"] = "only in the second run";
  if (cell.after == nullptr) entry["note"] = "only in the first run";
  for (const Move& move : cell.moves)
    entry["moves"].push_back({{"figure", move.figure}, {"before", move.before.dump()}, {"after", move.after.dump()}, {"worse", move.worse}});
  return entry;
}

Json KernelEntry(const Json& before, const Json& after, const KernelSummary& was, const KernelSummary& is) {
  Comparison comparison;
  Compare(before, after, comparison);
  const auto worse = std::ranges::count_if(comparison.moved, &CellMoves::worse);
  const auto better = std::ranges::count_if(comparison.moved, [](const CellMoves& cell) { return cell.better && !cell.worse; });
  Json entry = {{"name", was.name == is.name ? is.name : was.name + " and " + is.name},
                {"worse", worse},
                {"better", better},
                {"cells", comparison.cells},
                {"any_worse", worse > 0},
                {"same", comparison.moved.empty()},
                {"before_sentence", was.sentence},
                {"after_sentence", is.sentence},
                {"families", FamilyRows(was, is, comparison)},
                {"moved", Json::array()}};
  for (std::size_t i = 0; i < std::min(comparison.moved.size(), kShownCells); ++i) entry["moved"].push_back(CellEntry(comparison.moved[i]));
  if (comparison.moved.size() > kShownCells) entry["left_out"] = comparison.moved.size() - kShownCells;
  return entry;
}

Json EnvironmentRows(const Json& before, const Json& after) {
  const Json& a = before.at("environment");
  const Json& b = after.at("environment");
  std::vector<std::string> names;
  for (const Json* side : {&a, &b})
    for (const auto& [name, value] : side->items())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  Json rows = Json::array();
  for (const std::string& name : names) {
    const std::string was = a.value(name, "-"), is = b.value(name, "-");
    rows.push_back({{"name", name}, {"before", was}, {"after", is}, {"differs", was != is}});
  }
  return rows;
}

std::string MarkdownKernel(const Json& kernel) {
  const auto text = [](const Json& json, const char* name) { return json.at(name).get<std::string>(); };
  std::string markdown = fmt::format("### `{}`\n\n{} cells compared, {} worse, {} better.\n\n- first run: {}.\n- second run: {}.\n\n",
                                     text(kernel, "name"), kernel.at("cells").dump(), kernel.at("worse").dump(),
                                     kernel.at("better").dump(), text(kernel, "before_sentence"), text(kernel, "after_sentence"));
  markdown += "| family | first | second | worse | better |\n|---|---:|---:|---:|---:|\n";
  for (const Json& row : kernel.at("families"))
    markdown += fmt::format("| {} | {} | {} | {} | {} |\n", text(row, "family"), text(row.at("before"), "text"),
                            text(row.at("after"), "text"), row.at("worse").dump(), row.at("better").dump());
  return markdown + "\n";
}

}  // namespace

Result<Json> DiffValues(const Json& before, const std::string& before_file, const Json& after, const std::string& after_file) {
  for (const char* field : {"mode", "seed"})
    if (before.at(field) != after.at(field))
      return Error{fmt::format("{}: {}: {}, but {} has {}; compare runs over the same rows", after_file, field, after.at(field).dump(),
                               before_file, before.at(field).dump())};
  const std::vector<Pair> pairs = PairsOf(before.at("kernels"), after.at("kernels"));
  if (pairs.empty()) return Error{after_file + ": kernels: none to compare; name reports with kernels"};
  const std::vector<KernelSummary> was = Summarize(before), is = Summarize(after);
  Json values = {{"style", kPageStyle}, {"before", before_file}, {"after", after_file}, {"mode", before.at("mode")},
                 {"seed", before.at("seed").dump()}, {"kernels", Json::array()}};
  for (const auto& [i, j] : pairs)
    values["kernels"].push_back(KernelEntry(before.at("kernels")[i], after.at("kernels")[j], was[i], is[j]));
  values["environment"] = EnvironmentRows(before, after);
  return values;
}

std::string DiffMarkdown(const Json& values) {
  std::string markdown = fmt::format("## normcheck: two runs compared\n\nFirst `{}`, second `{}`; mode {}, seed {}. Worst error in row "
                                     "ulps, in brackets in element ulps.\n\n",
                                     values.at("before").get<std::string>(), values.at("after").get<std::string>(),
                                     values.at("mode").get<std::string>(), values.at("seed").get<std::string>());
  for (const Json& kernel : values.at("kernels")) markdown += MarkdownKernel(kernel);
  markdown += "| environment | first | second |\n|---|---|---|\n";
  for (const Json& row : values.at("environment"))
    markdown += fmt::format("| {} | {} | {} |\n", row.at("name").get<std::string>(), row.at("before").get<std::string>(),
                            row.at("after").get<std::string>());
  return markdown;
}

std::string DiffPage(const Json& values) { return FillTemplate(kDiffTemplate, values); }

}  // namespace normcheck::reports
