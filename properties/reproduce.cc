// The search for the shortest way to show a broken promise again.
#include "properties/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "properties/plug_in/plug_in.h"
#include "properties/run_laws.h"
#include "reference/judge.h"

namespace normcheck::properties {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSteadyRuns = 24;     // of a case that shows it at once, on one kernel
constexpr int kConfirmations = 3;             // each on a kernel of its own
constexpr int kStartsTried = 20;              // of a kernel that shows it in the first call of some processes
constexpr std::uint64_t kFewRepeats = 64;
constexpr std::uint64_t kRateBroken = 8;      // so often broken, a rate is known well enough
constexpr std::uint64_t kMostRepeats = 100'000;
// By counts: a question costs so much, and 1 for each element.
constexpr std::size_t kQuestionWork = 64;
constexpr std::size_t kWork = std::size_t{1} << 20;
constexpr reference::JudgeOptions kPlain = {.contract = {}, .diagnose = false, .describe = false};

class Search {
 public:
  Search(const Suspicion& suspicion, const Case& c) : suspicion_(suspicion), c_(c) {}

  // The first of so many runs on one kernel that shows it; 0: none does, or none as long as there was time.
  std::uint64_t FirstOf(std::uint64_t most) {
    const norm::Kernel kernel = suspicion_.fresh();
    for (std::uint64_t run = 1; run <= most && (run == 1 || !Over()); ++run)
      if (Asked(kernel, c_)) return run;
    return 0;
  }

  // In every run on a second kernel. Or in its first run alone, and in that of a few others; where later runs are mixed, chance may have been
  // at work, and many others are asked.
  bool AtOnce() {
    const norm::Kernel kernel = suspicion_.fresh();
    if (!Asked(kernel, c_)) return false;
    std::uint64_t runs = 1, broken = 1;
    for (; runs < kSteadyRuns && !Over(); ++runs) broken += Asked(kernel, c_) ? 1 : 0;
    if (broken == runs) return true;
    return EachTime(broken == 1 ? kConfirmations : kStartsTried, [&] { return FirstOf(1) == 1; });
  }

  bool InRun(std::uint64_t wanted) {
    return EachTime(kConfirmations, [&] {
      const norm::Kernel kernel = suspicion_.fresh();
      std::uint64_t run = 1;
      while (run < wanted && !Asked(kernel, c_)) ++run;
      return run == wanted && Asked(kernel, c_);
    });
  }

  // As few of the cases, in their order, as make it show after them; empty where all of them together do not.
  std::vector<Case> FewestOf(std::vector<Case> cases) {
    std::size_t count = 1;
    const auto last = [&](std::size_t some) { return std::span<const Case>(cases).last(some); };
    while (count < cases.size() && !After(last(count))) count = std::min(2 * count, cases.size());
    if (cases.empty() || !After(last(count))) return {};
    cases.erase(cases.begin(), cases.end() - static_cast<std::ptrdiff_t>(count));
    cases = Thinned(std::move(cases));
    return EachTime(kConfirmations, [&] { return After(cases); }) ? cases : std::vector<Case>();
  }

  // How often in a row of runs on one kernel, else in first runs of several.
  Reproduction Rate() {
    Reproduction how{.kind = Reproduced::kSometimes};
    const norm::Kernel kernel = suspicion_.fresh();
    const auto known = [&] { return how.broken >= kRateBroken && how.runs >= kStartsTried; };
    bool later = false;  // than in the first run
    for (; how.runs < suspicion_.most_repeats && !known() && (how.runs < kFewRepeats || !Over()); ++how.runs) {
      const bool broken = Asked(kernel, c_);
      how.broken += broken ? 1 : 0;
      later = later || (broken && how.runs > 0);
    }
    return later ? WithRepeats(how) : RateOfStarts(how.runs);
  }

 private:
  bool Over() const { return suspicion_.time ? Clock::now() - start_ > *suspicion_.time : spent_ > kWork; }

  bool Asked(const norm::Kernel& kernel, const Case& c) {
    if (suspicion_.pulse) suspicion_.pulse();
    spent_ += kQuestionWork + c.x.size();
    return suspicion_.shows(kernel, c);
  }

  bool After(std::span<const Case> before) {
    const norm::Kernel kernel = suspicion_.fresh();
    for (const Case& earlier : before) {
      if (suspicion_.pulse) suspicion_.pulse();
      CallBefore(kernel, earlier);
      spent_ += kQuestionWork + earlier.x.size();
    }
    return Asked(kernel, c_);
  }

  template <typename Holds>
  bool EachTime(int times, Holds holds) {
    for (int i = 0; i < times; ++i)
      if (!holds()) return false;
    return true;
  }

  // Zeller's ddmin: without whole blocks first, then without smaller ones.
  std::vector<Case> Thinned(std::vector<Case> cases) {
    for (std::size_t block = cases.size() / 2; block > 0; block /= 2)
      for (std::size_t at = 0; at < cases.size() && cases.size() > 1 && !Over();) {
        std::vector<Case> fewer = cases;
        const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
        fewer.erase(from, from + static_cast<std::ptrdiff_t>(std::min(block, fewer.size() - at)));
        if (!fewer.empty() && After(fewer)) cases = std::move(fewer);
        else at += block;
      }
    return cases;
  }

  Reproduction RateOfStarts(std::uint64_t runs_of_one) {
    Reproduction how{.kind = Reproduced::kSometimes, .restarts = true};
    for (; how.runs < kStartsTried && (how.runs < kConfirmations || !Over()); ++how.runs) how.broken += FirstOf(1);
    if (how.broken > 0) return WithRepeats(how);
    return {.kind = Reproduced::kNever, .broken = 0, .runs = runs_of_one + how.runs};
  }

  // So many runs that a rate of two deviations below the one seen shows in all but one of a thousand replays.
  static Reproduction WithRepeats(Reproduction how) {
    const double broken = static_cast<double>(how.broken), runs = static_cast<double>(how.runs);
    const double rate = std::max(broken - 2 * std::sqrt(broken), 0.3) / runs;
    how.repeat = static_cast<std::uint64_t>(std::clamp(std::ceil(6.9 / rate), 2.0, static_cast<double>(kMostRepeats)));
    return how;
  }

  const Suspicion& suspicion_;
  const Case& c_;
  std::size_t spent_ = 0;
  Clock::time_point start_ = Clock::now();
};

std::string RunsText(std::uint64_t runs) { return fmt::format("{} run{} of the case", runs, runs == 1 ? "" : "s"); }

std::string AfterCallsText(const Reproduction& how) {
  const bool one = how.before.size() == 1;
  if (!how.before.empty())
    return fmt::format("needs earlier calls: the case is kept by itself, and breaks after the {} of the file{} before it",
                       one ? "call" : fmt::format("{} calls", how.before.size()), one ? "" : "s");
  return fmt::format("needs earlier calls: the case is kept by itself, and breaks in run {} of it in one process", how.repeat);
}

}  // namespace

std::chrono::milliseconds TimeToReproduce(const norm::Kernel& kernel) {
  return std::chrono::seconds(plug_in::SeesTheCallersArrays(kernel) ? 3 : 20);
}

Suspicion JudgeSuspicion(std::function<norm::Kernel()> fresh, std::optional<reference::Contract> contract) {
  reference::JudgeOptions options = kPlain;
  options.contract = contract;
  return {std::move(fresh), [options](const norm::Kernel& kernel, const Case& c) {
            const reference::Verdict verdict = reference::Judge(kernel, c, options);
            return !verdict.kept && !verdict.not_supported;
          }};
}

Suspicion LawSuspicion(std::function<norm::Kernel()> fresh, const Law& law, std::optional<reference::Contract> contract) {
  return {std::move(fresh), [&law, contract](const norm::Kernel& kernel, const Case& c) {
            return CheckLaw(kernel, law, c, contract).state == LawResult::State::kBroken;
          }};
}

void CallBefore(const norm::Kernel& kernel, const Case& c) { static_cast<void>(reference::Judge(kernel, c, kPlain)); }

Reproduction Reproduce(const Suspicion& suspicion, const Case& c, std::vector<Case> earlier) {
  Search search(suspicion, c);
  std::uint64_t run = search.FirstOf(kFewRepeats);
  if (run == 1 && search.AtOnce()) return {};
  if (run == 0) {
    std::vector<Case> before = search.FewestOf(std::move(earlier));
    if (!before.empty()) return {.kind = Reproduced::kAfterCalls, .before = std::move(before)};
    run = search.FirstOf(suspicion.most_repeats);
  }
  if (run > 1 && search.InRun(run)) return {.kind = Reproduced::kAfterCalls, .repeat = run};
  return search.Rate();
}

Reproduction RateOf(const Suspicion& suspicion, const Case& c) { return Search(suspicion, c).Rate(); }

bool ShowsBy(const Suspicion& suspicion, const Reproduction& how, const Case& c) {
  norm::Kernel kernel = suspicion.fresh();
  for (const Case& earlier : how.before) CallBefore(kernel, earlier);
  for (std::uint64_t run = 1; run <= how.repeat; ++run) {
    if (run > 1 && how.restarts) kernel = suspicion.fresh();
    if (suspicion.pulse) suspicion.pulse();
    if (suspicion.shows(kernel, c)) return true;
  }
  return false;
}

std::string ReproductionText(const Reproduction& how) {
  switch (how.kind) {
    case Reproduced::kAlone: return "";
    case Reproduced::kAfterCalls: return AfterCallsText(how);
    case Reproduced::kSometimes:
      return fmt::format("not repeatable: broken in {} of {}{}", how.broken, RunsText(how.runs),
                         how.restarts ? ", each in a process of its own" : " in one process");
    case Reproduced::kNever: break;
  }
  return fmt::format("not repeatable: seen once, in a process that had made other calls; then in 0 of {}", RunsText(how.runs));
}

std::string RepeatOptions(const Reproduction& how) {
  if (how.repeat <= 1) return "";
  return fmt::format("--repeat {} {}", how.repeat, how.restarts ? "--restart " : "");
}

}  // namespace normcheck::properties
