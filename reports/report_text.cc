// Lays a report out as text columns and as Markdown.
#include "reports/report_text.h"

#include <fmt/format.h>

#include "reference/wrapped_text.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kToldLaws = 20;
constexpr std::size_t kSeenLaws = 3;

// Cuts from the middle, so that both "mutant:" and the end of a long name stay.
std::string Fit(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t head = width / 2;
  return text.substr(0, head) + "~" + text.substr(text.size() - (width - head - 1));
}

std::string WorstFamily(const Totals& totals) {
  return totals.worst == nullptr ? "-" : totals.worst->at("family").get<std::string>();
}

std::string Outcome(bool kept, const Totals& t) {
  if (!kept) return "BROKEN";
  return t.judged == 0 ? "not checked" : "kept";
}

std::string MarkdownMark(const KernelSummary& kernel) {
  if (!kernel.kept) return "✗";
  return kernel.all.judged == 0 ? "–" : "✓";
}

// What was asked and what it said of the laws; nothing of the first in old reports.
std::string AskedAndLaws(const KernelSummary& kernel) {
  return (kernel.asked.empty() ? "" : kernel.asked + "; ") + kernel.laws_text;
}

// The outcome first, then what the first broken laws saw.
std::string FirstLines(const KernelSummary& kernel) {
  std::string text = fmt::format("{}: {}; {}", Fit(kernel.name, 60), Outcome(kernel.kept, kernel.all), AskedAndLaws(kernel));
  text = reference::WrappedText(text, 0);
  std::size_t broken = 0;
  for (const LawSummary& law : kernel.laws)
    if (law.state == "broken" && broken++ < kSeenLaws)
      text += reference::WrappedText(law.name + ": " + law.seen.substr(0, law.seen.find('\n')), 2);
  return broken <= kSeenLaws ? text : text + fmt::format("  ... and {} more laws, on the page\n", broken - kSeenLaws);
}

std::string TableRow(const std::string& name, bool kept, const Totals& t) {
  return fmt::format("{:<23} {:>9} {:>9} {:>8} {:>8} {:<11} {}\n", Fit(name, 23), CountText(t.judged),
                     ShareText(t.correctly_rounded, t.judged), UlpText(t.max_row_ulp), UlpText(t.max_ulp),
                     Fit(WorstFamily(t), 11), Outcome(kept, t));
}

// One format for x, parameters and y; the mixed ones stand in the Markdown and on the page.
bool IsPlain(const NamedTotals& format) { return format.name.find('/') == std::string::npos; }

std::string MarkdownCell(const Totals* totals) {
  if (totals == nullptr || totals->judged == 0) return "–";
  const std::string figures = fmt::format("{} ({})", UlpText(totals->max_row_ulp), UlpText(totals->max_ulp));
  return totals->kept ? figures : "**" + figures + " ✗**";
}

std::string MarkdownHead(const std::string& corner, const std::vector<std::string>& columns) {
  std::string head = "| " + corner + " |", rule = "|---|";
  for (const std::string& column : columns) {
    head += " " + column + " |";
    rule += "---:|";
  }
  return head + "\n" + rule + "\n";
}

std::string FamilyTable(const std::vector<KernelSummary>& kernels) {
  std::vector<std::string> names;
  for (const KernelSummary& kernel : kernels) names.push_back("`" + kernel.name + "`");
  std::string text = MarkdownHead("family", names);
  for (const std::string& family : FamilyNames(kernels)) {
    text += "| " + family + " |";
    for (const KernelSummary& kernel : kernels) text += " " + MarkdownCell(Find(kernel.families, family)) + " |";
    text += "\n";
  }
  return text;
}

std::string ShareTable(const std::vector<KernelSummary>& kernels) {
  const std::vector<std::string> formats = FormatNames(kernels);
  std::string text = MarkdownHead("kernel", formats);
  for (const KernelSummary& kernel : kernels) {
    text += "| `" + kernel.name + "` |";
    for (const std::string& format : formats) {
      const Totals* t = Find(kernel.formats, format);
      text += " " + (t == nullptr ? std::string("–") : ShareText(t->correctly_rounded, t->judged)) + " |";
    }
    text += "\n";
  }
  return text;
}

// How to ask the broken laws again.
std::string BrokenLawLines(const std::vector<KernelSummary>& kernels) {
  std::string text;
  std::size_t lines = 0;
  for (const KernelSummary& kernel : kernels)
    for (const LawSummary& law : kernel.laws)
      if (law.state == "broken" && lines++ < kToldLaws)
        text += fmt::format("- `{}` breaks {}: `{}`\n", kernel.name, law.name, law.replay);
  return text.empty() ? "" : "\n" + text;
}

std::string Origin(const Json& report) {
  std::string text = fmt::format("mode {}, seed {}", report.at("mode").get<std::string>(), report.at("seed").get<std::uint64_t>());
  for (const auto& [name, value] : report.at("environment").items())
    text += fmt::format("; {} {}", name, value.get<std::string>());
  return text;
}

}  // namespace

std::string ReportTable(const Json& report) {
  const std::vector<KernelSummary> kernels = Summarize(report);
  std::string text;
  for (const KernelSummary& kernel : kernels) text += FirstLines(kernel);
  text += reference::WrappedText(LawsLeftOut(report), 0) + "\n";
  text += fmt::format("{:<23} {:>9} {:>9} {:>8} {:>8} {}\n", "kernel", "judged", "rounded", "row ulp", "elem ulp",
                                 "worst on");
  for (const KernelSummary& kernel : kernels) {
    text += TableRow(kernel.name, kernel.kept, kernel.all);
    for (const NamedTotals& format : kernel.formats)
      if (IsPlain(format)) text += TableRow("  " + format.name, format.totals.kept, format.totals);
  }
  return text;
}

std::string ReportMarkdown(const Json& report) {
  const std::vector<KernelSummary> kernels = Summarize(report);
  std::string text = "## normcheck: accuracy report\n\n";
  if (report.contains("interrupted")) text += "**Interrupted: cells are missing.**\n\n";
  for (const KernelSummary& kernel : kernels)
    text += fmt::format("- {} `{}` {}. Asked: {}.\n", MarkdownMark(kernel), kernel.name, kernel.sentence, AskedAndLaws(kernel));
  text += "\n" + LawsLeftOut(report) + "\n" + BrokenLawLines(kernels);
  text += "\nWorst error in row ulps, in brackets in element ulps (large where beta cancels or x is near the mean):\n\n";
  text += FamilyTable(kernels) + "\nCorrectly rounded:\n\n" + ShareTable(kernels);
  return text + "\n<sub>" + Origin(report) + "</sub>\n";
}

}  // namespace normcheck::reports
