// The last steps of a report: files, gate, baseline, table.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "reference/case_json.h"
#include "reference/owned_folder.h"
#include "reports/cli/arguments.h"
#include "reports/cli/print.h"
#include "reports/cli/report_arguments.h"
#include "reports/gate.h"
#include "reports/read_report.h"
#include "reports/report_text.h"
#include "reports/write_report.h"

namespace normcheck::reports {
namespace {

using reference::Error;
using reference::Result;

// Cells of which this program could not ask everything.
ExitCode NotAsked(const Json& kernel) {
  std::size_t cells = 0;
  std::string why;
  for (const Json& law : kernel.value("laws", Json::array()))
    if (law.contains("harness_fault") && cells++ == 0) why = law.at("harness_fault").get<std::string>();
  for (const Json& cell : kernel.at("cells"))
    if (cell.contains("harness_fault") && cells++ == 0) why = cell.at("harness_fault").get<std::string>();
  if (cells == 0) return ExitCode::kKept;
  return Say(ExitCode::kNotChecked, fmt::format("{}: {} cells and laws not wholly checked: {}", kernel.at("name").get<std::string>(), cells, why));
}

// Kernels on which nothing could be judged or not all, and cells that an interrupt left out.
ExitCode Unchecked(const Json& report) {
  ExitCode code = ExitCode::kKept;
  for (const Json& kernel : report.at("kernels")) {
    code = Graver(code, NotAsked(kernel));
    const auto judged = [](const Json& cell) { return cell.at("judged").get<std::uint64_t>() > 0; };
    if (report.contains("shard") || !kernel.at("kept").get<bool>() || std::ranges::any_of(kernel.at("cells"), judged)) continue;
    code = Say(ExitCode::kNotChecked, kernel.at("name").get<std::string>() + ": nothing that it supports could be judged");
  }
  if (!report.contains("interrupted")) return code;
  return Say(ExitCode::kNotChecked, "interrupted: the report lacks cells, and says so; the same command goes on from here");
}

ExitCode Kept(const Json& report) {
  const bool kept = std::ranges::all_of(report.at("kernels"), [](const Json& kernel) { return kernel.at("kept").get<bool>(); });
  return kept ? ExitCode::kKept : ExitCode::kBroken;
}

struct Answer {
  ExitCode code = ExitCode::kKept;
  std::string text;  // the gate's
};

// Without a whole run there is no gate.
Result<Answer> WriteGate(const ReportDraft& draft, const Json& report, const Json& baseline, const std::string& file) {
  if (baseline.is_null() || report.contains("interrupted")) return Answer{Kept(report), ""};
  const GateResult gate = Gate(file, baseline, report);
  for (const auto& [name, text] : {std::pair{"gate.junit.xml", GateJUnit(gate, report)}, {"gate.sarif", GateSarif(gate)}}) {
    const Result<bool> written = draft.Write(name, text);
    if (!written.ok()) return Error{written.error()};
  }
  return Answer{gate.passed() ? ExitCode::kKept : ExitCode::kBroken, "\n" + GateText(gate)};
}

ExitCode WriteBaseline(const std::string& file, const Json& report) {
  if (file.empty()) return ExitCode::kKept;
  if (report.contains("interrupted")) return Say(ExitCode::kNotChecked, "--baseline: not written, the run was interrupted");
  const auto written = reference::WriteFileAtomically(file, BaselineText(report));
  return written.ok() ? ExitCode::kKept : Say(ExitCode::kWrongUse, "--baseline " + written.error());
}

}  // namespace

Result<Json> ReadBaseline(const ReportArguments& arguments, const GatedRun& run) {
  if (arguments.gate.empty()) return Json(nullptr);
  Result<Json> baseline = ReadReport(arguments.gate, ReadAs::kFigures);
  if (!baseline.ok()) return Error{"--gate " + baseline.error()};
  const Result<bool> fits = CheckBaseline(arguments.gate, baseline.value(), run);
  if (!fits.ok()) return Error{"--gate " + fits.error()};
  return baseline;
}

Result<bool> CheckInputsStay(const ReportArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> files = {{"--gate ", arguments.gate}, {"--baseline ", arguments.baseline}};
  for (const std::string& file : arguments.merge) files.emplace_back("--merge ", file);
  const std::filesystem::path folder = reference::FolderNamed(arguments.folder());
  for (const auto& [option, file] : files)
    if (!file.empty() && reference::OwnsFile(folder, kReportKind, file))
      return Error{option + file + ": belongs to the report in " + arguments.folder() + ", which this run replaces; name another --out"};
  return true;
}

Result<bool> CheckBaselineTarget(const std::string& file) {
  if (file.empty()) return true;
  const std::filesystem::path path = std::filesystem::absolute(file);
  if (std::filesystem::is_directory(path)) return Error{"--baseline " + file + ": is a folder; name a file"};
  if (access(path.parent_path().c_str(), W_OK | X_OK) != 0)
    return Error{"--baseline " + file + ": cannot write in " + path.parent_path().string() + "; name another file"};
  return true;
}

ExitCode FinishReport(ReportDraft& draft, const Json& report, const Json& baseline, const ReportArguments& arguments) {
  const Result<bool> plotted = WriteReportFiles(draft, report);
  if (!plotted.ok()) return Say(ExitCode::kWrongUse, plotted.error());
  const Result<Answer> gate = WriteGate(draft, report, baseline, arguments.gate);
  if (!gate.ok()) return Say(ExitCode::kWrongUse, gate.error());
  const Result<bool> published = draft.Publish(report.contains("interrupted"));
  if (!published.ok()) return Say(ExitCode::kWrongUse, published.error());
  ExitCode code = Graver(gate.value().code, Unchecked(report));
  code = Graver(code, WriteBaseline(arguments.baseline, report));
  if (!plotted.value())
    code = Graver(code, Say(ExitCode::kNotChecked,
                            "gnuplot is missing: report.json, report.md and report.csv are written, the page has no charts; "
                            "run apt-get install gnuplot-nox"));
  Print("{}{}\n{}/index.html\n", ReportTable(report), gate.value().text, arguments.folder());
  return code;
}

}  // namespace normcheck::reports
