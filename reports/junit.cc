// Writes JUnit XML.
#include "reports/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/template.h"

namespace normcheck::reports {
namespace {

using properties::LawRun;
using State = LawRun::State;

std::string Outcome(const LawRun& run) {
  const std::string replay = run.replay.empty() ? "" : "\nreplay: " + run.replay;
  switch (run.state) {
    case State::kBroken: return fmt::format("<failure message=\"law broken\">{}</failure>", Escape(run.seen + replay));
    case State::kGaveUp: return fmt::format("<error message=\"gave up: no case met the precondition\">{}</error>", Escape(run.seen));
    case State::kNotApplicable: return "<skipped message=\"does not apply to this kernel\"/>";
    case State::kKept: break;
  }
  return "";
}

std::string Test(const std::string& kernel, const LawRun& run) {
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}</testcase>\n", Escape(kernel), Escape(run.law),
                     run.seconds, Outcome(run));
}

std::string Suite(const KernelLaws& kernel) {
  const auto count = [&](State state) { return std::ranges::count(kernel.second, state, &LawRun::state); };
  double seconds = 0;
  for (const LawRun& run : kernel.second) seconds += run.seconds;
  std::string suite = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
      Escape(kernel.first), kernel.second.size(), count(State::kBroken), count(State::kGaveUp), count(State::kNotApplicable),
      seconds);
  for (const LawRun& run : kernel.second) suite += Test(kernel.first, run);
  return suite + "  </testsuite>\n";
}

}  // namespace

std::string JUnitXml(std::span<const KernelLaws> kernels) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"normcheck properties\">\n";
  for (const KernelLaws& kernel : kernels) xml += Suite(kernel);
  return xml + "</testsuites>\n";
}

}  // namespace normcheck::reports
