// A finding: a case on which a kernel breaks its promise, named by a signature, and shrunk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "norm/kernel.h"
#include "reference/case.h"
#include "reference/result.h"
#include "reference/verdict.h"

namespace normcheck::fuzz {

// What ends a search that may take long: the clock, or counts, with which each run of a seed is the same.
enum class Pace : std::uint8_t { kClock, kCounts };

// What went wrong, as a word: the fault of the call or of the worst element ("padding-written", "missing-nan"),
// "beyond-contract" for a finite output too far off, "statistics" where only those are wrong.
std::string FaultClassOf(const reference::Verdict& verdict);

// OP-FORMATS-FAULT[-DIAGNOSIS] in [a-z0-9_-]: one finding per mistake, not per input. FORMATS: "bf16" where x, parameters and y
// are all in it, else each in that order: "bf16_f32_bf16". DIAGNOSIS, for finite outputs only: the id where just one wrong formula
// fits, "ambiguous" where several do, or "none".
std::string SignatureOf(const reference::Case& c, std::string_view fault_class, std::string_view diagnosis);
std::string SignatureOf(const reference::Case& c, const reference::Verdict& verdict);

// What people count by: the diagnosis of a signature, else its fault; op and formats left out.
std::string BucketOf(std::string_view signature);

// The nearest case with the same signature. Where the sound kernel of the op keeps its contract on `c` it still keeps it on the
// answer, so that the finding tells a wrong kernel from a right one. At most 3 seconds, or as much work as takes about that long.
// Requires: SignatureOf(c, Judge(kernel, c)) == signature.
reference::Case ShrinkFinding(const norm::Kernel& kernel, const reference::Case& c, const std::string& signature, Pace pace = Pace::kClock);

// True where the sound kernel of the case's op (properties/kernels.h) supports the case and keeps its contract on it.
bool ASoundKernelKeeps(const reference::Case& c);

// A finding's case: DIR/SIGNATURE.case.json; DIR/SIGNATURE.mixed.json where its formats are mixed and the kernel takes x's format alone
// as well. A kernel makes the same mistake in up to nine triples; what looks for .case.json meets it once per format of x.
std::string FindingPath(const std::string& dir, const std::string& signature, const norm::Kernel& kernel, const reference::Case& c);

// A file's name without the ending of FindingPath; nothing where it has none: it is no finding's case.
std::optional<std::string> StemOfFinding(std::string_view file);

// What was seen where a mistake has no name of its own, since earlier calls or chance decide whether it shows; also the end of a law's
// signature of which that holds.
inline constexpr std::string_view kOnlyAfterOthers = "only-after-other-calls";
inline constexpr std::string_view kNotRepeatable = "not-repeatable";

// False for laws, and for what earlier calls or chance decide about.
bool ShowsWhenJudgedOnce(std::string_view signature);

// The line that shows a finding once more, from the project's root: "./normcheck judge --kernel K FILE", or where FILE is a law's finding
// "./normcheck properties --kernel K --law L --case FILE"; with the earlier calls and the repetitions that stand beside FILE
// (replay_steps.h). Where it needs other calls that are not known: "./normcheck fuzz --kernel K". Quoted for a shell where it must be.
std::string ReplayLine(const std::string& kernel, const std::string& file);

}  // namespace normcheck::fuzz
