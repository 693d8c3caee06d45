// Prepares a campaign's JSON for its page, draws its chart, writes both.
#include "reports/campaign_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "reference/case_json.h"
#include "reference/input_file.h"
#include "reports/campaign_text.h"
#include "reports/page.h"
#include "reports/gnuplot.h"
#include "reports/summary.h"
#include "reports/template.h"

namespace normcheck::reports {
namespace {

using reference::Error;
using reference::Result;

constexpr std::size_t kMostRowsOnPage = 60;
constexpr double kLeastUlp = 0.1;
constexpr std::array<const char*, 6> kLineColours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"};

constexpr const char* kChartSettings = R"(set terminal svg size 860,360 dynamic name "campaign" font "sans-serif,12"
set encoding utf8
set border 3 lw 0.6
set grid ytics lw 0.4 lc rgb "#9aa4b0"
set logscale xy
set format y "10^{%L}"
set xtics nomirror
set ytics nomirror
set xlabel "seconds"
set ylabel "worst row ulps"
set key outside top horizontal left noenhanced
)";

int DecadeOf(double ulp) {
  if (!(ulp > 0.501)) return 0;
  return std::clamp(static_cast<int>(std::ceil(std::log10(ulp))) + 1, 1, 9);
}

Json Figure(const Json& entry, const char* name) {
  const double figure = entry.at(name).get<double>();
  return {{"text", UlpText(figure)}, {"sort", figure}};
}

Json WorstEntries(const Json& campaign) {
  Json entries = Json::array();
  for (const Json& entry : campaign.at("worst"))
    entries.push_back({{"op", entry.at("op")},
                       {"formats", FormatsText(entry)},
                       {"judged", CountText(entry.at("judged").get<std::uint64_t>())},
                       {"decade", DecadeOf(entry.at("max_row_ulp").get<double>())},
                       {"row_ulp", Figure(entry, "max_row_ulp")},
                       {"row_file", entry.at("row_ulp_file")},
                       {"bound", Figure(entry, "max_bound_ratio")},
                       {"bound_file", entry.at("bound_ratio_file")}});
  return entries;
}

Json ClassEntries(const Json& campaign) {
  Json entries = Json::array();
  for (const Json& entry : campaign.at("coverage").at("classes"))
    entries.push_back({{"op", entry.at("op")},
                       {"x_format", entry.at("x_format")},
                       {"class", entry.at("class")},
                       {"judged", CountText(entry.at("judged").get<std::uint64_t>())},
                       {"count", entry.at("judged")},
                       {"decade", DecadeOf(entry.at("max_row_ulp").get<double>())},
                       {"row_ulp", Figure(entry, "max_row_ulp")},
                       {"bound", Figure(entry, "max_bound_ratio")}});
  return entries;
}

Json FamilyEntries(const std::vector<FamilyCounts>& families, const std::vector<std::string>& classes) {
  Json entries = Json::array();
  for (const FamilyCounts& family : families) {
    Json counts = Json::array();
    for (const std::string& row_class : classes)
      counts.push_back({{"text", CountText(CountIn(family, row_class))}, {"sort", CountIn(family, row_class)}});
    entries.push_back({{"family", family.family},
                       {"judged", CountText(family.judged)},
                       {"count", family.judged},
                       {"decade", DecadeOf(family.max_row_ulp)},
                       {"row_ulp", {{"text", UlpText(family.max_row_ulp)}, {"sort", family.max_row_ulp}}},
                       {"counts", counts}});
  }
  return entries;
}

Json ClassNames(const std::vector<std::string>& classes) {
  Json names = Json::array();
  for (const std::string& row_class : classes) names.push_back({{"name", row_class}});
  return names;
}

std::string NumberText(const Json& number) { return number.is_number() ? fmt::format("{:.3g}", number.get<double>()) : "-"; }

Json RowEntries(const Json& campaign) {
  Json entries = Json::array();
  for (const Json& row : campaign.at("worst_rows")) {
    if (entries.size() == kMostRowsOnPage) break;
    entries.push_back({{"what", fmt::format("{} {}, {}", row.at("op").get<std::string>(), FormatsText(row), row.at("class").get<std::string>())},
                       {"figure", fmt::format("{} row ulps, {} of the bound", UlpText(row.at("row_ulp").get<double>()), UlpText(row.at("bound_ratio").get<double>()))},
                       {"shape", fmt::format("{} row{} of {}", row.at("rows").get<std::size_t>(), row.at("rows") == 1 ? "" : "s", row.at("width").get<std::size_t>())},
                       {"epsilon", NumberText(row.at("epsilon"))},
                       {"mean_over_sigma", NumberText(row.at("mean_over_sigma"))},
                       {"var_over_eps", NumberText(row.at("var_over_eps"))},
                       {"file", row.at("file")},
                       {"replay", row.at("replay")}});
  }
  return entries;
}

Json NamedRows(const Json& object) {
  Json rows = Json::array();
  for (const auto& [name, value] : object.items()) {
    std::string text = name;
    std::ranges::replace(text, '_', ' ');
    rows.push_back({{"name", text}, {"value", value.is_string() ? value.get<std::string>() : CountText(value.get<std::uint64_t>())}});
  }
  return rows;
}

std::string SeriesName(const Json& series) { return series.at("op").get<std::string>() + " " + series.at("x_format").get<std::string>(); }

// The last error goes on to the end of the campaign.
std::string DataBlock(const Json& series, double end, std::size_t index) {
  std::string block = fmt::format("$s{} << EOD\n", index);
  double last = kLeastUlp;
  for (const Json& point : series.at("points")) {
    last = std::max(point.at(2).get<double>(), kLeastUlp);
    block += fmt::format("{:.2f} {:.6g}\n", std::max(point.at(0).get<double>(), 1.0), last);
  }
  return block + fmt::format("{:.2f} {:.6g}\nEOD\n", std::max(end, 1.0), last);
}

double WorstOf(const Json& campaign) {
  double worst = 1;
  for (const Json& series : campaign.at("series"))
    for (const Json& point : series.at("points")) worst = std::max(worst, point.at(2).get<double>());
  return worst;
}

Result<Json> ReadSummary(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 28;
  const Result<std::string> text = reference::ReadInputFile(path, kMostBytes);
  if (!text.ok()) return Error{path + ": cannot be read: " + text.error() + "; run normcheck fuzz on its folder again"};
  try {
    Json json = Json::parse(text.value());
    if (json.at("schema") == "normcheck/campaign/1") return json;
  } catch (const Json::exception&) {
  }
  return Error{path + ": is no summary of a campaign; run normcheck fuzz on its folder again"};
}

}  // namespace

std::string CampaignPlotScript(const Json& campaign) {
  const double end = campaign.at("seconds").get<double>();
  std::string script = kChartSettings + fmt::format("set xrange [1:{:.2f}]\nset yrange [{}:{:.6g}]\n", std::max(end, 2.0), kLeastUlp, 3 * WorstOf(campaign));
  std::string lines;
  const Json& all = campaign.at("series");
  for (std::size_t i = 0; i < all.size(); ++i) {
    script += DataBlock(all[i], end, i);
    lines += fmt::format("{}$s{} using 1:2 with steps lw 2 lc rgb \"{}\" title \"{}\"", i == 0 ? "plot " : ", ", i, kLineColours[i % kLineColours.size()],
                         SeriesName(all[i]));
  }
  return lines.empty() ? std::string() : script + lines + "\n";
}

std::string CampaignPage(const Json& campaign, const std::optional<std::string>& plot) {
  Json values = {{"style", kPageStyle}, {"script", kPageScript}};
  for (const char* name : {"kernel", "contract", "about", "seed", "state", "sessions", "corpus", "restarts", "findings"}) values[name] = campaign.at(name);
  values["sentence"] = CampaignSentence(campaign);
  values["broken"] = !campaign.at("findings").empty();
  values["unfinished"] = campaign.at("state") != "done";
  values["worst"] = WorstEntries(campaign);
  values["classes"] = ClassEntries(campaign);
  const auto families = FamilyCountsOf(campaign);
  const auto classes = ClassesMet(families);
  values["families"] = FamilyEntries(families, classes);
  values["class_names"] = ClassNames(classes);
  values["conditions"] = NamedRows(campaign.at("coverage").at("conditions"));
  values["rows"] = RowEntries(campaign);
  values["plot"] = plot.value_or("");
  values["environment"] = NamedRows(campaign.at("environment"));
  return FillTemplate(kCampaignTemplate, values);
}

Result<CampaignPages> WriteCampaignPages(const std::string& dir) {
  const std::filesystem::path folder(dir);
  const auto campaign = ReadSummary((folder / "summary.json").string());
  if (!campaign.ok()) return Error{campaign.error()};
  const std::string script = CampaignPlotScript(campaign.value());
  const auto plot = DrawSvg(script.empty() ? "exit\n" : script, "campaign");
  const std::string page = (folder / "index.html").string();
  const auto text = reference::WriteFileAtomically((folder / "summary.md").string(), CampaignMarkdown(campaign.value()));
  if (!text.ok()) return Error{text.error()};
  const auto written = reference::WriteFileAtomically(page, CampaignPage(campaign.value(), plot));
  if (!written.ok()) return Error{written.error()};
  return CampaignPages{page, plot.has_value()};
}

}  // namespace normcheck::reports
