// How a broken promise is shown again by a kernel that was never called before: at once, after the fewest calls, or sometimes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/laws.h"
#include "reference/case.h"

namespace normcheck::properties {

// What is asked, and of which kernel.
struct Suspicion {
  std::function<norm::Kernel()> fresh;  // the kernel as a process that has just started has it
  std::function<bool(const norm::Kernel&, const Case&)> shows;  // asks a kernel, in the state in which it is
  std::function<void()> pulse = {};  // before each question, for whoever watches the time of one; may be empty
  std::optional<std::chrono::milliseconds> time = std::chrono::seconds(3);  // nothing: counts alone end the search
  std::uint64_t most_repeats = 4096;  // of the case, where nothing else shows it
};

// What a search may take: a program may need a second for each start.
std::chrono::milliseconds TimeToReproduce(const norm::Kernel& kernel);

// Judged under the contract, the kernel's own where there is none; or asked the law.
Suspicion JudgeSuspicion(std::function<norm::Kernel()> fresh, std::optional<reference::Contract> contract = {});
Suspicion LawSuspicion(std::function<norm::Kernel()> fresh, const Law& law, std::optional<reference::Contract> contract = {});

enum class Reproduced : std::uint8_t {
  kAlone,       // the case is the first that a started kernel gets
  kAfterCalls,  // after the cases of `before`, or in run `repeat` of the case itself
  kSometimes,   // in some of `repeat` runs of the case
  kNever,       // in none that was tried
};

struct Reproduction {
  Reproduced kind = Reproduced::kAlone;
  std::vector<Case> before = {};
  std::uint64_t repeat = 1;     // runs of the case that a replay needs
  bool restarts = false;        // each of these runs in a process of its own
  std::uint64_t broken = 0;     // kSometimes and kNever: of so many
  std::uint64_t runs = 0;
};

// One call of the kernel, for the state that it leaves.
void CallBefore(const norm::Kernel& kernel, const Case& c);

// Tries the case alone, then repeated, then after as few of the `earlier` calls (in their order) as show it, then repeated often.
// What it answers was seen on several kernels that were started for it, by the steps of the replay. For a kernel that always
// breaks its promise that is a start or two and some twenty questions.
Reproduction Reproduce(const Suspicion& suspicion, const Case& c, std::vector<Case> earlier = {});

// How often the case shows it: kSometimes, or kNever.
Reproduction RateOf(const Suspicion& suspicion, const Case& c);

// True where the steps of the replay show it once more, on a case in place of the one for which they were found.
bool ShowsBy(const Suspicion& suspicion, const Reproduction& how, const Case& c);

// What a reader must know of it: "broken in 3 of 20 runs of the case; ..."; empty for kAlone.
std::string ReproductionText(const Reproduction& how);

// "--repeat 11", "--repeat 40 --restart", or nothing; with a space behind it where there is something.
std::string RepeatOptions(const Reproduction& how);

}  // namespace normcheck::properties
