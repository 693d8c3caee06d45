// Judging, counting and recording inside a fuzz target.
#include "fuzz/target_session.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "fuzz/finding.h"
#include "fuzz/finding_files.h"
#include "fuzz/guidance.h"
#include "fuzz/held_coverage.h"
#include "fuzz/origin.h"
#include "fuzz/target_laws.h"
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
constexpr std::uint64_t kStatsEveryCount = 256;
// The first of each signature is diagnosed (12 ms), then every 2^n-th; what the fast levels cannot tell apart is described
// (0.1 ms) so many times before it too is taken at every 2^n-th only.
constexpr std::uint64_t kAlwaysDiagnosed = 8;
constexpr std::uint64_t kAlwaysDescribed = 512;
constexpr reference::JudgeOptions kDescribed = {.contract = {}, .diagnose = false};
constexpr std::uint64_t kAlwaysSettled = 2;

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The place of the variable's value among `words`, the first where there is none.
reference::Result<std::size_t> WordFrom(const std::string& name, std::initializer_list<std::string_view> words) {
  const std::string value = FromEnvironment(name.c_str());
  const auto found = std::ranges::find(words, value);
  if (value.empty()) return std::size_t{0};
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string message = name + "=" + value + ": write one of";
  for (const std::string_view word : words) message.append(" ").append(word);
  return reference::Error{message};
}

std::string CaseReport(const std::string& signature, const Case& c) {
  return "case (save as " + signature + ".case.json):\n" + reference::CaseText(c);
}

// Everything that replays the failure: verdict, then the case in hex.
std::string ReportOf(const norm::Kernel& kernel, const Case& c, const Verdict& verdict) {
  const std::string signature = SignatureOf(c, verdict);
  const std::string file = signature + ".case.json";
  return "normcheck: " + kernel.name + " breaks its contract\n" + reference::VerdictText(verdict, c, file) +
         CaseReport(signature, c) + "replay: " + ReplayLine(kernel.name, file) + "\n";
}

std::string LawSignature(const properties::Law& law, const Case& c) {
  return SignatureOf(c, "law-" + std::string(law.name), "none");
}

bool CountsAsFirst(std::uint64_t count, std::uint64_t always) { return count <= always || std::has_single_bit(count); }

// What the fast levels tell of a broken case, as a number.
std::uint64_t FastKey(const Case& c, const Verdict& verdict) {
  const std::uint64_t kind = (verdict.tally.class_faults > 0 ? 1u : 0u) | (verdict.tally.broken > 0 ? 2u : 0u);
  std::uint64_t formats = 0;
  for (const norm::Format format : {c.formats.x, c.formats.params, c.formats.y}) formats = formats * 4 + static_cast<std::uint64_t>(format);
  return (std::hash<std::string>{}(verdict.fault) * 64 + formats) * 4 + kind;
}

}  // namespace

TargetSession::TargetSession(SessionOptions options)
    : options_(std::move(options)), worst_(options_.worst_dir), origin_(FromTheCorpus()) {
  if (options_.stats_file.empty()) return;
  const auto earlier = ReadWorkerStats(options_.stats_file);
  if (earlier.ok()) stats_ = earlier.value();
}

Outcome TargetSession::Check(const Case& c) {
  ++stats_.executions;
  if (!options_.stats_file.empty() && StatsAreDue()) SaveStats();
  if (!WithinCaps(c)) return Outcome::kSkipped;
  const Verdict verdict = reference::Judge(kernel(), c, kInTheLoop);
  if (verdict.harness_failed) stats_.CountNotChecked(verdict.fault);
  if (verdict.not_supported) return Outcome::kSkipped;
  if (options_.guidance) NoteError(c, verdict, ExtraCounters());
  if (!Note(c, verdict)) return Outcome::kFailed;
  if (verdict.kept) return CheckLaw(c);
  return recording() && !WorthDiagnosing(c, verdict) ? Outcome::kJudged : Broken(c);
}

bool TargetSession::StatsAreDue() const {
  if (options_.pace == Pace::kCounts) return stats_.executions % kStatsEveryCount == 1;
  return std::chrono::steady_clock::now() - saved_ > kStatsEvery;
}

// Counts the case, and keeps it where it is the worst of its cell.
bool TargetSession::Note(const Case& c, const Verdict& verdict) {
  const StatsCell cell = CellOf(c, verdict);
  stats_.Count(c, verdict, cell, std::exchange(origin_, FromTheCorpus()));
  if (worst_.Offer(kernel(), c, verdict, cell)) return true;
  report_ = "normcheck: " + worst_.error() + "\n";
  return false;
}

// A mutant that fails on every input must not pay for a diagnosis each time; a second mistake behind the same fault
// still comes up, at the latest with its 2^n-th input.
bool TargetSession::WorthDiagnosing(const Case& c, const Verdict& verdict) {
  if (!CountsAsFirst(++described_[FastKey(c, verdict)], kAlwaysDescribed)) return false;
  const Verdict described = reference::Judge(kernel(), c, kDescribed);
  return described.kept || CountsAsFirst(++broken_[SignatureOf(c, described)], kAlwaysDiagnosed);
}

// A kernel that was never called is asked again: where it keeps its promise, earlier calls or chance are the mistake.
Outcome TargetSession::Broken(const Case& c) {
  const Verdict verdict = reference::Judge(Fresh(kernel()), c, {});
  if (verdict.kept) return BrokenBefore(c, nullptr);
  const Sighting sighting = {.signature = SignatureOf(c, verdict), .c = c};
  if (recording()) return Record(sighting);
  report_ = ReportOf(kernel(), c, verdict);
  return Outcome::kFailed;
}

// law: what broke, where it was not the contract.
Outcome TargetSession::BrokenBefore(const Case& c, const properties::Law* law) {
  const std::string seen = fuzz::BrokenLaw(Fresh(kernel()), RepeatableLaw(), c);
  if (!seen.empty()) return BrokenLaw(RepeatableLaw(), c, seen);
  Sighting sighting = {.signature = SignatureOf(c, kOnlyAfterOthers, "none"), .c = law ? PreparedFor(*law, c) : c, .law = law, .alone = false};
  if (!CountsAsFirst(settled_[sighting.signature] + 1, kAlwaysSettled)) return ++settled_[sighting.signature], Outcome::kJudged;
  sighting.seen = law ? "broke the law " + std::string(law->name) + " in the campaign" : "broke the contract in the campaign";
  sighting.earlier = history_.Before(kernel(), op());
  return recording() ? Record(sighting) : Report(sighting);
}

Outcome TargetSession::CheckLaw(const Case& judged) {
  const properties::Law* law = LawFor(kernel(), judged);
  if (law == nullptr || known_.contains(LawSignature(*law, judged))) return Outcome::kJudged;
  const Case c = AskedBy(*law, kernel(), judged);
  if (fuzz::BrokenLaw(kernel(), *law, c).empty()) return Outcome::kJudged;
  const std::string seen = fuzz::BrokenLaw(Fresh(kernel()), *law, c);
  // Every law of two calls breaks where the second call is off: that mistake has its own name.
  const bool state = seen.empty() || !fuzz::BrokenLaw(Fresh(kernel()), RepeatableLaw(), c).empty();
  return state ? BrokenBefore(c, law) : BrokenLaw(*law, c, seen);
}

Outcome TargetSession::BrokenLaw(const properties::Law& law, const Case& c, const std::string& seen) {
  const Sighting sighting = {.signature = LawSignature(law, c), .c = PreparedFor(law, c), .law = &law, .seen = SeenOfLaw(law, seen),
                             .alone = true, .earlier = history_.Before(kernel(), op())};
  return recording() ? Record(sighting) : Report(sighting);
}

// One finding a signature. What turns out to have another one than it seemed at first is settled so often, then at every 2^n-th input.
Outcome TargetSession::Record(const Sighting& sighting) {
  if (known_.contains(sighting.signature)) return Outcome::kJudged;
  if (!CountsAsFirst(++settled_[sighting.signature], kAlwaysSettled)) return Outcome::kJudged;
  const HeldCoverage held;
  const auto stored = KeepSighting(options_.findings_dir, kernel(), sighting, options_.pace, pulse_);
  if (!stored.ok()) {
    report_ = "normcheck: " + stored.error() + "\n";
    return Outcome::kFailed;
  }
  known_.insert(stored.value());
  return Outcome::kJudged;
}

// The first finding, where none are kept.
Outcome TargetSession::Report(const Sighting& sighting) {
  const properties::Reproduction how = ReproductionOf(kernel(), sighting, options_.pace, pulse_);
  const std::string signature = SignatureOf(sighting, how);
  report_ = "normcheck: " + kernel().name + " " + sighting.seen + "\n" + properties::ReproductionText(how) + "\n";
  for (const Case& earlier : how.before) report_ += "before it:\n" + reference::CaseText(earlier);
  report_ += CaseReport(signature, sighting.c);
  if (how.kind == properties::Reproduced::kAlone) report_ += "replay: " + ReplayLine(kernel().name, signature + ".case.json") + "\n";
  return Outcome::kFailed;
}

void TargetSession::SaveStats() {
  if (options_.stats_file.empty()) return;
  const HeldCoverage held;
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
  const auto guidance = WordFrom("NORMCHECK_GUIDANCE", {"on", "off"});
  if (!guidance.ok()) return reference::Error{guidance.error()};
  const auto mutations = WordFrom("NORMCHECK_MUTATIONS", {"row-moves", "bytes", "fresh"});
  if (!mutations.ok()) return reference::Error{mutations.error()};
  const auto pace = WordFrom("NORMCHECK_PACE", {"clock", "counts"});
  if (!pace.ok()) return reference::Error{pace.error()};
  return SessionOptions{std::move(kernel).value(), FromEnvironment("NORMCHECK_FINDINGS"), FromEnvironment("NORMCHECK_STATS"),
                        FromEnvironment("NORMCHECK_WORST"), guidance.value() == 0, static_cast<Mutations>(mutations.value()), op,
                        static_cast<Pace>(pace.value())};
}

}  // namespace normcheck::fuzz
