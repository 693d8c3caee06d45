// Drives RapidCheck as a library: parameters in, results out, nothing printed and no environment read.
#include "properties/run_laws.h"

#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <new>
#include <system_error>
#include <unordered_map>

#include "norm/harness_fault.h"
#include "properties/case_gen.h"
#include "properties/guarded_call.h"
#include "properties/large_calls.h"
#include "properties/plug_in/plug_in.h"
#include "properties/shrink.h"
#include "properties/shrink_size.h"

namespace normcheck::properties {
namespace {

using State = LawRun::State;

constexpr std::size_t kMaxWidth = 4096;
// Shrinking ends in any case; after this many evaluations it is not worth the wait.
constexpr int kMaxShrinkEvaluations = 3000;
constexpr int kMaxDiscardRatio = 10;
// A round of large calls counts as so many cases.
constexpr int kCasesOfARound = 200;
constexpr std::string_view kOnlyAfterOthers = " (only after other calls: the case by itself passes)";
constexpr std::size_t kCallsRemembered = 32;

norm::Kernel Promised(const norm::Kernel& kernel, const PropertyOptions& options) {
  norm::Kernel promised = Guarded(kernel);
  if (options.contract) promised.contract = *options.contract;
  return promised;
}

class Silent : public rc::detail::TestListener {
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

// A law's own stream of a seed, so that one more law leaves the cases of the others as they are.
std::uint64_t StreamOf(std::string_view law, Seed seed) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char c : law) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return Random(seed).Fork(hash).Next();
}

LawResult CheckGuarded(const Law& law, const LawContext& context, const Case& c) {
  try {
    if (!context.kernel.beta && c.beta) return law.check(context, reference::DrawnFor(context.kernel, c));
    return law.check(context, c);
  } catch (const norm::HarnessFault& e) {
    return {LawResult::State::kNotAsked, e.what()};
  } catch (const std::bad_alloc&) {
    return {LawResult::State::kNotAsked, "the system gives no memory"};
  } catch (const std::system_error& e) {  // threads
    return {LawResult::State::kNotAsked, e.what()};
  } catch (const std::exception& e) {
    return {LawResult::State::kBroken, std::string("exception: ") + e.what()};
  }
}

// The last cases that a kernel was asked, over all laws of a run.
using CallsBefore = std::deque<Case>;

// What the property remembers: the last case that failed is the shrunk one, since RapidCheck goes on from every failure.
struct Failure {
  std::optional<Case> drawn;
  std::string drawn_seen;
  std::optional<Case> shrunk;
  std::string seen;
  int left = 0;  // evaluations of simpler cases
  std::uint64_t not_asked = 0;
  std::string why_not_asked;
};

void Remember(const Case& c, CallsBefore& before) {
  before.push_back(c);
  if (before.size() > kCallsRemembered) before.pop_front();
}

rc::detail::CaseResult Evaluate(const Law& law, const LawContext& context, const Case& c, Failure& failure) {
  using Type = rc::detail::CaseResult::Type;
  if (failure.shrunk && failure.left-- <= 0) return {Type::Success, ""};
  const LawResult result = CheckGuarded(law, context, c);
  if (result.state == LawResult::State::kNotAsked && failure.not_asked++ == 0) failure.why_not_asked = result.seen;
  if (result.state == LawResult::State::kNotAsked) return {Type::Discard, "not asked"};
  if (result.state == LawResult::State::kNotApplicable) return {Type::Discard, "precondition"};
  if (result.state == LawResult::State::kKept) return {Type::Success, ""};
  if (!failure.drawn) failure.drawn_seen = result.seen;
  if (!failure.drawn) failure.drawn = c;
  failure.shrunk = c;
  failure.seen = result.seen;
  return {Type::Failure, result.seen};
}

bool Stopped(const PropertyOptions& options) { return options.stop != nullptr && options.stop->load(); }

rc::detail::CaseResult Nothing() { return {rc::detail::CaseResult::Type::Success, ""}; }

void Record(const rc::detail::TestResult& result, const Failure& failure, LawRun& run) {
  run.not_asked = failure.not_asked;
  run.why_not_asked = failure.why_not_asked;
  rc::detail::SuccessResult success;
  rc::detail::FailureResult failed;
  rc::detail::GaveUpResult gave_up;
  rc::detail::Error error;
  if (result.match(success)) {
    run.cases = static_cast<std::uint64_t>(success.numSuccess);
  } else if (result.match(failed)) {
    run.state = State::kBroken;
    run.cases = static_cast<std::uint64_t>(failed.numSuccess) + 1;
    run.shrunk = failure.shrunk;
    run.seen = failure.shrunk ? failure.seen : failed.description;
  } else if (result.match(gave_up)) {
    run.state = State::kGaveUp;
    run.cases = static_cast<std::uint64_t>(gave_up.numSuccess);
    run.seen = run.not_asked > 0 ? "could not be asked: " + run.why_not_asked
                                 : "too few drawn cases meet the law's precondition: " + gave_up.description;
  } else if (result.match(error)) {
    run.state = State::kGaveUp;
    run.seen = error.description;
  }
}

// What the law sees on the case where the kernel has done nothing before.
LawResult CheckFresh(const Law& law, const LawContext& context, const PropertyOptions& options, const Case& c) {
  if (!options.fresh) return CheckGuarded(law, context, c);
  const norm::Kernel kernel = Promised(options.fresh(), options);
  return CheckGuarded(law, {kernel, context.judge}, c);
}

bool BreaksAlone(const Law& law, const LawContext& context, const PropertyOptions& options, const Case& c) {
  return CheckFresh(law, context, options, c).state == LawResult::State::kBroken;
}

Case Shrunk(const Law& law, const Case& c, const std::function<bool(const Case&)>& fails, int evaluations) {
  return law.round != nullptr ? ShrinkSize(c, fails, evaluations) : Shrink(c, fails, evaluations / law.every);
}

// A start of a library's worker costs milliseconds, of a program up to a second.
int ShrinksOnFreshKernels(const norm::Kernel& kernel) {
  if (kernel.kind != norm::Kind::kPlugIn) return kMaxShrinkEvaluations;
  return plug_in::SeesTheCallersArrays(kernel) ? kMaxShrinkEvaluations / 10 : kMaxShrinkEvaluations / 100;
}

// A kernel with a state: shrunk anew on fresh kernels where the drawn case breaks the law by itself, else said to need the run.
void SettleShrunk(const Law& law, const LawContext& context, const PropertyOptions& options, const Failure& failure, LawRun& run) {
  if (!run.shrunk || BreaksAlone(law, context, options, *run.shrunk)) return;
  if (options.fresh && options.shrink && failure.drawn && BreaksAlone(law, context, options, *failure.drawn)) {
    const auto fails = [&](const Case& c) {
      Case prepared = c;
      if (law.prepare != nullptr) law.prepare(prepared);
      return prepared == c && BreaksAlone(law, context, options, c);
    };
    run.shrunk = Shrunk(law, *failure.drawn, fails, ShrinksOnFreshKernels(context.kernel));
    const std::string seen = CheckFresh(law, context, options, *run.shrunk).seen;
    if (!seen.empty()) run.seen = seen;  // else chance decides
    return;
  }
  run.alone = false;
  if (!options.reproduce) run.seen += kOnlyAfterOthers;
}

// One call of a round. False where the law broke, with the call shrunk.
bool AskOne(const Law& law, const LawContext& context, const PropertyOptions& options, const Case& c, Failure& failure, LawRun& run) {
  const LawResult result = CheckGuarded(law, context, c);
  if (result.state == LawResult::State::kNotAsked && run.not_asked++ == 0) run.why_not_asked = result.seen;
  if (result.state == LawResult::State::kKept || result.state == LawResult::State::kBroken) ++run.cases;
  if (result.state != LawResult::State::kBroken) return true;
  const auto fails = [&](const Case& simpler) { return CheckGuarded(law, context, simpler).state == LawResult::State::kBroken; };
  run.state = State::kBroken;
  failure.drawn = c;
  failure.drawn_seen = result.seen;
  run.shrunk = options.shrink ? Shrunk(law, c, fails, kMaxShrinkEvaluations) : c;
  run.seen = options.shrink ? CheckGuarded(law, context, *run.shrunk).seen : result.seen;
  return false;
}

// Large calls in place of drawn cases: a round of them for 200 cases, its first calls for fewer.
void RunRounds(const Law& law, const LawContext& context, const PropertyOptions& options, Failure& failure, LawRun& run) {
  Random random(Seed{StreamOf(law.name, options.seed)});
  for (int left = options.cases; left > 0 && !Stopped(options); left -= kCasesOfARound) {
    const std::vector<LargeCall> calls = law.round(context.kernel, random);
    const std::size_t share = calls.size() * static_cast<std::size_t>(std::min(left, kCasesOfARound)) / kCasesOfARound;
    for (std::size_t i = 0; i < std::clamp<std::size_t>(share, 1, calls.size()) && !Stopped(options); ++i)
      if (!AskOne(law, context, options, DrawLargeCall(context.kernel, calls[i]), failure, run)) return;
  }
  if (run.cases > 0) return;
  run.state = State::kGaveUp;
  run.seen = "the kernel supports none of the calls that were drawn";
}

void RunDrawn(const Law& law, const LawContext& context, const PropertyOptions& options, CallsBefore& before, Failure& failure,
              LawRun& run) {
  failure.left = options.shrink ? kMaxShrinkEvaluations / law.every : 0;
  const auto cases = CasesFrom({context.kernel.ops, context.kernel.formats, kMaxWidth, law.prepare, context.kernel.beta});
  rc::detail::TestParams params;
  params.seed = StreamOf(law.name, options.seed);
  params.maxSuccess = std::max(1, options.cases / law.every);
  params.maxDiscardRatio = kMaxDiscardRatio;
  Silent silent;
  // Without a map of its own RapidCheck would read RC_PARAMS, and say so on stderr.
  const std::unordered_map<std::string, rc::detail::Reproduce> no_reproduction;
  const auto evaluate = [&] {
    if (Stopped(options)) return Nothing();
    const Case c = *cases;
    const rc::detail::CaseResult result = Evaluate(law, context, c, failure);
    if (options.reproduce && !failure.drawn) Remember(c, before);
    return result;
  };
  Record(rc::detail::checkTestable(evaluate, rc::detail::TestMetadata{run.law, run.law}, params, silent, no_reproduction), failure, run);
}

// How the shrunk case shows again, else the one that was drawn, after the calls that came before it.
void FindReplay(const norm::Kernel& kernel, const Law& law, const PropertyOptions& options, const Failure& failure, const CallsBefore& before, LawRun& run) {
  if (!run.shrunk || !options.reproduce || !options.fresh) return;
  Suspicion suspicion = LawSuspicion(options.fresh, law, options.contract);
  suspicion.time = TimeToReproduce(kernel);
  run.how = Reproduce(suspicion, *run.shrunk);
  if (run.how.kind == Reproduced::kNever && failure.drawn) {
    run.how = Reproduce(suspicion, *failure.drawn, {before.begin(), before.end()});
    if (!ShowsBy(suspicion, run.how, *run.shrunk)) run.shrunk = failure.drawn, run.seen = failure.drawn_seen;
  }
  run.alone = run.how.kind == Reproduced::kAlone;
  if (!run.alone) run.seen += " (" + ReproductionText(run.how) + ")";
}

LawRun RunPrepared(const Law& law, const LawContext& context, const PropertyOptions& options, CallsBefore& before) {
  LawRun run;
  run.law = law.name;
  const norm::Kernel& kernel = context.kernel;
  if (!law.applies_to(kernel) || kernel.ops.empty() || kernel.formats.empty()) {
    run.state = State::kNotApplicable;
    return run;
  }
  const auto start = std::chrono::steady_clock::now();
  Failure failure;
  if (law.round != nullptr) RunRounds(law, context, options, failure, run);
  else RunDrawn(law, context, options, before, failure, run);
  SettleShrunk(law, context, options, failure, run);
  FindReplay(kernel, law, options, failure, before, run);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

reference::JudgeOptions JudgingWith(const PropertyOptions& options) {
  reference::JudgeOptions judge;
  judge.contract = options.contract;
  return judge;
}

}  // namespace

LawRun RunLaw(const norm::Kernel& kernel, const Law& law, const PropertyOptions& options) {
  const CrashHandlers handlers;
  const norm::Kernel promised = Promised(kernel, options);
  CallsBefore before;
  return RunPrepared(law, {promised, JudgingWith(options)}, options, before);
}

LawResult CheckLaw(const norm::Kernel& kernel, const Law& law, const Case& c, const std::optional<reference::Contract>& contract) {
  const CrashHandlers handlers;
  PropertyOptions options;
  options.contract = contract;
  const norm::Kernel promised = Promised(kernel, options);
  return CheckGuarded(law, {promised, JudgingWith(options)}, c);
}

std::vector<LawRun> RunLaws(const norm::Kernel& kernel, const PropertyOptions& options) {
  const CrashHandlers handlers;
  const norm::Kernel promised = Promised(kernel, options);
  const LawContext context{promised, JudgingWith(options)};
  std::vector<LawRun> runs;
  CallsBefore before;
  for (const Law& law : Laws()) {
    if (!options.laws.empty() && std::ranges::find(options.laws, law.name) == options.laws.end()) continue;
    LawRun run = RunPrepared(law, context, options, before);
    if (Stopped(options) && run.state != State::kBroken) break;  // its cases were not all asked
    runs.push_back(std::move(run));
    if (options.progress) options.progress(runs.back());
    const State state = runs.back().state;
    if (!options.all && (state == State::kBroken || state == State::kGaveUp)) break;
  }
  return runs;
}

}  // namespace normcheck::properties
