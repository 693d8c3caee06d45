// Sound kernels are never accused: the honest kernels of all profiles and the production kernels, judged on every family, width and
// epsilon and on large calls, 1e7 outputs and more. What it prints is the record in reports/published/long-tests.md.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "norm/layer_norm.h"
#include "properties/honest.h"
#include "properties/kernels.h"
#include "properties/large_calls.h"
#include "properties/standard_sweep.h"
#include "reference/judge.h"
#include "reference/verdict_json.h"

namespace normcheck::properties {
namespace {

using reference::Verdict;

reference::JudgeOptions OnlyCounts() {
  reference::JudgeOptions options;
  options.diagnose = options.describe = false;
  return options;
}

// What was judged of one kernel, and what of it was an alarm: a broken output, or a verdict that keeps nothing.
struct Record {
  std::uint64_t calls = 0, outputs = 0, no_promise = 0, alarms = 0;
  std::string first;

  void Add(const norm::Kernel& kernel, const Case& c) {
    const Verdict verdict = reference::Judge(kernel, c, OnlyCounts());
    if (verdict.not_supported) return;
    ++calls;
    outputs += verdict.tally.judged;
    no_promise += verdict.tally.no_promise;
    alarms += verdict.kept ? verdict.tally.broken : std::max<std::uint64_t>(verdict.tally.broken, 1);
    if (!verdict.kept && first.empty()) first = reference::VerdictText(verdict, c, "");
  }

  void Merge(const Record& other) {
    calls += other.calls;
    outputs += other.outputs;
    no_promise += other.no_promise;
    alarms += other.alarms;
  }

  void Print(const std::string& name) const {
    std::printf("| %s | %llu | %llu | %llu | %llu |\n", name.c_str(), static_cast<unsigned long long>(calls),
                static_cast<unsigned long long>(outputs), static_cast<unsigned long long>(no_promise), static_cast<unsigned long long>(alarms));
  }
};

std::vector<norm::Kernel> SoundKernels() {
  std::vector<norm::Kernel> kernels = HonestKernels();
  for (norm::Kernel& kernel : FusedHonestKernels()) kernels.push_back(std::move(kernel));
  for (norm::Kernel& kernel : norm::ProductionKernels()) kernels.push_back(std::move(kernel));
  return kernels;
}

// Every family, width and epsilon of the standard sweep, in the kernel's formats in turn.
void AddSweep(const norm::Kernel& kernel, std::size_t turn, Record& record) {
  for (norm::Op op : kernel.ops)
    for (const Case& c : StandardSweep(op, kernel.formats[turn++ % kernel.formats.size()])) record.Add(kernel, c);
}

// Calls of up to about a million elements, of which few suffice for a million outputs.
void AddLargeCalls(const norm::Kernel& kernel, std::size_t count, Record& record) {
  Random random(Seed{17});
  std::vector<LargeCall> calls = LargeCallsOf(kernel, random);
  calls.resize(std::min(calls.size(), count));
  for (const LargeCall& call : calls) record.Add(kernel, DrawLargeCall(kernel, call));
}

TEST(FalseAlarms, NoneOverTenMillionOutputs) {
  Record all;
  std::size_t turn = 0;
  for (const norm::Kernel& kernel : SoundKernels()) {
    Record record;
    AddSweep(kernel, turn++, record);
    AddLargeCalls(kernel, 6, record);
    record.Print(kernel.name);
    EXPECT_EQ(record.alarms, 0u) << kernel.name << ": " << record.first;
    EXPECT_GT(record.outputs, 100'000u) << kernel.name;
    all.Merge(record);
  }
  all.Print("all");
  EXPECT_GE(all.outputs, 10'000'000u);
}

}  // namespace
}  // namespace normcheck::properties
