// From what a target saw to a finding that replays.
#include "fuzz/sighting.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "fuzz/finding_files.h"
#include "fuzz/replay_steps.h"
#include "fuzz/target_laws.h"
#include "properties/laws/prepare.h"

namespace normcheck::fuzz {
namespace {

using properties::Reproduced;
using properties::Reproduction;
using properties::Suspicion;
using reference::Case;
using reference::Error;
using reference::Result;

constexpr std::uint64_t kRepeatsOfManyCalls = 64;
constexpr std::size_t kRowsAlone = 4;
constexpr const char* kNotReplayedYet = "A kernel that was never called keeps its promise on this case; the search for what it needs did not end.";

Suspicion SuspicionOf(const norm::Kernel& kernel, const Sighting& sighting, Pace pace, const std::function<void()>& pulse) {
  const auto fresh = [&kernel] { return Fresh(kernel); };
  Suspicion suspicion = sighting.law ? properties::LawSuspicion(fresh, *sighting.law) : properties::JudgeSuspicion(fresh);
  suspicion.pulse = pulse;
  suspicion.time = properties::TimeToReproduce(kernel);
  if (pace == Pace::kCounts) suspicion.time.reset();
  if (sighting.law == &RepeatableLaw()) suspicion.most_repeats = kRepeatsOfManyCalls;
  return suspicion;
}

Case Shrunk(const norm::Kernel& kernel, const Sighting& sighting, Pace pace) {
  if (sighting.law != nullptr) return ShrinkForLaw(kernel, *sighting.law, sighting.c, pace);
  return ShrinkFinding(Fresh(kernel), sighting.c, sighting.signature, pace);
}

// The shrunk case, where it too shows at once on kernels that were never called; else the one that was found.
Result<std::string> StoreShrunk(const std::string& dir, const norm::Kernel& kernel, const Sighting& sighting, const Suspicion& suspicion, Pace pace) {
  const Case shrunk = Shrunk(kernel, sighting, pace);
  if (suspicion.pulse) suspicion.pulse();
  if (shrunk == sighting.c || properties::Reproduce(suspicion, shrunk).kind != Reproduced::kAlone) return sighting.signature;
  const norm::Kernel fresh = Fresh(kernel);
  const std::string seen = sighting.law ? SeenOfLaw(*sighting.law, BrokenLaw(Fresh(kernel), *sighting.law, shrunk)) : sighting.seen;
  const auto stored = ReplaceFinding(dir, sighting.signature, fresh, shrunk, seen);
  if (!stored.ok()) return Error{stored.error()};
  return sighting.signature;
}

// What it is in the end, and how that shows.
struct Settled {
  Sighting sighting;
  Reproduction how;
};

bool Repeats(const Reproduction& how) { return how.kind == Reproduced::kAfterCalls || how.kind == Reproduced::kSometimes; }

// What earlier calls or chance would show as well, and name better: the contract on the case, the law about earlier calls, which sees outputs
// of which the contract promises nothing, and the contract on rows by themselves.
std::vector<Sighting> OthersOf(const Sighting& sighting) {
  std::vector<Sighting> others(2, sighting);
  others[0].law = nullptr;
  others[1].law = &RepeatableLaw();
  others[1].c = PreparedFor(RepeatableLaw(), sighting.c);
  for (std::size_t row = 0; sighting.c.rows > 1 && row < std::min(sighting.c.rows, kRowsAlone); ++row) {
    others.push_back(others[0]);
    others.back().c = properties::RowOf(sighting.c, row);
  }
  for (Sighting& other : others) other.alone = false;
  return others;
}

// Every law of many calls breaks where earlier calls or chance decide: that is tried before one is blamed, unless it is about earlier calls.
Settled Settle(const norm::Kernel& kernel, const Sighting& sighting, Pace pace, const std::function<void()>& pulse) {
  const Reproduction how = ReproductionOf(kernel, sighting, pace, pulse);
  const bool shows = how.kind == Reproduced::kAlone && sighting.alone;
  if (sighting.law == nullptr || (shows && sighting.law == &RepeatableLaw())) return {sighting, how};
  for (const Sighting& other : OthersOf(sighting)) {
    const Reproduction of_other = ReproductionOf(kernel, other, pace, pulse);
    if (Repeats(of_other)) return {other, of_other};
  }
  return {sighting, how};
}

// A fault that earlier calls or chance decide about, in place of what stood for it at `path`.
Result<std::string> StoreUnsteady(const std::string& dir, const norm::Kernel& kernel, const Settled& settled, const std::string& path) {
  const Sighting& sighting = settled.sighting;
  const std::string signature = SignatureOf(sighting, settled.how);
  const bool same = signature == sighting.signature;
  const auto stored = (same ? ReplaceFinding : StoreFinding)(dir, signature, Fresh(kernel), sighting.c, sighting.seen, settled.how);
  if (!stored.ok()) return Error{stored.error()};
  if (!same) RemoveFinding(path);
  return signature;
}

}  // namespace

std::string SeenOfLaw(const properties::Law& law, const std::string& seen) { return "breaks the law " + std::string(law.name) + ": " + seen; }

std::string SignatureOf(const Sighting& sighting, const Reproduction& how) {
  if (how.kind == Reproduced::kAlone) return sighting.signature;
  const std::string_view state = how.kind == Reproduced::kAfterCalls ? kOnlyAfterOthers : kNotRepeatable;
  const std::string law = sighting.law ? "law-" + std::string(sighting.law->name) + "-" : "";
  return SignatureOf(sighting.c, law + std::string(state), "none");
}

Reproduction ReproductionOf(const norm::Kernel& kernel, const Sighting& sighting, Pace pace, const std::function<void()>& pulse) {
  const Suspicion suspicion = SuspicionOf(kernel, sighting, pace, pulse);
  const Reproduction how = properties::Reproduce(suspicion, sighting.c, sighting.earlier);
  return how.kind == Reproduced::kAlone && !sighting.alone ? properties::RateOf(suspicion, sighting.c) : how;
}

Result<std::string> KeepSighting(const std::string& dir, const norm::Kernel& kernel, const Sighting& sighting, Pace pace,
                                 const std::function<void()>& pulse) {
  const std::string path = FindingPath(dir, sighting.signature, kernel, sighting.c);
  if (std::filesystem::exists(path)) return sighting.signature;
  const std::string seen = sighting.alone ? sighting.seen : kNotReplayedYet;
  const auto stored = StoreFinding(dir, sighting.signature, Fresh(kernel), sighting.c, seen);
  if (!stored.ok()) return Error{stored.error()};
  const Settled settled = Settle(kernel, sighting, pace, pulse);
  if (settled.how.kind != Reproduced::kAlone) return StoreUnsteady(dir, kernel, settled, path);
  return StoreShrunk(dir, kernel, sighting, SuspicionOf(kernel, sighting, pace, pulse), pace);
}

}  // namespace normcheck::fuzz
