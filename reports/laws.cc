// Asks laws on several threads and writes what they found as JSON.
#include "reports/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "properties/laws/groups.h"
#include "properties/plug_in/plug_in.h"
#include "reference/file_word.h"
#include "reference/shell_word.h"
#include "reports/parallel.h"

namespace normcheck::reports {
namespace {

using properties::Law;
using properties::LawRun;

constexpr int kCasesOfARound = 200;

std::span<const Law* const> ReportLaws() {
  using namespace properties;
  static const Law* const kAsked[] = {&kLargeCalls, &kJudged,  &kBatchIndependence, &kBatchSize,  &kRepeatable,
                                      &kRowRanges,  &kInPlace, &kWritten,           &kGuardPages, &kPadding};
  return kAsked;
}

std::string_view StateWord(LawRun::State state) {
  switch (state) {
    case LawRun::State::kKept: return "kept";
    case LawRun::State::kBroken: return "broken";
    case LawRun::State::kGaveUp: return "gave up";
    case LawRun::State::kNotApplicable: break;
  }
  return "not supported";
}

// RapidCheck keeps global state: laws that draw by it take turns.
LawRun Ask(const norm::Kernel& kernel, const Law& law, const LawOptions& options) {
  properties::PropertyOptions asked;
  asked.cases = CasesOf(law, options.mode);
  asked.seed = options.seed;
  asked.contract = options.contract;
  asked.fresh = [&] { return options.fresh(kernel); };
  // A program's calls are slow, and shrinking takes thousands.
  asked.shrink = properties::plug_in::SeesTheCallersArrays(kernel);
  if (law.round != nullptr) return properties::RunLaw(options.fresh(kernel), law, asked);
  static std::mutex in_turn;
  const std::lock_guard lock(in_turn);
  return properties::RunLaw(options.fresh(kernel), law, asked);
}

}  // namespace

std::vector<LawJob> PlanLaws(std::size_t kernels) {
  std::vector<LawJob> jobs;
  for (const Law* law : ReportLaws())
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) jobs.push_back({kernel, law});
  return jobs;
}

int CasesOf(const Law& law, Mode mode) {
  if (law.round != nullptr) return kCasesOfARound;
  return mode == Mode::kQuick ? 20 : mode == Mode::kDefault ? 60 : 200;
}

reference::Result<bool> AskLaws(std::span<const LawJob> jobs, std::span<const norm::Kernel> kernels, const LawOptions& options,
                                const TakeLaw& take) {
  return RunInParallel(jobs.size(), options.threads, options.stop,
                       [&](std::size_t i) { take(i, Ask(kernels[jobs[i].kernel], *jobs[i].law, options)); });
}

Json LawJson(const LawRun& run, const std::string& file) {
  Json json = {{"law", run.law}, {"state", StateWord(run.state)}, {"cases", run.cases}, {"seen", run.seen}};
  if (run.not_asked > 0) json["harness_fault"] = run.why_not_asked;
  if (!file.empty()) json["file"] = file;
  if (run.state == LawRun::State::kBroken) json["alone"] = run.alone && !file.empty();
  return json;
}

std::string LawFile(const std::string& kernel, std::string_view law) {
  return "worst/" + reference::FileWord(fmt::format("{}-law-{}", kernel, law)) + ".case.json";
}

std::string LawReplayLine(const Json& kernel, const Json& law, Mode mode, Seed seed, const std::string& dir) {
  const std::string name = law.at("law").get<std::string>();
  const auto asked = std::ranges::find(properties::Laws(), name, &Law::name);
  const int cases = asked == properties::Laws().end() ? kCasesOfARound : CasesOf(*asked, mode);
  const std::string word = reference::ShellWord(kernel.at("name").get<std::string>());
  std::string line = fmt::format("./normcheck properties --kernel {} --law {}", word, name);
  if (kernel.contains("contract_given")) line += " --contract " + reference::ShellWord(kernel.at("contract").get<std::string>());
  if (law.at("alone").get<bool>()) return line + " --case " + reference::ShellWord(dir + "/" + law.at("file").get<std::string>());
  return fmt::format("{} --cases {} --seed {}", line, cases, seed.value);
}

}  // namespace normcheck::reports
