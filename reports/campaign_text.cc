// Lays a campaign's summary out as Markdown.
#include "reports/campaign_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/summary.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kMostRowsInText = 20;

std::string Text(const Json& entry, const char* name) { return entry.at(name).get<std::string>(); }

std::string Ulps(const Json& entry, const char* name) { return UlpText(entry.at(name).get<double>()); }

std::string FindingsText(const Json& campaign) {
  if (campaign.at("findings").empty()) return "";
  std::string text = "\n## Findings\n\n| bucket | finding | replay |\n|---|---|---|\n";
  for (const Json& finding : campaign.at("findings"))
    text += fmt::format("| {} | `{}` | `{}` |\n", Text(finding, "bucket"), Text(finding, "signature"), Text(finding, "replay"));
  return text;
}

std::string WorstText(const Json& campaign) {
  std::string text = "\n## Worst error by op and formats\n\n| op | x/parameters/y | judged | row ulps | of the bound |\n|---|---|---:|---:|---:|\n";
  for (const Json& entry : campaign.at("worst"))
    text += fmt::format("| {} | {} | {} | {} | {} |\n", Text(entry, "op"), FormatsText(entry),
                        CountText(entry.at("judged").get<std::uint64_t>()), Ulps(entry, "max_row_ulp"), Ulps(entry, "max_bound_ratio"));
  return text;
}

std::string FamiliesText(const Json& campaign) {
  const auto families = FamilyCountsOf(campaign);
  const auto classes = ClassesMet(families);
  std::string text = "\n## Coverage by family and class of rows\n\n| family | judged | row ulps |", rule = "|---|---:|---:|";
  for (const std::string& row_class : classes) text += " " + row_class + " |", rule += "---:|";
  text += "\n" + rule + "\n";
  for (const FamilyCounts& family : families) {
    text += fmt::format("| {} | {} | {} |", family.family, CountText(family.judged), UlpText(family.max_row_ulp));
    for (const std::string& row_class : classes) text += fmt::format(" {} |", CountText(CountIn(family, row_class)));
    text += "\n";
  }
  return families.empty() ? "" : text;
}

std::string CoverageText(const Json& campaign) {
  std::string text = "\n## Coverage by class of rows\n\n| op | x | class | judged | row ulps | of the bound |\n|---|---|---|---:|---:|---:|\n";
  for (const Json& entry : campaign.at("coverage").at("classes"))
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", Text(entry, "op"), Text(entry, "x_format"), Text(entry, "class"),
                        CountText(entry.at("judged").get<std::uint64_t>()), Ulps(entry, "max_row_ulp"), Ulps(entry, "max_bound_ratio"));
  text += FamiliesText(campaign);
  text += "\nCases that are also:";
  for (const auto& [name, count] : campaign.at("coverage").at("conditions").items())
    text += fmt::format(" {} {},", name, CountText(count.get<std::uint64_t>()));
  text.back() = '.';
  return text + "\n";
}

std::string WorstRowsText(const Json& campaign) {
  const Json& rows = campaign.at("worst_rows");
  std::string text = "\n## Worst rows\n\n| op | x/parameters/y | class | row ulps | of the bound | width | epsilon | case |\n|---|---|---|---:|---:|---:|---:|---|\n";
  for (std::size_t i = 0; i < rows.size() && i < kMostRowsInText; ++i)
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {:.3g} | `{}` |\n", Text(rows[i], "op"), FormatsText(rows[i]), Text(rows[i], "class"),
                        Ulps(rows[i], "row_ulp"), Ulps(rows[i], "bound_ratio"), rows[i].at("width").get<std::size_t>(),
                        rows[i].at("epsilon").get<double>(), Text(rows[i], "file"));
  return text;
}

std::string EnvironmentText(const Json& campaign) {
  std::string text = "\n## Environment\n\n";
  for (const auto& [name, value] : campaign.at("environment").items()) text += fmt::format("- {}: {}\n", name, value.get<std::string>());
  return text;
}

}  // namespace

std::vector<FamilyCounts> FamilyCountsOf(const Json& campaign) {
  std::vector<FamilyCounts> families;
  for (const Json& entry : campaign.at("coverage").value("families", Json::array())) {
    const std::string name = Text(entry, "family");
    if (families.empty() || families.back().family != name) families.emplace_back().family = name;
    FamilyCounts& family = families.back();
    const auto judged = entry.at("judged").get<std::uint64_t>();
    family.judged += judged;
    family.max_row_ulp = std::max(family.max_row_ulp, entry.at("max_row_ulp").get<double>());
    family.by_class[Text(entry, "class")] = judged;
  }
  return families;
}

std::vector<std::string> ClassesMet(const std::vector<FamilyCounts>& families) {
  std::set<std::string> classes;
  for (const FamilyCounts& family : families)
    for (const auto& [row_class, judged] : family.by_class) classes.insert(row_class);
  return {classes.begin(), classes.end()};
}

std::uint64_t CountIn(const FamilyCounts& family, const std::string& row_class) {
  const auto found = family.by_class.find(row_class);
  return found == family.by_class.end() ? 0 : found->second;
}

std::string FormatsText(const Json& entry) {
  const std::string x = Text(entry, "x_format"), params = Text(entry, "param_format"), y = Text(entry, "y_format");
  return x == params && x == y ? x : x + "/" + params + "/" + y;
}

std::string CampaignSentence(const Json& campaign) {
  const std::size_t findings = campaign.at("findings").size();
  const std::string found = findings == 0 ? "No broken promise" : fmt::format("{} finding{}", findings, findings == 1 ? "" : "s");
  return fmt::format("{} in {} executions ({}, {} per second)", found, CountText(campaign.at("executions").get<std::uint64_t>()),
                     DurationText(campaign.at("seconds").get<double>()),
                     CountText(static_cast<std::uint64_t>(campaign.at("executions_per_second").get<double>())));
}

std::string CampaignMarkdown(const Json& campaign) {
  std::string text = fmt::format("# Fuzz campaign on `{}`\n\n{}. Contract `{}`, seed {}, {}.\n\n", Text(campaign, "kernel"),
                                 CampaignSentence(campaign), Text(campaign, "contract"), campaign.at("seed").get<std::uint64_t>(), Text(campaign, "state"));
  text += fmt::format("Sessions {}, corpus {}, restarted workers {}.\n", campaign.at("sessions").get<std::uint64_t>(),
                      campaign.at("corpus").get<std::size_t>(), campaign.at("restarts").get<std::uint64_t>());
  return text + FindingsText(campaign) + WorstText(campaign) + CoverageText(campaign) + WorstRowsText(campaign) + EnvironmentText(campaign);
}

std::string DurationText(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace normcheck::reports
