// Worker statistics as a JSON file.
#include "fuzz/worker_stats.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "fuzz/origin.h"
#include "properties/families.h"
#include "reference/case_json.h"
#include "reference/visible_text.h"

namespace normcheck::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWorkerSchema = "normcheck/worker/1";
constexpr int kFormatCount = static_cast<int>(std::size(norm::kFormats));
constexpr std::size_t kWidthBands[] = {3, 16, 256, 4096};

std::size_t WidthBand(std::size_t width) {
  return static_cast<std::size_t>(std::ranges::lower_bound(kWidthBands, width) - std::begin(kWidthBands));
}

template <typename T>
std::optional<T> Named(std::span<const T> all, const std::string& name, auto name_of) {
  const auto found = std::ranges::find(all, name, name_of);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

Json CellJson(const StatsCell& cell, const CellStats& stats) {
  return Json::array({NameOf(cell.op), norm::TraitsOf(cell.formats.x).name, norm::TraitsOf(cell.formats.params).name,
                      norm::TraitsOf(cell.formats.y).name, NameOf(cell.row_class), stats.judged, stats.worst_row_ulp,
                      stats.worst_bound_ratio});
}

// A cell of a later version, with a class that this one does not know, is left out.
void AddCell(const nlohmann::json& json, WorkerStats& stats) {
  const auto op = Named<norm::Op>(norm::kOps, json.at(0), [](norm::Op known) { return norm::NameOf(known); });
  const auto x = norm::FormatNamed(json.at(1).get<std::string>());
  const auto params = norm::FormatNamed(json.at(2).get<std::string>());
  const auto y = norm::FormatNamed(json.at(3).get<std::string>());
  const auto row_class = RowClassNamed(json.at(4).get<std::string>());
  if (!op || !x || !params || !y || !row_class) return;
  stats.cells[{*op, {*x, *params, *y}, *row_class}].Merge({json.at(5), json.at(6), json.at(7)});
}

Json OriginJson(std::size_t origin, RowClass row_class, const CellStats& stats) {
  return Json::array({OriginNames()[origin], NameOf(row_class), stats.judged, stats.worst_row_ulp, stats.worst_bound_ratio});
}

void AddOrigin(const nlohmann::json& json, WorkerStats& stats) {
  const auto row_class = RowClassNamed(json.at(1).get<std::string>());
  if (row_class) stats.origins[{OriginNamed(json.at(0).get<std::string>()), *row_class}].Merge({json.at(2), json.at(3), json.at(4)});
}

WorkerStats StatsFromJson(const nlohmann::json& json) {
  WorkerStats stats{.executions = json.at("executions"),
                    .judged = json.at("judged"),
                    .not_checked = json.value("not_checked", std::uint64_t{0}),
                    .why_not_checked = json.value("why_not_checked", std::string()),
                    .worst_row_ulp = json.at("worst_row_ulp_q20"),
                    .worst_bound_ratio = json.at("worst_bound_ratio_q20"),
                    .cells = {},
                    .origins = {},
                    .conditions = {}};
  for (const auto& cell : json.at("cells")) AddCell(cell, stats);
  for (const auto& origin : json.value("origins", nlohmann::json::array())) AddOrigin(origin, stats);
  for (std::size_t i = 0; i < std::size(kConditions); ++i)
    stats.conditions[i] = json.at("conditions").value(std::string(kConditions[i]), std::uint64_t{0});
  return stats;
}

}  // namespace

int StatsCell::Index() const {
  const int triple = (static_cast<int>(formats.x) * kFormatCount + static_cast<int>(formats.params)) * kFormatCount +
                     static_cast<int>(formats.y);
  const int triples = kFormatCount * kFormatCount * kFormatCount;
  return (static_cast<int>(op) * triples + triple) * static_cast<int>(std::size(kRowClasses)) + static_cast<int>(row_class);
}

StatsCell CellOf(const reference::Case& c, const reference::Verdict& verdict) {
  return {c.op, c.formats, ClassOfRow(c, verdict.worst ? verdict.worst->row : 0)};
}

std::string NameOf(norm::Op op, const norm::Formats& formats) {
  std::string name(norm::NameOf(op));
  for (const norm::Format format : {formats.x, formats.params, formats.y}) name.append("-").append(norm::TraitsOf(format).name);
  return name;
}

std::string NameOf(const StatsCell& cell) {
  return NameOf(cell.op, cell.formats).append("-").append(NameOf(cell.row_class));
}

void CellStats::Merge(const CellStats& other) {
  judged += other.judged;
  worst_row_ulp = std::max(worst_row_ulp, other.worst_row_ulp);
  worst_bound_ratio = std::max(worst_bound_ratio, other.worst_bound_ratio);
}

void WorkerStats::CountNotChecked(const std::string& why) {
  if (not_checked++ == 0) why_not_checked = why;
}

void WorkerStats::Count(const reference::Case& c, const reference::Verdict& verdict, const StatsCell& cell, std::size_t origin) {
  // Without a promise an overflow to infinity is as many ulps as there are.
  const CellStats one{1, verdict.tally.no_promise > 0 ? 0 : verdict.tally.max_row_ulp, verdict.tally.max_bound_ratio};
  ++judged;
  worst_row_ulp = std::max(worst_row_ulp, one.worst_row_ulp);
  worst_bound_ratio = std::max(worst_bound_ratio, one.worst_bound_ratio);
  cells[cell].Merge(one);
  origins[{origin, cell.row_class}].Merge(one);
  const properties::CaseClasses is = properties::ClassesOf(c);
  const bool holds[] = {is.nan, is.infinite, is.negative_zero, is.subnormal, is.near_overflow, is.constant, is.var_below_eps,
                        is.var_near_eps, is.var_above_eps, is.tail, is.pitched, c.rows > 1};
  for (std::size_t i = 0; i < std::size(holds); ++i) conditions[i] += holds[i] ? 1 : 0;
  ++conditions[std::size(holds) + WidthBand(c.width)];
}

void WorkerStats::Merge(const WorkerStats& other) {
  executions += other.executions;
  judged += other.judged;
  if (not_checked == 0) why_not_checked = other.why_not_checked;
  not_checked += other.not_checked;
  worst_row_ulp = std::max(worst_row_ulp, other.worst_row_ulp);
  worst_bound_ratio = std::max(worst_bound_ratio, other.worst_bound_ratio);
  for (const auto& [cell, stats] : other.cells) cells[cell].Merge(stats);
  for (const auto& [origin, stats] : other.origins) origins[origin].Merge(stats);
  for (std::size_t i = 0; i < conditions.size(); ++i) conditions[i] += other.conditions[i];
}

reference::Result<std::string> WriteWorkerStats(const std::string& path, const WorkerStats& stats) {
  Json json = {{"schema", kWorkerSchema},
               {"executions", stats.executions},
               {"judged", stats.judged},
               {"worst_row_ulp_q20", stats.worst_row_ulp},
               {"worst_bound_ratio_q20", stats.worst_bound_ratio},
               {"cells", Json::array()},
               {"origins", Json::array()},
               {"conditions", Json::object()}};
  if (stats.not_checked > 0) json["not_checked"] = stats.not_checked, json["why_not_checked"] = stats.why_not_checked;
  for (const auto& [cell, figures] : stats.cells) json["cells"].push_back(CellJson(cell, figures));
  for (const auto& [origin, figures] : stats.origins) json["origins"].push_back(OriginJson(origin.first, origin.second, figures));
  for (std::size_t i = 0; i < std::size(kConditions); ++i) json["conditions"][std::string(kConditions[i])] = stats.conditions[i];
  return reference::WriteFileAtomically(path, reference::JsonText(json) + "\n");
}

reference::Result<WorkerStats> ReadWorkerStats(const std::string& path) {
  std::ifstream file(path);
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    if (json.at("schema") == kWorkerSchema) return StatsFromJson(json);
  } catch (const nlohmann::json::exception&) {
  }
  return reference::Error{path + ": no worker statistics; delete the file"};
}

}  // namespace normcheck::fuzz
