// Prints, as a row of Markdown, which causes a mutant or an honest kernel gets over the regression cases: with all mistakes
// known, and with its own mistake left out of the list, which shows what faults that nobody has thought of get.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

std::string WordOf(const Count& count) {
  if (count.wrong > 0) return "wrong";
  if (count.right > 0) return "right";
  return count.described > 0 ? "described" : "silent";
}

void PrintRow(const norm::Kernel& kernel, const std::vector<Regression>& regressions) {
  const std::string id = kernel.name.substr(kernel.name.find(':') + 1);
  const reference::CausePoll poll = PollOf(kernel, regressions);
  const auto all = poll.Causes();
  const auto without = poll.Causes(id);
  Count known;
  Count unknown;
  Add(all, id, known);
  Add(without, id, unknown);
  fmt::print("| `{}` | {} | {} | {} | {} |\n", kernel.name, WordOf(known), Labels(all), WordOf(unknown), Labels(without));
}

}  // namespace
}  // namespace normcheck::properties

int main(int count, char** words) {
  using namespace normcheck::properties;
  if (count != 2) return fmt::print(stderr, "usage: causes_table KERNEL\n"), 2;
  const auto regressions = ReadRegressions(RegressionsDir());
  if (!regressions.ok()) return fmt::print(stderr, "{}\n", regressions.error()), 2;
  const auto kernel = FindKernel(words[1]);
  if (!kernel.ok()) return fmt::print(stderr, "{}\n", kernel.error()), 2;
  PrintRow(kernel.value(), regressions.value());
  return 0;
}
