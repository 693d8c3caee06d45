// Advise: what it says of kernels whose nature is known, and that a report of the same sweep says no other.
#include "reports/advise.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "properties/kernels.h"
#include "reports/sweep.h"

namespace normcheck::reports {
namespace {

AdviseOptions Quick() {
  AdviseOptions options;
  options.mode = Mode::kQuick;
  options.threads = 2;
  return options;
}

// The first verdict of a report on the quick sweep: whether a cell broke the contract.
bool ReportKeeps(const norm::Kernel& kernel, const norm::Contract& contract) {
  SweepOptions options;
  options.contract = contract;
  const std::vector<Cell> cells = PlanCells(kernel, Mode::kQuick, {});
  return std::ranges::all_of(cells, [&](const Cell& cell) { return JudgeCell(kernel, cell, {}, options).kept; });
}

norm::Kernel OfPlainF32(const char* name) {
  norm::Kernel kernel = properties::FindKernel(name).value();
  std::erase_if(kernel.formats, [](const Formats& formats) { return formats != Formats{}; });
  return kernel;
}

// C2: report kept what advise gives and broke the stricter contracts that it does not.
TEST(Advise, SaysWhatAReportOfTheSameSweepSays) {
  for (const char* name : {"layer_norm_fast", "honest:two-pass-f64", "honest:two-pass-lanes8-f32", "mutant:truncation"}) {
    const norm::Kernel kernel = OfPlainF32(name);
    const auto advice = Advise(kernel, Quick());
    ASSERT_TRUE(advice.ok());
    for (const TriedContract& tried : advice.value().tried)
      EXPECT_EQ(ReportKeeps(kernel, tried.contract), tried.kept) << name << ' ' << reference::ContractText(tried.contract);
  }
}

TEST(Advise, KernelsKeepTheirOwnContractAndNoneThatIsStricterThanTheyAre) {
  for (const char* name : {"layer_norm", "rms_norm", "honest:two-pass-f64", "honest:two-pass-lanes8-f32"}) {
    const norm::Kernel kernel = OfPlainF32(name);
    const Advice advice = Advise(kernel, Quick()).value();
    const auto own = std::ranges::find(advice.tried, kernel.contract, &TriedContract::contract);
    ASSERT_NE(own, advice.tried.end()) << name;
    EXPECT_TRUE(own->kept) << name;
    ASSERT_NE(advice.Strictest(), nullptr);
    EXPECT_EQ(advice.Strictest()->contract.kind == norm::ContractKind::kCorrectlyRounded, advice.correctly_rounded == advice.outputs) << name;
  }
  const Advice plain = Advise(OfPlainF32("honest:two-pass-lanes8-f32"), Quick()).value();
  EXPECT_EQ(plain.Strictest()->contract.kind, norm::ContractKind::kProfile);
}

TEST(Advise, AKernelThatRefusesACallKeepsNothing) {
  norm::Kernel kernel = OfPlainF32("layer_norm");
  kernel.run = [](const norm::KernelCall&) { return norm::CallResult{norm::CallStatus::kBadArgument, "width", "too odd"}; };
  const Advice advice = Advise(kernel, Quick()).value();
  EXPECT_EQ(advice.Strictest(), nullptr);
  EXPECT_NE(AdviceText(kernel, advice, norm::Format::kF32, 768).find("no contract is kept: refused: width"), std::string::npos);
}

// By hand: f32 has p = 24 and least subnormal 2^-149.
TEST(Advise, TolerancesFollowFromTheContract) {
  const auto rounded = JustifiedTolerance({norm::ContractKind::kCorrectlyRounded, 0}, norm::Format::kF32, 1);
  EXPECT_EQ(rounded->rtol, 0x1p-24);
  EXPECT_EQ(rounded->atol, 0x1p-150);
  const auto row = JustifiedTolerance({norm::ContractKind::kRowUlp, 2}, norm::Format::kBf16, 9);
  EXPECT_EQ(row->atol, 2 * 0x1p-7 * 4);
  EXPECT_EQ(row->rtol, 0);
  EXPECT_FALSE(JustifiedTolerance({norm::ContractKind::kProfile, 0}, norm::Format::kF32, 1).has_value());
}

}  // namespace
}  // namespace normcheck::reports
