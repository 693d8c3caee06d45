// One kernel through every way in (shared library, program, files, this process): the same bits and the same verdicts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "norm/include/normcheck/kernel.h"
#include "properties/plug_in/case_folder.h"
#include "properties/plug_in/results.h"
#include "properties/plug_in/tests/loaded.h"
#include "reference/judge.h"
#include "reference/npy.h"

namespace normcheck::properties {
namespace {

using norm::CallStatus;
using norm::Kernel;
using reference::Outputs;
using reference::Verdict;

std::vector<Outputs> OutputsOf(const Kernel& kernel, const std::vector<Case>& cases) {
  std::vector<Outputs> outputs;
  for (const Case& c : cases) outputs.push_back(reference::RunKernel(kernel, c, {}));
  return outputs;
}

// FNV-1a over all outputs, NaN by its bits.
std::uint64_t HashOf(const std::vector<Outputs>& all) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint32_t word) { hash = (hash ^ word) * 0x100000001b3u; };
  for (const Outputs& outputs : all) {
    add(static_cast<std::uint32_t>(outputs.result.status));
    for (const Bits bits : outputs.y) add(bits);
    for (const auto* statistics : {&outputs.mean, &outputs.inv_std_dev})
      for (const float& value : *statistics) add(std::bit_cast<std::uint32_t>(value));
  }
  return hash;
}

std::uint64_t HashOfOutputs(const Kernel& kernel, const std::vector<Case>& cases) { return HashOf(OutputsOf(kernel, cases)); }

std::string TextOf(const Verdict& verdict) {
  return std::to_string(verdict.kept) + std::to_string(verdict.not_supported) + " " + std::to_string(verdict.tally.judged) + " " +
         std::to_string(verdict.tally.broken) + " " + std::to_string(verdict.tally.max_row_ulp) + verdict.fault;
}

std::vector<std::string> VerdictsOf(const Kernel& kernel, const std::vector<Case>& cases) {
  std::vector<std::string> verdicts;
  for (const Case& c : cases) verdicts.push_back(TextOf(reference::Judge(kernel, c, {})));
  return verdicts;
}

TEST(Ways, ProductionKernelGivesTheSameBitsAndVerdictsFromALibrary) {
  const Kernel wrapped = Loaded(Library("wrapped_production"));
  ASSERT_EQ(wrapped.formats.size(), norm::ProductionFormats().size());
  for (const Kernel& production : norm::ProductionKernels()) {
    if (production.contract.kind != norm::ContractKind::kCorrectlyRounded) continue;  // the library wraps those
    for (const Formats& formats : norm::ProductionFormats()) {
      const std::vector<Case> cases = StandardSweep(production.ops[0], formats);
      EXPECT_EQ(HashOfOutputs(wrapped, cases), HashOfOutputs(production, cases)) << production.name;
    }
  }
  const std::vector<Case> cases = StandardSweep(Op::kLayerNorm, {});
  EXPECT_EQ(VerdictsOf(wrapped, cases), VerdictsOf(norm::ProductionKernels()[0], cases));
}

// The example library's function, linked into this test.
Kernel ExampleInThisProcess(const Kernel& described) {
  Kernel kernel = described;
  kernel.run = [](const norm::KernelCall& call) -> norm::CallResult {
    const normcheck_kernel_call plain = {0, 0, 0, 0, call.rows, call.width, call.x_pitch, call.y_pitch, call.epsilon, call.x,
                                         call.gamma, call.beta, call.y, call.mean, call.inv_std_dev};
    return {normcheck_run_kernel(&plain, nullptr, 0) == NORMCHECK_OK ? CallStatus::kOk : CallStatus::kBadArgument, {}, {}};
  };
  return kernel;
}

// The way through files: the cases are written, read back as the kernel's side does, and its results written beside them.
class FilesWay {
 public:
  FilesWay(const Kernel& kernel, const std::vector<Case>& cases) : kernel_(kernel) {
    std::vector<plug_in::FolderCase> named;
    for (const Case& c : cases) named.push_back({"case-" + std::to_string(named.size()), c});
    const auto written = plug_in::WriteCaseFolder(dir_, named, {named.size(), {1}, {}, {}});
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error());
    auto read = plug_in::ReadCaseFolder(dir_);
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error());
    if (read.ok()) cases_ = std::move(read).value();
    EXPECT_EQ(cases_.size(), cases.size());
    for (const plug_in::ReadFolderCase& c : cases_) Save(c, reference::RunKernel(kernel, c.named.c, {}));
  }
  ~FilesWay() { std::filesystem::remove_all(dir_); }

  std::vector<Outputs> Results() const {
    std::vector<Outputs> all;
    for (const plug_in::ReadFolderCase& c : cases_) {
      auto outputs = plug_in::ReadResults(dir_, c);
      EXPECT_TRUE(outputs.ok()) << (outputs.ok() ? "" : outputs.error());
      if (outputs.ok()) all.push_back(std::move(outputs).value());
    }
    return all;
  }
  std::vector<std::string> Verdicts() const {
    std::vector<std::string> verdicts;
    const std::vector<Outputs> all = Results();
    for (std::size_t i = 0; i < all.size(); ++i)
      verdicts.push_back(TextOf(reference::JudgeOutputs(cases_[i].named.c, all[i], kernel_.contract, kernel_.epsilon_format, {})));
    return verdicts;
  }

 private:
  void Save(const plug_in::ReadFolderCase& c, const Outputs& outputs) const {
    const reference::Case& shape = c.named.c;
    SaveArray(c.y, {shape.formats.y, {shape.rows, shape.width}, outputs.y});
    SaveArray(c.mean, {Format::kF32, {shape.rows}, BitsOf(outputs.mean)});
    SaveArray(c.inv_std_dev, {Format::kF32, {shape.rows}, BitsOf(outputs.inv_std_dev)});
  }
  static std::vector<Bits> BitsOf(const std::vector<float>& values) {
    std::vector<Bits> bits;
    for (const float& value : values) bits.push_back(std::bit_cast<Bits>(value));
    return bits;
  }
  void SaveArray(const std::string& name, const reference::NpyArray& array) const {
    if (name.empty()) return;  // RMSNorm has no mean
    std::ofstream out(dir_ + "/" + name, std::ios::binary);
    EXPECT_TRUE((out << reference::NpyBytes(array)).flush()) << name;
  }

  const Kernel& kernel_;
  const std::string dir_ = testing::TempDir() + "normcheck-files-way-" + std::to_string(getpid());
  std::vector<plug_in::ReadFolderCase> cases_;
};

TEST(Ways, OneKernelGivesTheSameBitsAndVerdictsInEveryWay) {
  const Kernel library = Loaded(Library("my_layer_norm"));
  const Kernel program = Loaded("exec:" + kDir + "/exec_kernel");
  const Kernel here = ExampleInThisProcess(library);
  const std::vector<Case> cases = DenseCases(Op::kLayerNorm, {});
  EXPECT_EQ(HashOfOutputs(library, cases), HashOfOutputs(here, cases));
  EXPECT_EQ(HashOfOutputs(program, cases), HashOfOutputs(here, cases));
  EXPECT_EQ(VerdictsOf(library, cases), VerdictsOf(here, cases));
  EXPECT_EQ(VerdictsOf(program, cases), VerdictsOf(here, cases));
  const FilesWay files(here, cases);
  EXPECT_EQ(HashOf(files.Results()), HashOf(OutputsOf(library, cases)));
  EXPECT_EQ(files.Verdicts(), VerdictsOf(library, cases));
}

TEST(Ways, FilesCarryEveryFormatAndOp) {
  for (const Kernel& production : norm::ProductionKernels())
    for (const Formats& formats : norm::ProductionFormats()) {
      std::vector<Case> cases = DenseCases(production.ops[0], formats);
      cases.resize(std::min<std::size_t>(cases.size(), 12));
      const FilesWay files(production, cases);
      EXPECT_EQ(HashOf(files.Results()), HashOfOutputs(production, cases)) << production.name;
      EXPECT_EQ(files.Verdicts(), VerdictsOf(production, cases)) << production.name;
    }
}

}  // namespace
}  // namespace normcheck::properties
