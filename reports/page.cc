// Prepares a report's JSON for the page template.
#include "reports/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "properties/families.h"
#include "properties/laws.h"
#include "reference/number.h"
#include "reports/summary.h"
#include "reports/template.h"

namespace normcheck::reports {
namespace {

// Colour step of a worst row error: 0 for half an ulp (and the 0.001 that a rounding test leaves), then one a decade to 9.
int DecadeOf(const Totals& totals) {
  if (totals.class_faults > 0) return 9;
  const double ulp = totals.max_row_ulp.value_or(0);
  if (ulp <= 0.501) return 0;
  return std::clamp(static_cast<int>(std::ceil(std::log10(ulp))) + 1, 1, 9);
}

std::string AboutFamily(const std::string& family) {
  if (family == "public-bugs") return "rows from public bug reports of other projects";
  if (family == "activations") return "recorded activations of two real models";
  if (family == "yours") return "your own rows";
  const properties::Family* found = properties::FindFamily(family);
  return found == nullptr ? "" : std::string(found->about);
}

std::string Anchor(std::size_t kernel, const std::string& family) { return fmt::format("worst-{}-{}", kernel, family); }

Json FamilyCell(const Totals* totals, const std::string& anchor) {
  if (totals == nullptr || totals->judged + totals->not_checked == 0) return {{"empty", true}};
  const std::string judged = fmt::format("{} judged, {} correctly rounded", CountText(totals->judged),
                                         ShareText(totals->correctly_rounded, totals->judged));
  return {{"row_ulp", totals->class_faults > 0 ? "class" : UlpText(totals->max_row_ulp)},
          {"ulp", UlpText(totals->max_ulp)},
          {"sort", totals->class_faults > 0 ? 1e300 : totals->max_row_ulp.value_or(-1)},
          {"decade", DecadeOf(*totals)},
          {"broken", !totals->kept},
          {"title", judged},
          {"href", totals->worst == nullptr ? "" : "#" + anchor}};
}

Json FamilyRows(const std::vector<KernelSummary>& kernels) {
  Json rows = Json::array();
  for (const std::string& family : FamilyNames(kernels)) {
    Json row = {{"family", family}, {"about", AboutFamily(family)}, {"cells", Json::array()}};
    for (std::size_t k = 0; k < kernels.size(); ++k)
      row["cells"].push_back(FamilyCell(Find(kernels[k].families, family), Anchor(k, family)));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json ShareRows(const std::vector<KernelSummary>& kernels) {
  Json rows = Json::array();
  for (const KernelSummary& kernel : kernels) {
    Json row = {{"kernel", kernel.name}, {"cells", Json::array()}};
    for (const std::string& format : FormatNames(kernels)) {
      const Totals* t = Find(kernel.formats, format);
      const bool shown = t != nullptr && t->judged > 0;
      const double share = shown ? static_cast<double>(t->correctly_rounded) / static_cast<double>(t->judged) : 0;
      row["cells"].push_back({{"share", shown ? ShareText(t->correctly_rounded, t->judged) : "-"},
                              {"bar", fmt::format("{:.2f}", 100 * share)}});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// "-1.3416354 = -0x1.5775....p+0" as two fields.
Json Value(const Json& hex, const std::string& format_name) {
  const std::string text = hex.get<std::string>();
  const norm::Format format = norm::FormatNamed(format_name).value_or(norm::Format::kF32);
  const auto bits = reference::ParseNumber(text, format);
  return {{"decimal", bits.ok() ? reference::DecimalText(bits.value(), format) : text}, {"hex", text}};
}

std::string EpsilonText(const Json& cell) {
  const auto epsilon = reference::ParseEpsilon(cell.at("epsilon").get<std::string>());
  return epsilon.ok() ? fmt::format("{:.6g}", epsilon.value()) : cell.at("epsilon").get<std::string>();
}

std::optional<double> OptionalNumber(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

// The promise at the worst element in row ulps: what the error and its share of the bound tell.
std::string BoundText(const Json& worst) {
  if (!worst.at("row_ulp").is_number() || !worst.at("bound_ratio").is_number()) return "";
  const double ratio = worst.at("bound_ratio").get<double>();
  return ratio > 0 ? UlpText(worst.at("row_ulp").get<double>() / ratio) : "";
}

std::string FactText(const Json& value) {
  const bool finite = value.is_number() && std::isfinite(value.get<double>());
  return finite ? fmt::format("{:.4g}", value.get<double>()) : "infinite";
}

Json FactValues(const Json& facts) {
  Json values = Json::object();
  for (const auto& [name, value] : facts.items()) values[name] = FactText(value);
  return values;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// The elements beside the worst one, as rows of values; the columns that the case has.
void AddNear(const Json& cell, Json& entry) {
  constexpr std::pair<const char*, const char*> kColumns[] = {
      {"x", "x_format"}, {"gamma", "param_format"}, {"beta", "param_format"}, {"got", "y_format"}, {"want", "y_format"}};
  const auto near = cell.at("worst").find("near");
  entry["has_near"] = near != cell.at("worst").end() && near->is_object();
  if (!entry.at("has_near").get<bool>()) return;
  entry["near"] = Json::array();
  entry["columns"] = Json::array();
  for (const auto& [name, format] : kColumns) {
    if (!near->contains(name)) continue;
    entry["columns"].push_back({{"column", name}});
    std::size_t i = 0;
    for (const std::string& word : Words(near->at(name).get<std::string>())) {
      if (entry.at("near").size() == i) entry["near"].push_back({{"at", near->at("first").get<std::size_t>() + i}, {"values", Json::array()}});
      entry["near"][i++]["values"].push_back(Value(word, cell.at(format).get<std::string>()));
    }
  }
}

Json WorstEntry(const Json& cell, const std::string& family, const std::string& anchor) {
  const Json& worst = cell.at("worst");
  const std::string fault = worst.at("fault").get<std::string>();
  const auto field = [&](const char* name) { return cell.at(name).get<std::string>(); };
  Json ids = Json::array();
  for (const Json& d : worst.at("diagnosis")) ids.push_back({{"label", ids.empty() ? "mistake" : "or"}, {"id", d.at("id")}, {"text", d.at("text")}});
  Json entry = {{"anchor", anchor},
                {"family", family},
                {"error", fault.empty() ? UlpText(OptionalNumber(worst.at("row_ulp"))) + " row ulps" : fault},
                {"ulp", UlpText(OptionalNumber(worst.at("ulp")))},
                {"bound", BoundText(worst)},
                {"bound_ratio", UlpText(OptionalNumber(worst.at("bound_ratio")))},
                {"broken", !cell.at("kept").get<bool>()},
                {"formats", fmt::format("{} / {} / {}", field("x_format"), field("param_format"), field("y_format"))},
                {"op", cell.at("op")},
                {"epsilon", EpsilonText(cell)},
                {"width", worst.at("width")},
                {"index", worst.at("index")},
                {"x", Value(worst.at("x"), field("x_format"))},
                {"got", Value(worst.at("got"), field("y_format"))},
                {"want", Value(worst.at("want"), field("y_format"))},
                {"diagnosis", std::move(ids)},
                {"file", worst.at("file")},
                {"replay", cell.at("replay")}};
  if (worst.contains("facts")) entry["facts"] = FactValues(worst.at("facts"));
  AddNear(cell, entry);
  return entry;
}

Json KernelEntry(const KernelSummary& kernel, std::size_t index) {
  const SeriesStyle style = StyleOf(index);
  Json entry = {{"name", kernel.name},         {"sentence", kernel.sentence},
                {"asked", kernel.asked},       {"laws_text", kernel.laws_text},
                {"kept", kernel.kept},     {"contract", kernel.contract},
                {"about", kernel.about},       {"assumed", !kernel.contract_stated},
                {"colour", style.colour},      {"mark", style.mark},
                {"judged", CountText(kernel.all.judged)},
                {"broken_outputs", CountText(kernel.all.broken)},
                {"undefined", CountText(kernel.all.undefined)},
                {"not_checked", CountText(kernel.all.not_checked)},
                {"no_promise", CountText(kernel.all.no_promise)},
                {"beyond_element", CountText(kernel.all.beyond_element)},
                {"worst", Json::array()}};
  for (const NamedTotals& family : kernel.families)
    if (family.totals.worst != nullptr)
      entry["worst"].push_back(WorstEntry(*family.totals.worst, family.name, Anchor(index, family.name)));
  entry["worst_count"] = entry.at("worst").size();
  return entry;
}

Json LawCell(const LawSummary& law) {
  return {{"state", law.state},     {"kept", law.state == "kept"},   {"broken", law.state == "broken"},
          {"href", law.file},       {"seen", law.seen},              {"replay", law.replay},
          {"cases", CountText(law.cases)}, {"law", law.name}};
}

// A row a law, a cell a kernel.
Json LawRows(const std::vector<KernelSummary>& kernels) {
  Json rows = Json::array();
  std::vector<std::string> names;
  for (const KernelSummary& kernel : kernels)
    for (const LawSummary& law : kernel.laws)
      if (std::ranges::find(names, law.name) == names.end()) names.push_back(law.name);
  for (const std::string& name : names) {
    const auto law = std::ranges::find(properties::Laws(), name, &properties::Law::name);
    const std::string about(law == properties::Laws().end() ? "" : law->about);
    Json row = {{"law", name}, {"about", about}, {"cells", Json::array()}};
    for (const KernelSummary& kernel : kernels) {
      const auto found = std::ranges::find(kernel.laws, name, &LawSummary::name);
      row["cells"].push_back(found == kernel.laws.end() ? LawCell({name, "not asked", 0, "", "", ""}) : LawCell(*found));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json BrokenLaws(const std::vector<KernelSummary>& kernels) {
  Json broken = Json::array();
  for (const KernelSummary& kernel : kernels)
    for (const LawSummary& law : kernel.laws) {
      if (law.state != "broken") continue;
      broken.push_back(LawCell(law));
      broken.back()["kernel"] = kernel.name;
    }
  return broken;
}

// "layer_norm on f32, epsilon 1e-05": on what the curves were measured, by the first kernel that has any.
std::string CurveRowsText(const Json& report) {
  for (const Json& kernel : report.at("kernels")) {
    if (kernel.value("curves", Json::array()).empty()) continue;
    const Json& curve = kernel.at("curves").front();
    return fmt::format("rows of a kind in {} (or in the first format of a kernel that lacks it), epsilon {}",
                       curve.at("x_format").get<std::string>(), EpsilonText(curve));
  }
  return "rows of a kind";
}

Json EnvironmentRows(const Json& report) {
  Json rows = Json::array({{{"name", "mode"}, {"value", report.at("mode")}},
                           {{"name", "seed"}, {"value", std::to_string(report.at("seed").get<std::uint64_t>())}}});
  for (const auto& [name, value] : report.at("environment").items()) rows.push_back({{"name", name}, {"value", value}});
  for (Json& row : rows) {
    std::string name = row.at("name").get<std::string>();
    std::ranges::replace(name, '_', ' ');
    row["name"] = name;
  }
  return rows;
}

void AddCharts(const Charts& charts, Json& values) {
  values["charts_missing"] = !charts;
  values["has_charts"] = charts && !charts->empty();
  values["charts"] = Json::array();
  if (!charts) return;
  for (const Chart& chart : *charts)
    values["charts"].push_back({{"title", chart.title}, {"caption", chart.caption}, {"svg", chart.svg}});
}

}  // namespace

Json PageValues(const Json& report, const Charts& charts) {
  const std::vector<KernelSummary> kernels = Summarize(report);
  Json values = {{"style", kPageStyle}, {"script", kPageScript}, {"mode", report.at("mode")},
                 {"seed", report.at("seed")}, {"interrupted", report.contains("interrupted")}};
  values["kernels"] = Json::array();
  for (std::size_t k = 0; k < kernels.size(); ++k) values["kernels"].push_back(KernelEntry(kernels[k], k));
  values["families"] = FamilyRows(kernels);
  values["formats"] = Json::array();
  for (const std::string& format : FormatNames(kernels)) values["formats"].push_back({{"format", format}});
  values["shares"] = ShareRows(kernels);
  values["laws"] = LawRows(kernels);
  values["broken_laws"] = BrokenLaws(kernels);
  values["laws_left_out"] = LawsLeftOut(report);
  AddCharts(charts, values);
  values["curve_rows"] = CurveRowsText(report);
  values["environment"] = EnvironmentRows(report);
  return values;
}

std::string ReportPage(const Json& report, const Charts& charts) {
  return FillTemplate(kPageTemplate, PageValues(report, charts));
}

}  // namespace normcheck::reports
