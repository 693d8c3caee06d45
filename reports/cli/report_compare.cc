// normcheck report --merge and --diff: work on reports that are there already.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "reference/case_json.h"
#include "reference/input_file.h"
#include "reports/cli/arguments.h"
#include "reports/cli/print.h"
#include "reports/cli/report_arguments.h"
#include "reports/diff.h"
#include "reports/gate.h"
#include "reports/merge.h"
#include "reports/read_report.h"

namespace normcheck::reports {
namespace {

namespace fs = std::filesystem;
using reference::Error;
using reference::Result;

Result<std::vector<ShardReport>> ReadShards(const std::vector<std::string>& files) {
  std::vector<ShardReport> shards;
  for (const std::string& file : files) {
    Result<Json> report = ReadReport(file, ReadAs::kWhole);
    if (!report.ok()) return Error{"--merge " + report.error()};
    shards.push_back({file, std::move(report).value()});
  }
  return shards;
}

// A cell or law of a shard with its case file, put into the draft.
Result<bool> KeepWithFile(const ShardReport& shard, const std::string& key, const Json& entry, ReportDraft& draft) {
  const std::string name = ReportDraft::FileOf(entry);
  if (name.empty()) return true;
  const fs::path source = fs::path(shard.file).parent_path() / name;
  constexpr std::size_t kMostBytes = std::size_t{1} << 28;
  const Result<std::string> text = reference::ReadInputFile(source.string(), kMostBytes);
  if (!text.ok() || text.value().empty())
    return Error{"--merge " + shard.file + ": worst.file: cannot read " + source.string() + (text.ok() ? ": is empty" : ": " + text.error()) + "; keep the folder worst beside the report"};
  draft.Put(key, entry, name, text.value());
  return true;
}

Result<bool> KeepShard(const ShardReport& shard, ReportDraft& draft) {
  Result<bool> kept = true;
  for (const Json& kernel : shard.report.at("kernels")) {
    const std::string name = kernel.at("name").get<std::string>();
    const Json laws = kernel.value("laws", Json::array());
    for (const Json& cell : kernel.at("cells"))
      if (kept.ok()) kept = KeepWithFile(shard, name + " " + CellName(cell), cell, draft);
    for (const Json& law : laws)
      if (kept.ok()) kept = KeepWithFile(shard, name + " law " + law.at("law").get<std::string>(), law, draft);
  }
  return kept;
}

GatedRun GatedRunOf(const Json& report) {
  GatedRun run{ModeNamed(report.at("mode").get<std::string>()), {report.at("seed").get<std::uint64_t>()}, {}};
  for (const Json& kernel : report.at("kernels"))
    run.kernels.emplace_back(kernel.at("name").get<std::string>(), kernel.at("contract").get<std::string>());
  return run;
}

Result<bool> WriteDiff(const fs::path& folder, const Json& values) {
  const Result<std::unique_ptr<ReportDraft>> draft = ReportDraft::Open(folder.string(), {{"diff", true}}, kComparisonKind);
  if (!draft.ok()) return Error{draft.error()};
  for (const auto& [name, text] : {std::pair{"diff.md", DiffMarkdown(values)}, {"diff.html", DiffPage(values)}}) {
    const Result<bool> written = draft.value()->Write(name, text);
    if (!written.ok()) return written;
  }
  return draft.value()->Publish(false);
}

}  // namespace

ExitCode MergeReports(const ReportArguments& arguments) {
  if (const Result<bool> stay = CheckInputsStay(arguments); !stay.ok()) return Say(ExitCode::kWrongUse, stay.error());
  const auto shards = ReadShards(arguments.merge);
  if (!shards.ok()) return Say(ExitCode::kWrongUse, shards.error());
  Result<Json> merged = Merge(shards.value());
  if (!merged.ok()) return Say(ExitCode::kWrongUse, "--merge " + merged.error());
  Json report = std::move(merged).value();
  const Result<Json> baseline = ReadBaseline(arguments, GatedRunOf(report));
  if (!baseline.ok()) return Say(ExitCode::kWrongUse, baseline.error());
  const Result<bool> target = CheckBaselineTarget(arguments.baseline);
  if (!target.ok()) return Say(ExitCode::kWrongUse, target.error());
  const auto draft = ReportDraft::Open(arguments.folder(), {{"merge", arguments.merge}});
  if (!draft.ok()) return Say(ExitCode::kWrongUse, draft.error());
  for (const ShardReport& shard : shards.value()) {
    const Result<bool> kept = KeepShard(shard, *draft.value());
    if (!kept.ok()) return Say(ExitCode::kWrongUse, kept.error());
  }
  SetReplayLines(report, arguments.folder());
  try {
    return FinishReport(*draft.value(), report, baseline.value(), arguments);
  } catch (const Json::exception& error) {
    return Say(ExitCode::kWrongUse, std::string("--merge: a field of a curve or of a worst row is damaged: ") + error.what());
  }
}

ExitCode DiffReports(const ReportArguments& arguments) {
  Result<Json> before = ReadReport(arguments.diff[0], ReadAs::kWhole);
  Result<Json> after = ReadReport(arguments.diff[1], ReadAs::kWhole);
  if (!before.ok()) return Say(ExitCode::kWrongUse, "--diff " + before.error());
  if (!after.ok()) return Say(ExitCode::kWrongUse, "--diff " + after.error());
  const Result<Json> values = DiffValues(before.value(), arguments.diff[0], after.value(), arguments.diff[1]);
  if (!values.ok()) return Say(ExitCode::kWrongUse, "--diff " + values.error());
  const fs::path folder = arguments.out.empty() ? "./normcheck-diff" : arguments.out;
  const Result<bool> written = WriteDiff(folder, values.value());
  if (!written.ok()) return Say(ExitCode::kWrongUse, written.error());
  for (const Json& kernel : values.value().at("kernels"))
    Print("{}: {} cells compared, {} worse, {} better\n", kernel.at("name").get<std::string>(), kernel.at("cells").dump(),
               kernel.at("worse").dump(), kernel.at("better").dump());
  Print("{}\n", (folder / "diff.html").string());
  return ExitCode::kKept;
}

}  // namespace normcheck::reports
