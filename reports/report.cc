// Writes a report as JSON: cells with integer counts, ulp figures as numbers, exact numbers as hex strings.
#include "reports/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/contract.h"
#include "reference/number.h"

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
  json["diagnosis"] = Json::array();
  for (const reference::Diagnosis& d : worst.diagnosis) json["diagnosis"].push_back({{"id", d.id}, {"text", d.text}});
  return json;
}

Json CellJson(const KernelResult& kernel, const CellResult& result, const std::string& dir) {
  Json json = KeyJson(result.cell);
  json["kept"] = result.kept;
  AddCounts(result.tally, json);
  AddUlps(result.tally, json);
  if (!result.fault.empty()) json["fault"] = result.fault;
  json["worst"] = nullptr;
  if (!result.worst) return json;
  const std::string file = WorstFile(kernel, result.cell);
  const std::string contract = kernel.contract_given ? reference::ContractText(kernel.contract) : "";
  json["worst"] = WorstJson(*result.worst, file);
  json["replay"] = ReplayLine(kernel.kernel, contract, dir + "/" + file);
  return json;
}

Json KernelJson(const KernelResult& result, const std::string& dir) {
  Json json = {{"name", result.kernel.name},
               {"kind", norm::NameOf(result.kernel.kind)},
               {"about", result.kernel.about},
               {"contract", reference::ContractText(result.contract)},
               {"contract_stated", result.contract_given || result.kernel.contract_stated},
               {"kept", std::ranges::all_of(result.cells, &CellResult::kept)}};
  json["cells"] = Json::array();
  for (const CellResult& cell : result.cells) json["cells"].push_back(CellJson(result, cell, dir));
  return json;
}

bool IsPlainInShell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-.,:/+=@%").find(c) != std::string_view::npos;
}

}  // namespace

Json ReportJson(const Report& report, const std::string& dir) {
  Json json = {{"schema", "normcheck/report/1"}};
  for (const auto& [name, value] : report.environment) json["environment"][name] = value;
  json["mode"] = NameOf(report.mode);
  json["seed"] = report.seed.value;
  if (report.interrupted) json["interrupted"] = true;
  json["kernels"] = Json::array();
  for (const KernelResult& kernel : report.kernels) json["kernels"].push_back(KernelJson(kernel, dir));
  return json;
}

std::string WorstFile(const KernelResult& kernel, const Cell& cell) {
  std::string name = kernel.kernel.name + "-" + CellId(cell);
  const std::string op(norm::NameOf(cell.op));
  if (kernel.kernel.name == op) name = CellId(cell);
  std::ranges::replace_if(name, [](char c) { return !IsPlainInShell(c) || c == '/' || c == ':'; }, '-');
  return "worst/" + name + ".case.json";
}

std::string ShellWord(const std::string& text) {
  if (!text.empty() && std::ranges::all_of(text, IsPlainInShell)) return text;
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string ReplayLine(const norm::Kernel& kernel, const std::string& contract, const std::string& file) {
  const std::string given = contract.empty() ? "" : " --contract " + ShellWord(contract);
  return fmt::format("./normcheck judge --kernel {}{} {}", ShellWord(kernel.name), given, ShellWord(file));
}

}  // namespace normcheck::reports
