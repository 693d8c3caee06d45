// Judging, counting and recording inside a fuzz target.
#include "fuzz/target_session.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "fuzz/finding.h"
#include "fuzz/finding_files.h"
#include "properties/kernels.h"
#include "reference/case_json.h"
#include "reference/judge.h"
#include "reference/verdict_json.h"

namespace normcheck::fuzz {
namespace {

using reference::Case;
using reference::Verdict;
using Outcome = TargetSession::Outcome;

constexpr std::chrono::seconds kStatsEvery{1};
constexpr std::uint64_t kAlwaysDiagnosed = 32;

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Everything that replays the failure: verdict, then the case in hex.
std::string ReportOf(const norm::Kernel& kernel, const Case& c, const Verdict& verdict) {
  const std::string file = SignatureOf(c, verdict) + ".case.json";
  return "normcheck: " + kernel.name + " breaks its contract\n" + reference::VerdictText(verdict, c, file) +
         "case (save as " + file + "):\n" + reference::CaseText(c) + "replay: " + ReplayLine(kernel.name, file) + "\n";
}

}  // namespace

TargetSession::TargetSession(SessionOptions options) : options_(std::move(options)), worst_(options_.worst_dir) {
  if (options_.stats_file.empty()) return;
  const auto earlier = ReadWorkerStats(options_.stats_file);
  if (earlier.ok()) stats_ = earlier.value();
}

Outcome TargetSession::Check(const Case& c) {
  ++stats_.executions;
  if (!options_.stats_file.empty() && std::chrono::steady_clock::now() - saved_ > kStatsEvery) SaveStats();
  if (!WithinCaps(c)) return Outcome::kSkipped;
  const Verdict verdict = reference::Judge(kernel(), c, {.contract = {}, .diagnose = false});
  if (verdict.not_supported) return Outcome::kSkipped;
  if (!Note(c, verdict)) return Outcome::kFailed;
  if (verdict.kept || (recording() && !WorthDiagnosing(c, verdict))) return Outcome::kJudged;
  return Broken(c);
}

// Counts the case, and keeps it where it is the worst of its cell.
bool TargetSession::Note(const Case& c, const Verdict& verdict) {
  const StatsCell cell = CellOf(c, verdict);
  stats_.Count(c, verdict, cell);
  if (worst_.Offer(kernel(), c, verdict, cell)) return true;
  report_ = "normcheck: " + worst_.error() + "\n";
  return false;
}

// A mutant that fails on every input must not pay for a diagnosis each time; a second mistake behind the same fault
// still comes up, at the latest with its 2^n-th input.
bool TargetSession::WorthDiagnosing(const Case& c, const Verdict& verdict) {
  const std::uint64_t count = ++broken_[SignatureOf(c, verdict)];
  return count <= kAlwaysDiagnosed || std::has_single_bit(count);
}

Outcome TargetSession::Broken(const Case& c) {
  const Verdict verdict = reference::Judge(kernel(), c, {});
  if (recording()) return Record(c, verdict);
  report_ = ReportOf(kernel(), c, verdict);
  return Outcome::kFailed;
}

Outcome TargetSession::Record(const Case& c, const Verdict& verdict) {
  const std::string signature = SignatureOf(c, verdict);
  if (known_.contains(signature)) return Outcome::kJudged;
  const auto stored = StoreFinding(options_.findings_dir, signature, kernel(), c,
                                   [&](const Case& found) { return ShrinkFinding(kernel(), found, signature); });
  if (!stored.ok()) {
    report_ = "normcheck: " + stored.error() + "\n";
    return Outcome::kFailed;
  }
  known_.insert(signature);
  return Outcome::kJudged;
}

void TargetSession::SaveStats() {
  if (options_.stats_file.empty()) return;
  saved_ = std::chrono::steady_clock::now();
  // A lost write costs a line of progress, never a finding.
  static_cast<void>(WriteWorkerStats(options_.stats_file, stats_));
}

reference::Result<SessionOptions> SessionFromEnvironment(norm::Op op) {
  std::string name = FromEnvironment("NORMCHECK_KERNEL");
  if (name.empty()) name = NameOf(op);
  auto kernel = properties::FindKernel(name);
  if (!kernel.ok()) return reference::Error{kernel.error()};
  if (std::ranges::find(kernel.value().ops, op) == kernel.value().ops.end())
    return reference::Error{name + ": does not support " + std::string(NameOf(op)) + "; choose another NORMCHECK_KERNEL"};
  return SessionOptions{std::move(kernel).value(), FromEnvironment("NORMCHECK_FINDINGS"), FromEnvironment("NORMCHECK_STATS"),
                        FromEnvironment("NORMCHECK_WORST")};
}

}  // namespace normcheck::fuzz
