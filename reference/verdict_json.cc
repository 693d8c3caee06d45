// Verdicts as normcheck/verdict/1.
#include "reference/verdict_json.h"

#include <cmath>

#include "reference/number.h"

namespace normcheck::reference {
namespace {

using Json = nlohmann::ordered_json;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json Number(const std::optional<double>& value) { return value ? Number(*value) : Json(nullptr); }

Json WorstJson(const WorstElement& worst, const Formats& formats) {
  Json json;
  json["row"] = worst.row;
  json["index"] = worst.index;
  json["x"] = HexText(worst.x, formats.x);
  json["got"] = HexText(worst.got, formats.y);
  json["want"] = HexText(worst.want, formats.y);
  json["ulp"] = Number(worst.ulp);
  json["row_ulp"] = Number(worst.row_ulp);
  json["bound_ratio"] = Number(worst.bound_ratio);
  if (!worst.fault.empty()) json["fault"] = worst.fault;
  return json;
}

Json RowJson(const RowFacts& row) {
  Json json;
  json["mean"] = Number(row.mean);
  json["var"] = Number(row.var);
  json["inv_std_dev"] = Number(row.inv_std_dev);
  json["mean_over_sigma"] = Number(row.mean_over_sigma);
  json["var_over_eps"] = Number(row.var_over_eps);
  return json;
}

Json StatisticsJson(const StatisticsVerdict& statistics) {
  Json json;
  json["judged"] = statistics.judged;
  json["broken"] = statistics.broken;
  json["max_mean_ulp"] = Number(statistics.max_mean_ulp);
  json["max_inv_std_dev_ulp"] = Number(statistics.max_inv_std_dev_ulp);
  return json;
}

Json DiagnosisJson(const std::vector<Diagnosis>& diagnosis) {
  Json list = Json::array();
  for (const Diagnosis& d : diagnosis) {
    Json entry;
    entry["id"] = d.id;
    entry["text"] = d.text;
    entry["distance_ulp"] = Number(d.distance_ulp);
    list.push_back(std::move(entry));
  }
  return list;
}

Json HexList(const std::vector<Bits>& numbers, Format format) {
  Json list = Json::array();
  for (Bits bits : numbers) list.push_back(HexText(bits, format));
  return list;
}

void AddCounts(Json& json, const Verdict& verdict, const Case& c) {
  json["kept"] = verdict.kept;
  if (!verdict.fault.empty()) json["fault"] = verdict.fault;
  json["elements"] = c.rows * c.width;
  json["correctly_rounded"] = verdict.tally.correctly_rounded;
  json["class_faults"] = verdict.tally.class_faults;
  json["undefined"] = verdict.tally.undefined;
  json["no_promise"] = verdict.tally.no_promise;
  json["not_supported"] = verdict.not_supported;
  if (verdict.harness_failed) json["not_checked"] = true;
}

}  // namespace

nlohmann::ordered_json VerdictJson(const Verdict& verdict, const Case& c, const std::string& file, bool outputs) {
  Json json;
  json["schema"] = "normcheck/verdict/1";
  json["kernel"] = verdict.kernel;
  json["contract"] = ContractText(verdict.contract);
  json["case"] = file;
  AddCounts(json, verdict, c);
  // A call that gave nothing back has no worst element: what stands for it in the verdict was never written.
  const bool came_back = verdict.tally.not_checked == 0;
  json["worst"] = verdict.worst && came_back ? WorstJson(*verdict.worst, c.formats) : Json(nullptr);
  json["row"] = verdict.row && came_back ? RowJson(*verdict.row) : Json(nullptr);
  if (verdict.statistics) json["statistics"] = StatisticsJson(*verdict.statistics);
  json["diagnosis"] = DiagnosisJson(verdict.diagnosis);
  json["levels"] = {{"filter", verdict.tally.levels[0]}, {"dd", verdict.tally.levels[1]}, {"exact", verdict.tally.levels[2]}};
  if (!outputs) return json;
  json["got"] = HexList(verdict.got, c.formats.y);
  json["want"] = HexList(verdict.want, c.formats.y);
  return json;
}

}  // namespace normcheck::reference
