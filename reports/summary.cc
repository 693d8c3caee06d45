// Adds up a report's JSON by kernel, family and formats.
#include "reports/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "properties/laws.h"
#include "reports/asked.h"

namespace normcheck::reports {
namespace {

// A JSON number, or 0 for null and absent.
double NumberOr0(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

auto RankOf(const Json& cell) {
  const Json& worst = cell.at("worst");
  return std::tuple(!cell.at("kept").get<bool>(), !worst.at("fault").get<std::string>().empty(),
                    NumberOr0(worst, "bound_ratio"), NumberOr0(worst, "row_ulp"));
}

void RaiseTo(std::optional<double>& maximum, const Json& value) {
  if (!value.is_number()) return;
  if (!maximum || *maximum < value.get<double>()) maximum = value.get<double>();
}

std::string FormatName(const Json& cell) {
  const auto field = [&](const char* name) { return cell.at(name).get<std::string>(); };
  const std::string x = field("x_format"), params = field("param_format"), y = field("y_format");
  return x == params && x == y ? x : x + "/" + params + "/" + y;
}

Totals& Slot(std::vector<NamedTotals>& list, const std::string& name) {
  const auto found = std::ranges::find(list, name, &NamedTotals::name);
  if (found != list.end()) return found->totals;
  return list.emplace_back(NamedTotals{name, {}}).totals;
}

// The worst cell in words: its error or its class fault, the family, and the mistake where one was named.
std::string WorstWords(const Totals& all) {
  if (all.worst == nullptr) return "";
  const Json& worst = all.worst->at("worst");
  const std::string fault = worst.at("fault").get<std::string>();
  std::optional<double> row_ulp;
  RaiseTo(row_ulp, worst.at("row_ulp"));
  std::string words = fault.empty() ? fmt::format("worst {} row ulps", UlpText(row_ulp)) : fault;
  words += fmt::format(", on {} rows", all.worst->at("family").get<std::string>());
  const Json& diagnosis = worst.at("diagnosis");
  if (diagnosis.empty()) return words;
  std::string text = diagnosis.front().at("text").get<std::string>();
  if (text.ends_with('.')) text.pop_back();
  return words + ": " + text;
}

std::string JudgedSentence(const KernelSummary& kernel) {
  const Totals& all = kernel.all;
  if (all.judged == 0 && all.kept) return "was judged on no output: nothing that it supports came up";
  const std::string count = CountText(all.judged);
  if (!all.kept)
    return fmt::format("breaks {} on {} of {} outputs: {}", kernel.contract, CountText(all.broken), count, WorstWords(all));
  if (all.correctly_rounded == all.judged) return fmt::format("is correctly rounded on all {} outputs judged", count);
  std::string text = fmt::format("keeps {} on all {} outputs judged, {} of them correctly rounded", kernel.contract, count,
                                 ShareText(all.correctly_rounded, all.judged));
  if (all.worst == nullptr) return text;
  return text + fmt::format("; at most {} row ulps, nearest to the bound on {} rows", UlpText(all.max_row_ulp),
                            all.worst->at("family").get<std::string>());
}

// "breaks the law batch-size: row 3 of 255 differs"; empty where none is broken.
std::string BrokenLaws(const KernelSummary& kernel) {
  std::vector<const LawSummary*> broken;
  for (const LawSummary& law : kernel.laws)
    if (law.state == "broken") broken.push_back(&law);
  if (broken.empty()) return "";
  const std::string seen = broken.front()->seen.substr(0, broken.front()->seen.find('\n'));
  const std::string more = broken.size() == 1 ? "" : fmt::format(" (and {} more)", broken.size() - 1);
  return fmt::format("breaks the law {}{}: {}", broken.front()->name, more, seen);
}

std::string Sentence(const KernelSummary& kernel) {
  const std::string judged = JudgedSentence(kernel), laws = BrokenLaws(kernel);
  return laws.empty() ? judged : judged + (kernel.all.kept ? ", but " : "; it also ") + laws;
}

std::string NamesWhere(const std::vector<LawSummary>& laws, bool (*wanted)(const LawSummary&), bool with_state) {
  std::string names;
  for (const LawSummary& law : laws)
    if (wanted(law)) names += (names.empty() ? "" : ", ") + law.name + (with_state ? " (" + law.state + ")" : "");
  return names;
}

std::string LawsText(const std::vector<LawSummary>& laws) {
  if (laws.empty()) return "no law asked";
  const auto kept = std::ranges::count(laws, "kept", &LawSummary::state);
  std::string text = fmt::format("{} of {} laws kept", kept, kept + std::ranges::count(laws, "broken", &LawSummary::state));
  const std::string broken = NamesWhere(laws, [](const LawSummary& law) { return law.state == "broken"; }, false);
  const auto is_open = [](const LawSummary& law) { return law.state != "broken" && law.state != "kept"; };
  const std::string others = NamesWhere(laws, is_open, true);
  if (!broken.empty()) text += "; broken: " + broken;
  if (!others.empty()) text += "; not asked: " + others;
  return text;
}

std::vector<LawSummary> LawsOf(const Json& kernel) {
  std::vector<LawSummary> laws;
  for (const Json& law : kernel.value("laws", Json::array()))
    laws.push_back({law.at("law").get<std::string>(), law.at("state").get<std::string>(), law.at("cases").get<std::uint64_t>(),
                    law.at("seen").get<std::string>(), law.value("file", std::string()), law.value("replay", std::string())});
  return laws;
}

KernelSummary SummarizeKernel(const Json& kernel) {
  KernelSummary summary;
  summary.name = kernel.at("name").get<std::string>();
  summary.contract = kernel.at("contract").get<std::string>();
  summary.about = kernel.at("about").get<std::string>();
  summary.contract_stated = kernel.at("contract_stated").get<bool>();
  for (const Json& cell : kernel.at("cells")) {
    summary.all.Add(cell);
    Slot(summary.families, cell.at("family").get<std::string>()).Add(cell);
    Slot(summary.formats, FormatName(cell)).Add(cell);
  }
  summary.laws = LawsOf(kernel);
  summary.laws_text = LawsText(summary.laws);
  if (kernel.contains("asked")) summary.asked = AskedText(kernel.at("asked"));
  summary.kept = KernelIsKept(kernel);
  summary.sentence = Sentence(summary);
  return summary;
}

std::vector<std::string> Names(const std::vector<KernelSummary>& kernels, std::vector<NamedTotals> KernelSummary::*list) {
  std::vector<std::string> names;
  for (const KernelSummary& kernel : kernels)
    for (const NamedTotals& entry : kernel.*list)
      if (std::ranges::find(names, entry.name) == names.end()) names.push_back(entry.name);
  return names;
}

}  // namespace

void Totals::Add(const Json& cell) {
  const auto count = [&](const char* field) { return cell.at(field).get<std::uint64_t>(); };
  judged += count("judged");
  correctly_rounded += count("correctly_rounded");
  class_faults += count("class_faults");
  undefined += count("undefined");
  no_promise += count("no_promise");
  not_checked += count("not_checked");
  broken += count("broken");
  beyond_element += count("beyond_element");
  RaiseTo(max_ulp, cell.at("max_ulp"));
  RaiseTo(max_row_ulp, cell.at("max_row_ulp"));
  kept = kept && cell.at("kept").get<bool>();
  if (cell.at("worst").is_null()) return;
  if (worst == nullptr || RankOf(cell) > RankOf(*worst)) worst = &cell;
}

std::vector<KernelSummary> Summarize(const Json& report) {
  std::vector<KernelSummary> summaries;
  for (const Json& kernel : report.at("kernels")) summaries.push_back(SummarizeKernel(kernel));
  return summaries;
}

std::string LawsLeftOut(const Json& report) {
  std::size_t asked = 0;
  for (const Json& kernel : report.at("kernels")) asked = std::max(asked, kernel.value("laws", Json::array()).size());
  const std::string others = fmt::format("`normcheck properties` asks all {}", properties::Laws().size());
  if (asked == 0) return "No law was asked: " + others + ".";
  return fmt::format("A report asks {} laws; {}.", asked, others);
}

const Totals* Find(const std::vector<NamedTotals>& list, const std::string& name) {
  const auto found = std::ranges::find(list, name, &NamedTotals::name);
  return found == list.end() ? nullptr : &found->totals;
}

std::vector<std::string> FamilyNames(const std::vector<KernelSummary>& kernels) {
  return Names(kernels, &KernelSummary::families);
}

std::vector<std::string> FormatNames(const std::vector<KernelSummary>& kernels) {
  return Names(kernels, &KernelSummary::formats);
}

std::string UlpText(const std::optional<double>& ulp) {
  if (!ulp) return "-";
  if (*ulp < 10) return fmt::format("{:.3f}", *ulp);
  if (*ulp < 1000) return fmt::format("{:.1f}", *ulp);
  const int exponent = static_cast<int>(std::floor(std::log10(*ulp)));
  if (exponent < 5) return fmt::format("{:.0f}", *ulp);
  const std::string text = fmt::format("{:.1e}", *ulp);  // "1.2e+07"
  const std::size_t e = text.find('e');
  return text.substr(0, e + 1) + std::to_string(std::stoi(text.substr(e + 1)));
}

std::string CountText(std::uint64_t count) {
  if (count < 100'000) return std::to_string(count);
  const double value = static_cast<double>(count);
  return count < 1'000'000 ? fmt::format("{:.0f} k", value / 1e3) : fmt::format("{:.1f} M", value / 1e6);
}

std::string ShareText(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  if (part == whole) return "100 %";
  const double percent = 100 * (static_cast<double>(part) / static_cast<double>(whole));
  return fmt::format("{:.2f} %", std::min(percent, 99.99));
}

}  // namespace normcheck::reports
