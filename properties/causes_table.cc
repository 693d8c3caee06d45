// Prints, as Markdown, which causes every mutant and every honest kernel gets over the regression cases: with all mistakes
// known, and with its own mistake left out of the list, which shows what faults that nobody has thought of get.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "properties/honest.h"
#include "properties/kernels.h"
#include "properties/regressions.h"
#include "reference/diagnosis/causes.h"
#include "reference/judge.h"

namespace normcheck::properties {
namespace {

using reference::Cause;

constexpr std::size_t kWidest = 1024;

// What the names and descriptions of a kernel come to.
struct Count {
  int right = 0;
  int described = 0;
  int silent = 0;
  int wrong = 0;
};

reference::CausePoll PollOf(const norm::Kernel& kernel, const std::vector<Regression>& regressions) {
  reference::CausePoll poll;
  for (const Regression& regression : regressions) {
    if (regression.c.width > kWidest) continue;
    const auto verdict = reference::Judge(kernel, regression.c, {.contract = {}, .diagnose = false, .describe = false});
    if (verdict.not_supported || !verdict.fault.empty()) continue;
    const double epsilon = reference::WithEpsilonOf(kernel, regression.c).epsilon;
    poll.Add({&regression.c, verdict.got, verdict.contract, epsilon, verdict.tally.broken == 0, regression.file});
  }
  return poll;
}

std::string LabelOf(const Cause& cause) {
  const std::string share = fmt::format(" ({} of {})", cause.explains, cause.of);
  return (cause.ids.empty() ? cause.text : fmt::format("`{}`", fmt::join(cause.ids, "`, `"))) + share;
}

bool Names(const Cause& cause, std::string_view id) { return std::ranges::find(cause.ids, id) != cause.ids.end(); }

// One wrong name makes the whole answer wrong.
void Add(const std::vector<Cause>& causes, std::string_view id, Count& count) {
  bool right = false;
  bool wrong = false;
  for (const Cause& cause : causes) {
    if (cause.ids.empty()) continue;
    (Names(cause, id) ? right : wrong) = true;
  }
  if (wrong) ++count.wrong;
  else if (right) ++count.right;
  else if (causes.empty()) ++count.silent;
  else ++count.described;
}

std::string Labels(const std::vector<Cause>& causes) {
  std::string text;
  for (const Cause& cause : causes) text += (text.empty() ? "" : "; ") + LabelOf(cause);
  return text.empty() ? "-" : text;
}

std::string TextOf(const Count& count) {
  return fmt::format("named right {}, described {}, silent {}, wrong {}", count.right, count.described, count.silent, count.wrong);
}

void PrintTable(const std::vector<norm::Kernel>& kernels, const std::vector<Regression>& regressions) {
  Count known;
  Count unknown;
  fmt::print("| kernel | causes | causes without its own mistake |\n|---|---|---|\n");
  for (const norm::Kernel& kernel : kernels) {
    const std::string id = kernel.name.substr(kernel.name.find(':') + 1);
    const reference::CausePoll poll = PollOf(kernel, regressions);
    const auto all = poll.Causes();
    const auto without = poll.Causes(id);
    Add(all, id, known);
    Add(without, id, unknown);
    fmt::print("| `{}` | {} | {} |\n", kernel.name, Labels(all), Labels(without));
    std::fflush(stdout);
  }
  fmt::print("\n{} kernels. All mistakes known: {}. Without its own: {}.\n\n", kernels.size(), TextOf(known), TextOf(unknown));
}

}  // namespace
}  // namespace normcheck::properties

int main() {
  using namespace normcheck::properties;
  const auto regressions = ReadRegressions(RegressionsDir());
  if (!regressions.ok()) return fmt::print(stderr, "{}\n", regressions.error()), 2;
  fmt::print("# Causes\n\nOver the regression cases up to a width of {}; made by `causes_table`.\n\n## Mutants\n\n", kWidest);
  PrintTable(Mutants(), regressions.value());
  fmt::print("## Honest kernels\n\n");
  PrintTable(HonestKernels(), regressions.value());
  return 0;
}
