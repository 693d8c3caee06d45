// Merging a campaign's corpus.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <thread>

#include "fuzz/campaign_dir.h"
#include "fuzz/campaign_export.h"
#include "fuzz/stop_signals.h"
#include "fuzz/worker.h"
#include "fuzz/worst_rows.h"
#include "reference/case_bytes.h"
#include "reference/case_json.h"
#include "reference/put_in_place.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Error;
using reference::Result;

constexpr std::chrono::milliseconds kMergeTick{25};

std::size_t InputsIn(const fs::path& dir) {
  std::error_code fault;
  const fs::directory_iterator first(dir, fault);
  return fault ? 0 : static_cast<std::size_t>(std::distance(first, {}));
}

// Byte forms of the op's worst rows, named by their cell.
std::optional<Error> AddWorstRows(const CampaignDir& dir, norm::Op op, const fs::path& corpus) {
  for (const WorstRow& row : ReadWorstRows(dir.Worst().string())) {
    if (row.cell.op != op) continue;
    const auto c = reference::ReadCaseFile(row.file);
    if (!c.ok()) return Error{c.error()};
    const std::vector<std::uint8_t> bytes = reference::EncodeCase(c.value());
    const fs::path file = corpus / ("worst-" + NameOf(row.cell) + "." + std::string(NameOf(row.scale)));
    const auto written = reference::WriteFileAtomically(file.string(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!written.ok()) return Error{written.error()};
  }
  return std::nullopt;
}

WorkerCommand MergeCommand(const CampaignOptions& options, const CampaignDir& dir, norm::Op op, const fs::path& merged) {
  WorkerCommand command;
  command.arguments = {(fs::path(options.fuzz_dir) / ("fuzz_" + std::string(NameOf(op)))).string(),
                       "-merge=1", merged.string(), dir.Corpus(op).string(),
                       "-artifact_prefix=" + dir.Artifacts(op).string() + "/", "-max_len=32768", "-timeout=10", "-rss_limit_mb=2048"};
  command.environment = {"NORMCHECK_KERNEL=" + options.kernel.name, "NORMCHECK_FINDINGS=" + dir.Findings().string(),
                         "NORMCHECK_WORST=" + dir.Worst().string(), "NORMCHECK_STATS=", "NORMCHECK_FLIGHT=", "TMPDIR=" + dir.Workers().string()};
  command.log = (dir.Workers() / "merge.log").string();
  return command;
}

// True: done; false: interrupted.
Result<bool> Merge(const WorkerCommand& command, const StopSignals& signals) {
  auto started = Worker::Start(command);
  if (!started.ok()) return Error{started.error()};
  Worker worker = std::move(started).value();
  while (!signals.Caught()) {
    const auto end = worker.Poll();
    if (end && (end->code != 0 || end->signal != 0)) return Error{command.arguments.front() + ": -merge=1 failed; " + command.log + " says why"};
    if (end) return true;
    std::this_thread::sleep_for(kMergeTick);
  }
  return false;
}

}  // namespace

bool HoldsCampaign(const std::string& dir) { return CampaignDir::KernelOf(dir).has_value(); }

Result<MinimizedCorpus> MinimizeCorpus(const CampaignOptions& options) {
  const std::vector<norm::Op> ops = options.op ? std::vector{*options.op} : options.kernel.ops;
  const std::string path = options.dir.empty() ? DefaultCampaignDir(options.kernel, options.op) : options.dir;
  const auto dir = CampaignDir::OpenExisting(path, options.kernel.name, ops);
  if (!dir.ok()) return Error{dir.error()};
  const StopSignals signals;
  MinimizedCorpus sum;
  for (const norm::Op op : ops) {
    const fs::path corpus = dir.value().Corpus(op), merged = dir.value().Workers() / (std::string(NameOf(op)) + ".merged");
    std::error_code fault;
    fs::remove_all(merged, fault);
    fs::create_directories(merged, fault);
    if (fault) return Error{merged.string() + ": cannot be written (" + fault.message() + "); free the space or name another place"};
    const std::size_t before = InputsIn(corpus);
    const auto done = Merge(MergeCommand(options, dir.value(), op, merged), signals);
    if (!done.ok()) return Error{done.error()};
    sum.interrupted = !done.value();
    if (sum.interrupted) break;
    if (auto error = AddWorstRows(dir.value(), op, merged)) return *error;
    if (const auto error = reference::PutInPlace(merged, corpus))
      return Error{corpus.string() + ": cannot be replaced (" + error.message() + "); the old one is whole"};
    sum.before += before;
    sum.after += InputsIn(corpus);
  }
  return sum;
}

}  // namespace normcheck::fuzz
