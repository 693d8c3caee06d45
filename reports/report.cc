// Writes a report as JSON: cells with integer counts, ulp figures as numbers, exact numbers as hex strings.
#include "reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reference/contract.h"
#include "reference/file_word.h"
#include "reference/number.h"
#include "reports/asked.h"
#include "reports/laws.h"
#include "reference/shell_word.h"

namespace normcheck::reports {
namespace {

using reference::FromQ20;
using reference::Tally;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string NameOfFormat(norm::Format format) { return std::string(norm::TraitsOf(format).name); }

Json KeyJson(const Cell& cell) {
  return {{"op", norm::NameOf(cell.op)},
          {"x_format", NameOfFormat(cell.formats.x)},
          {"param_format", NameOfFormat(cell.formats.params)},
          {"y_format", NameOfFormat(cell.formats.y)},
          {"family", cell.family},
          {"width_band", cell.band->id},
          {"epsilon", reference::HexText(cell.epsilon)}};
}

void AddCounts(const Tally& tally, Json& json) {
  json["judged"] = tally.judged;
  json["correctly_rounded"] = tally.correctly_rounded;
  json["class_faults"] = tally.class_faults;
  json["undefined"] = tally.undefined;
  json["no_promise"] = tally.no_promise;
  json["not_checked"] = tally.not_checked;
  json["broken"] = tally.broken;
  json["beyond_element"] = tally.beyond_element;
}

// {"e": count}: outputs with an error of 2^e row ulps or more, below 2^(e+1); "-21": below 2^-20.
Json OctavesJson(const reference::UlpHistogram& histogram) {
  constexpr int kLowest = -21, kBinsPerOctave = 8;
  std::map<int, std::uint64_t> octaves;
  for (std::size_t bin = 0; bin < histogram.bins().size(); ++bin)
    if (histogram.bins()[bin] > 0) octaves[bin == 0 ? kLowest : kLowest + 1 + (static_cast<int>(bin) - 1) / kBinsPerOctave] += histogram.bins()[bin];
  Json json = Json::object();
  for (const auto& [octave, count] : octaves) json[std::to_string(octave)] = count;
  return json;
}

void AddUlps(const Tally& tally, Json& json) {
  const bool scored = tally.scored > 0;
  const auto figure = [&](double value) { return scored ? Json(value) : Json(nullptr); };
  json["max_ulp"] = figure(FromQ20(tally.max_ulp));
  json["p999_ulp"] = OrNull(tally.ulp.Percentile(0.999));
  json["max_row_ulp"] = figure(FromQ20(tally.max_row_ulp));
  json["p999_row_ulp"] = OrNull(tally.row_ulp.Percentile(0.999));
  json["mean_row_ulp"] = scored ? Json(tally.MeanRowUlp()) : Json(nullptr);
  json["bias_ulp"] = scored ? Json(tally.BiasUlp()) : Json(nullptr);
  json["bound_ratio"] = figure(FromQ20(tally.max_bound_ratio));
  json["row_ulp_octaves"] = OctavesJson(tally.row_ulp);
}

Json FactsJson(const reference::RowFacts& row) {
  return {{"mean", row.mean}, {"var", row.var}, {"inv_std_dev", row.inv_std_dev},
          {"mean_over_sigma", row.mean_over_sigma}, {"var_over_eps", row.var_over_eps}};
}

void AppendWord(Json& json, const char* column, const std::string& word) {
  json[column] = json.contains(column) ? json.at(column).get<std::string>() + " " + word : word;
}

// A string a column: the numbers of neighbouring elements from "first" on, with blanks between them.
Json NearJson(const WorstCase& worst) {
  const Case& c = worst.c;
  if (worst.near.empty()) return nullptr;
  Json json = {{"first", worst.near.front().index}};
  for (const RowElement& e : worst.near) {
    AppendWord(json, "x", reference::HexText(c.x[e.row * c.width + e.index], c.formats.x));
    if (c.gamma) AppendWord(json, "gamma", reference::HexText((*c.gamma)[e.index], c.formats.params));
    if (c.beta) AppendWord(json, "beta", reference::HexText((*c.beta)[e.index], c.formats.params));
    AppendWord(json, "got", reference::HexText(e.got, c.formats.y));
    AppendWord(json, "want", reference::HexText(e.want, c.formats.y));
  }
  return json;
}

Json WorstJson(const WorstCase& worst, const std::string& file) {
  const reference::WorstElement& e = worst.element;
  Json json = {{"file", file},
               {"row", e.row},
               {"index", e.index},
               {"x", reference::HexText(e.x, worst.c.formats.x)},
               {"got", reference::HexText(e.got, worst.c.formats.y)},
               {"want", reference::HexText(e.want, worst.c.formats.y)},
               {"ulp", OrNull(e.ulp)},
               {"row_ulp", OrNull(e.row_ulp)},
               {"bound_ratio", OrNull(e.bound_ratio)},
               {"fault", e.fault},
               {"rows", worst.c.rows},
               {"width", worst.c.width}};
  if (worst.row) json["facts"] = FactsJson(*worst.row);
  json["near"] = NearJson(worst);
  json["diagnosis"] = Json::array();
  for (const reference::Diagnosis& d : worst.diagnosis) json["diagnosis"].push_back({{"id", d.id}, {"text", d.text}});
  if (worst.how.kind != properties::Reproduced::kAlone) json["repeat"] = properties::RepeatOptions(worst.how);
  return json;
}

Json CurveJson(const Curve& curve) {
  Json json = {{"id", curve.id},
               {"op", norm::NameOf(curve.op)},
               {"x_format", NameOfFormat(curve.formats.x)},
               {"param_format", NameOfFormat(curve.formats.params)},
               {"y_format", NameOfFormat(curve.formats.y)},
               {"epsilon", reference::HexText(curve.epsilon)}};
  json["points"] = Json::array();
  for (const CurvePoint& point : curve.points) {
    const Tally& tally = point.tally;
    json["points"].push_back({{"at", point.at},
                              {"judged", tally.judged},
                              {"class_faults", tally.class_faults},
                              {"no_promise", tally.no_promise},
                              {"max_row_ulp", tally.scored > 0 ? Json(FromQ20(tally.max_row_ulp)) : Json(nullptr)},
                              {"bound_row_ulp", OrNull(point.bound_row_ulp)}});
  }
  return json;
}

Json KernelJson(const KernelReport& report, bool is_shard) {
  Json json = {{"name", report.kernel.name},
               {"kind", norm::NameOf(report.kernel.kind)},
               {"about", report.kernel.about},
               {"contract", reference::ContractText(report.contract)},
               {"contract_stated", report.contract_given || report.kernel.contract_stated}};
  if (report.contract_given) json["contract_given"] = true;
  if (is_shard) json["planned"] = report.planned;
  json["kept"] = true;
  json["asked"] = AskedJson(report.cells);
  if (!report.laws.empty()) json["laws"] = report.laws;
  json["curves"] = Json::array();
  for (const Curve& curve : report.curves) json["curves"].push_back(CurveJson(curve));
  json["cells"] = report.cells;
  json["kept"] = KernelIsKept(json);
  return json;
}

void SetReplayLinesOfLaws(const std::string& dir, Mode mode, Seed seed, Json& kernel) {
  if (!kernel.contains("laws")) return;
  for (Json& law : kernel.at("laws"))
    if (law.at("state") == "broken") law["replay"] = LawReplayLine(kernel, law, mode, seed, dir);
}

// Where other calls that are not known are needed, the laws look for them.
std::string LineOfWorst(const std::string& kernel, const std::string& contract, const std::string& dir, const Json& worst) {
  const std::string file = dir + "/" + worst.at("file").get<std::string>();
  const std::string given = contract.empty() ? "" : " --contract " + reference::ShellWord(contract);
  if (!worst.contains("repeat")) return reference::JudgeLine(kernel, contract, file);
  const std::string repeat = worst.at("repeat").get<std::string>();
  if (repeat.empty()) return fmt::format("./normcheck properties --kernel {}{} --all", reference::ShellWord(kernel), given);
  return fmt::format("./normcheck judge --kernel {}{} {}{}", reference::ShellWord(kernel), given, repeat, reference::ShellWord(file));
}

}  // namespace

Json CellJson(const norm::Kernel& kernel, const CellResult& result) {
  Json json = KeyJson(result.cell);
  json["kept"] = result.kept;
  AddCounts(result.tally, json);
  AddUlps(result.tally, json);
  if (!result.fault.empty()) json["fault"] = result.fault;
  if (!result.harness_fault.empty()) json["harness_fault"] = result.harness_fault;
  if (!result.left_out.empty()) json["left_out"] = result.left_out;
  json["worst"] = result.worst ? WorstJson(*result.worst, WorstFile(kernel.name, result.cell)) : Json(nullptr);
  return json;
}

Json ReportJson(const Report& report, const std::string& dir) {
  Json json = {{"schema", "normcheck/report/1"}};
  for (const auto& [name, value] : report.environment) json["environment"][name] = value;
  json["mode"] = NameOf(report.mode);
  json["seed"] = report.seed.value;
  if (report.shard) json["shard"] = {{"index", report.shard->index}, {"count", report.shard->count}};
  if (report.interrupted) json["interrupted"] = true;
  json["kernels"] = Json::array();
  for (const KernelReport& kernel : report.kernels) json["kernels"].push_back(KernelJson(kernel, report.shard.has_value()));
  SetReplayLines(json, dir);
  return json;
}

bool KernelIsKept(const Json& kernel) {
  const Json laws = kernel.value("laws", Json::array());
  return std::ranges::all_of(kernel.at("cells"), [](const Json& cell) { return cell.at("kept").get<bool>(); }) &&
         std::ranges::none_of(laws, [](const Json& law) { return law.at("state") == "broken"; });
}

void SetReplayLines(Json& report, const std::string& dir) {
  const Mode mode = ModeNamed(report.at("mode").get<std::string>());
  const Seed seed{report.at("seed").get<std::uint64_t>()};
  for (Json& kernel : report.at("kernels")) {
    const std::string contract = kernel.contains("contract_given") ? kernel.at("contract").get<std::string>() : "";
    SetReplayLinesOfLaws(dir, mode, seed, kernel);
    for (Json& cell : kernel.at("cells"))
      if (!cell.at("worst").is_null()) cell["replay"] = LineOfWorst(kernel.at("name").get<std::string>(), contract, dir, cell.at("worst"));
  }
}

std::string WorstFile(const std::string& kernel, const Cell& cell) {
  const std::string id = reference::FileWord(CellId(cell));
  return "worst/" + (kernel == norm::NameOf(cell.op) ? id : reference::FileWord(kernel) + "-" + id) + ".case.json";
}

}  // namespace normcheck::reports
