// Building and resuming the summary of a campaign.
#include "fuzz/campaign_summary.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <tuple>

#include "fuzz/finding.h"
#include "fuzz/origin.h"
#include "fuzz/target_case.h"
#include "fuzz/worst_rows.h"
#include "reference/case_json.h"
#include "reference/contract.h"
#include "reference/diagnosis/causes.h"
#include "reference/visible_text.h"

namespace normcheck::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using reference::FromQ20;
using reference::UlpQ20;
using Point = CampaignRecord::Point;

constexpr const char* kCampaignSchema = "normcheck/campaign/1";
constexpr double kStep = 1.0905077326652577;  // 2^(1/8)

std::vector<Point> PointsOf(const nlohmann::json& json) {
  std::vector<Point> points;
  for (const auto& p : json.at("points")) points.push_back({p.at(0), p.at(1), p.at(2), p.at(3)});
  return points;
}

// Worse by an eighth of an octave; a first error above zero always is.
bool Grown(double now, double before) { return now > before * kStep || (before == 0 && now > 0); }

std::string_view NameOf(CampaignState state) {
  constexpr std::string_view kNames[] = {"running", "interrupted", "done"};
  return kNames[static_cast<int>(state)];
}

Json FormatsJson(norm::Op op, const norm::Formats& formats) {
  return {{"op", norm::NameOf(op)},
          {"x_format", norm::TraitsOf(formats.x).name},
          {"param_format", norm::TraitsOf(formats.params).name},
          {"y_format", norm::TraitsOf(formats.y).name}};
}

// Errors of cells and of rows on disk, whichever are worse: a worker that was killed counts for up to a second less than it kept.
struct OpFormatsWorst {
  CellStats sum;
  const WorstRow* by_row_ulp = nullptr;
  const WorstRow* by_bound = nullptr;
};

void Take(const WorstRow& row, OpFormatsWorst& worst) {
  worst.sum.worst_row_ulp = std::max(worst.sum.worst_row_ulp, row.row_ulp);
  worst.sum.worst_bound_ratio = std::max(worst.sum.worst_bound_ratio, row.bound_ratio);
  if (!worst.by_row_ulp || row.row_ulp > worst.by_row_ulp->row_ulp) worst.by_row_ulp = &row;
  if (!worst.by_bound || row.bound_ratio > worst.by_bound->bound_ratio) worst.by_bound = &row;
}

// Below the campaign's directory, so that the summary can be read from anywhere.
std::string Below(const CampaignDir& dir, const std::string& file) {
  return std::filesystem::path(file).lexically_relative(dir.path()).generic_string();
}

Json FileOrNull(const CampaignDir& dir, const WorstRow* row) { return row ? Json(Below(dir, row->file)) : Json(nullptr); }

Json WorstJson(const CampaignDir& dir, const WorkerStats& stats, const std::vector<WorstRow>& rows) {
  std::map<StatsCell, OpFormatsWorst> by_formats;  // classes put aside
  for (const auto& [cell, figures] : stats.cells) by_formats[{cell.op, cell.formats, RowClass::kPlain}].sum.Merge(figures);
  for (const WorstRow& row : rows) Take(row, by_formats[{row.cell.op, row.cell.formats, RowClass::kPlain}]);
  Json list = Json::array();
  for (const auto& [cell, worst] : by_formats) {
    Json entry = FormatsJson(cell.op, cell.formats);
    entry.update(Json{{"judged", worst.sum.judged},
                      {"max_row_ulp", FromQ20(worst.sum.worst_row_ulp)},
                      {"row_ulp_file", FileOrNull(dir, worst.by_row_ulp)},
                      {"max_bound_ratio", FromQ20(worst.sum.worst_bound_ratio)},
                      {"bound_ratio_file", FileOrNull(dir, worst.by_bound)}});
    list.push_back(std::move(entry));
  }
  return list;
}

Json SeriesJson(const CampaignRecord& record) {
  Json list = Json::array();
  for (const auto& [name, points] : record.series()) {
    Json entry = {{"op", norm::NameOf(name.first)}, {"x_format", norm::TraitsOf(name.second).name}, {"points", Json::array()}};
    for (const Point& p : points) entry["points"].push_back({p.seconds, p.executions, p.row_ulp, p.bound_ratio});
    list.push_back(std::move(entry));
  }
  return list;
}

Json FindingsJson(const CampaignDir& dir, const std::string& kernel) {
  Json list = Json::array();
  for (const CampaignFinding& finding : dir.ListFindings(kernel)) {
    const std::string note = (dir.Findings() / (finding.signature + ".md")).string();
    Json entry = {{"signature", finding.signature},
                  {"bucket", finding.bucket},
                  {"file", Below(dir, finding.file)},
                  {"note", Below(dir, note)},
                  {"replay", finding.replay}};
    const auto c = reference::ReadCaseFile(finding.file);
    if (c.ok()) entry.update(FormatsJson(c.value().op, c.value().formats));
    list.push_back(std::move(entry));
  }
  return list;
}

// Of the findings that a judge sees again: what a law, a death or earlier calls showed is no matter of formulas. Worst rows that were
// kept vote against what they exclude.
class CauseGatherer {
 public:
  explicit CauseGatherer(const norm::Kernel& kernel) : kernel_(kernel) {}

  void Add(const std::string& file) {
    const auto c = reference::ReadCaseFile(file);
    if (!c.ok()) return;
    const reference::Verdict verdict = reference::Judge(kernel_, c.value(), kInTheLoop);
    if (verdict.not_supported || !verdict.fault.empty()) return;
    const double epsilon = reference::WithEpsilonOf(kernel_, c.value()).epsilon;
    poll_.Add({&c.value(), verdict.got, verdict.contract, epsilon, verdict.tally.broken == 0, file});
  }

  Json Causes() const { return reference::CausesJson(poll_.Causes()); }

 private:
  const norm::Kernel& kernel_;
  reference::CausePoll poll_;
};

// Deaths are not asked again: the kernel would take this process along.
bool DiesOn(const std::string& signature) {
  return std::ranges::any_of(std::initializer_list<const char*>{"crash", "hang", "memory", "exit"},
                             [&](const char* word) { return signature.find(word) != std::string::npos; });
}

Json CausesJson(const CampaignDir& dir, const norm::Kernel& kernel, const std::vector<WorstRow>& rows) {
  CauseGatherer gatherer(kernel);
  bool any = false;
  for (const CampaignFinding& finding : dir.ListFindings(kernel.name)) {
    if (DiesOn(finding.signature)) return Json::array();
    if (!ShowsWhenJudgedOnce(finding.signature)) continue;
    gatherer.Add(finding.file);
    any = true;
  }
  if (!any) return Json::array();
  for (const WorstRow& row : rows) gatherer.Add(row.file);
  return gatherer.Causes();
}

Json CoverageJson(const WorkerStats& stats) {
  std::map<std::tuple<norm::Op, norm::Format, RowClass>, CellStats> classes;
  for (const auto& [cell, figures] : stats.cells) classes[{cell.op, cell.formats.x, cell.row_class}].Merge(figures);
  Json coverage = {{"classes", Json::array()}, {"families", Json::array()}, {"conditions", Json::object()}};
  for (const auto& [name, figures] : classes)
    coverage["classes"].push_back({{"op", norm::NameOf(std::get<0>(name))},
                                   {"x_format", norm::TraitsOf(std::get<1>(name)).name},
                                   {"class", NameOf(std::get<2>(name))},
                                   {"judged", figures.judged},
                                   {"max_row_ulp", FromQ20(figures.worst_row_ulp)},
                                   {"max_bound_ratio", FromQ20(figures.worst_bound_ratio)}});
  for (const auto& [origin, figures] : stats.origins)
    coverage["families"].push_back({{"family", OriginNames()[origin.first]},
                                    {"class", NameOf(origin.second)},
                                    {"judged", figures.judged},
                                    {"max_row_ulp", FromQ20(figures.worst_row_ulp)},
                                    {"max_bound_ratio", FromQ20(figures.worst_bound_ratio)}});
  for (std::size_t i = 0; i < std::size(kConditions); ++i) coverage["conditions"][std::string(kConditions[i])] = stats.conditions[i];
  return coverage;
}

Json NumberOrNull(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

Json WorstRowJson(const CampaignDir& dir, const WorstRow& row, const std::string& kernel) {
  Json entry = FormatsJson(row.cell.op, row.cell.formats);
  entry.update(Json{{"class", NameOf(row.cell.row_class)},
                    {"scale", NameOf(row.scale)},
                    {"row_ulp", FromQ20(row.row_ulp)},
                    {"bound_ratio", FromQ20(row.bound_ratio)},
                    {"rows", row.rows},
                    {"width", row.width},
                    {"epsilon", row.epsilon},
                    {"mean_over_sigma", NumberOrNull(row.mean_over_sigma)},
                    {"var_over_eps", NumberOrNull(row.var_over_eps)},
                    {"file", Below(dir, row.file)},
                    {"replay", ReplayLine(kernel, row.file)}});
  return entry;
}

Json WorstRowsJson(const CampaignDir& dir, std::vector<WorstRow> rows, const std::string& kernel) {
  std::ranges::stable_sort(rows, std::greater<>{}, &WorstRow::bound_ratio);
  Json list = Json::array();
  for (const WorstRow& row : rows) list.push_back(WorstRowJson(dir, row, kernel));
  return list;
}

}  // namespace

CampaignRecord::CampaignRecord(const std::string& file) {
  std::ifstream stream(file);
  try {
    const nlohmann::json json = nlohmann::json::parse(stream);
    if (json.at("schema") != kCampaignSchema) return;
    const double seconds = json.at("seconds");
    for (const auto& entry : json.at("series")) {
      const auto op = norm::OpNamed(entry.at("op").get<std::string>());
      const auto format = norm::FormatNamed(entry.at("x_format").get<std::string>());
      if (op && format) series_[{*op, *format}] = PointsOf(entry);
    }
    sessions_ = json.at("sessions").get<std::uint64_t>() + 1;
    restarts_before_ = json.at("restarts");
    seconds_before_ = seconds;
  } catch (const nlohmann::json::exception&) {
    series_.clear();
  }
}

void CampaignRecord::Observe(double all_seconds, const WorkerStats& stats) {
  std::map<SeriesName, CellStats> now;
  for (const auto& [cell, figures] : stats.cells) now[{cell.op, cell.formats.x}].Merge(figures);
  for (const auto& [name, figures] : now) {
    std::vector<Point>& points = series_[name];
    const Point before = points.empty() ? Point{} : points.back();
    Point point{all_seconds, stats.executions, FromQ20(figures.worst_row_ulp), FromQ20(figures.worst_bound_ratio)};
    point.row_ulp = std::max(point.row_ulp, before.row_ulp);
    point.bound_ratio = std::max(point.bound_ratio, before.bound_ratio);
    if (points.empty() || Grown(point.row_ulp, before.row_ulp) || Grown(point.bound_ratio, before.bound_ratio)) points.push_back(point);
  }
}

std::string SummaryText(const SummaryParts& parts) {
  const norm::Kernel& kernel = parts.options.kernel;
  const std::vector<WorstRow> rows = ReadWorstRows(parts.dir.Worst().string());
  Json json = {{"schema", kCampaignSchema},
               {"kernel", kernel.name},
               {"contract", reference::ContractText(kernel.contract)},
               {"about", kernel.about},
               {"ops", Json::array()},
               {"seed", parts.options.seed},
               {"state", NameOf(parts.state)},
               {"environment", Json::object()},
               {"sessions", parts.record.sessions()},
               {"seconds", std::max(parts.last.all_seconds, parts.record.seconds_before())},
               {"executions", parts.stats.executions},
               {"judged", parts.stats.judged},
               {"executions_per_second", parts.last.all_seconds > 0 ? static_cast<double>(parts.stats.executions) / parts.last.all_seconds : 0},
               {"corpus", parts.dir.CorpusSize()},
               {"restarts", parts.record.restarts_before() + parts.restarts}};
  for (const norm::Op op : parts.ops) json["ops"].push_back(norm::NameOf(op));
  for (const auto& [name, value] : parts.options.environment) json["environment"][name] = value;
  json["worst"] = WorstJson(parts.dir, parts.stats, rows);
  json["series"] = SeriesJson(parts.record);
  json["findings"] = FindingsJson(parts.dir, kernel.name);
  if (parts.state != CampaignState::kRunning) json["causes"] = CausesJson(parts.dir, kernel, rows);
  json["coverage"] = CoverageJson(parts.stats);
  json["worst_rows"] = WorstRowsJson(parts.dir, rows, kernel.name);
  return reference::JsonText(json, 1) + "\n";
}

}  // namespace normcheck::fuzz
