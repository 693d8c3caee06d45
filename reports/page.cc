// Prepares a report's JSON for the page template.
#include "reports/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/families.h"
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
  if (family == "public-bugs") return "Rows from public bug reports of other projects.";
  if (family == "activations") return "Recorded activations of two real models.";
  if (family == "yours") return "Your own rows.";
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

Json WorstEntry(const Json& cell, const std::string& family, const std::string& anchor) {
  const Json& worst = cell.at("worst");
  const std::string fault = worst.at("fault").get<std::string>();
  Json ids = Json::array();
  for (const Json& d : worst.at("diagnosis")) ids.push_back({{"id", d.at("id")}, {"text", d.at("text")}});
  return {{"anchor", anchor},
          {"family", family},
          {"error", fault.empty() ? UlpText(OptionalNumber(worst.at("row_ulp"))) + " row ulps" : fault},
          {"ulp", UlpText(OptionalNumber(worst.at("ulp")))},
          {"bound_ratio", worst.at("bound_ratio").is_number() ? UlpText(OptionalNumber(worst.at("bound_ratio"))) : ""},
          {"broken", !cell.at("kept").get<bool>()},
          {"formats", fmt::format("{} / {} / {}", cell.at("x_format").get<std::string>(),
                                  cell.at("param_format").get<std::string>(), cell.at("y_format").get<std::string>())},
          {"op", cell.at("op")},
          {"epsilon", EpsilonText(cell)},
          {"width", worst.at("width")},
          {"index", worst.at("index")},
          {"x", Value(worst.at("x"), cell.at("x_format").get<std::string>())},
          {"got", Value(worst.at("got"), cell.at("y_format").get<std::string>())},
          {"want", Value(worst.at("want"), cell.at("y_format").get<std::string>())},
          {"diagnosis", std::move(ids)},
          {"file", worst.at("file")},
          {"replay", cell.at("replay")}};
}

Json KernelEntry(const KernelSummary& kernel, std::size_t index) {
  Json entry = {{"name", kernel.name},         {"sentence", kernel.sentence},
                {"kept", kernel.all.kept},     {"contract", kernel.contract},
                {"about", kernel.about},       {"assumed", !kernel.contract_stated},
                {"undefined", CountText(kernel.all.undefined)},
                {"not_checked", CountText(kernel.all.not_checked)},
                {"no_promise", CountText(kernel.all.no_promise)},
                {"beyond_element", CountText(kernel.all.beyond_element)},
                {"worst", Json::array()}};
  for (const NamedTotals& family : kernel.families)
    if (family.totals.worst != nullptr)
      entry["worst"].push_back(WorstEntry(*family.totals.worst, family.name, Anchor(index, family.name)));
  return entry;
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

}  // namespace

Json PageValues(const Json& report, const std::optional<std::string>& plot) {
  const std::vector<KernelSummary> kernels = Summarize(report);
  Json values = {{"style", kPageStyle}, {"script", kPageScript}, {"mode", report.at("mode")},
                 {"seed", report.at("seed")}, {"interrupted", report.contains("interrupted")}};
  values["kernels"] = Json::array();
  for (std::size_t k = 0; k < kernels.size(); ++k) values["kernels"].push_back(KernelEntry(kernels[k], k));
  values["families"] = FamilyRows(kernels);
  values["formats"] = Json::array();
  for (const std::string& format : FormatNames(kernels)) values["formats"].push_back({{"format", format}});
  values["shares"] = ShareRows(kernels);
  values["plot"] = plot.value_or("");
  values["environment"] = EnvironmentRows(report);
  return values;
}

std::string ReportPage(const Json& report, const std::optional<std::string>& plot) {
  return FillTemplate(kPageTemplate, PageValues(report, plot));
}

}  // namespace normcheck::reports
