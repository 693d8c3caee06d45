// Findings: signatures, shrinking that keeps them telling, storing once; and what a target session makes of cases.
#include "fuzz/finding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <set>

#include "fuzz/artifacts.h"
#include "fuzz/finding_files.h"
#include "fuzz/replay_steps.h"
#include "fuzz/target_case.h"
#include "fuzz/target_session.h"
#include "fuzz/tests/faulty_kernel.h"
#include "fuzz/tests/scratch_folder.h"
#include "reference/case_bytes.h"
#include "reference/case_json.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Bits;
using reference::Case;

// Rows of 2, 4, 6, ... in f32.
Case EvenNumbers(std::size_t rows, std::size_t width) {
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, rows, width, 1e-5);
  for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = std::bit_cast<Bits>(static_cast<float>(2 * (i + 1)));
  return c;
}

class Findings : public ScratchFolder {
 protected:
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_)) names.push_back(entry.path().filename().string());
    return names;
  }

  std::vector<std::string> CaseFiles() const {
    std::vector<std::string> names = Names();
    std::erase_if(names, [](const std::string& name) { return !name.ends_with(".case.json"); });
    return names;
  }
};

TEST(Signature, NamesOpFormatsFaultAndNearestDiagnosis) {
  Case c = reference::MakeCase(norm::Op::kRmsNorm, {norm::Format::kF16, norm::Format::kF32, norm::Format::kBf16}, 1, 2, 0);
  reference::Verdict verdict;
  verdict.tally.broken = 1;
  EXPECT_EQ(SignatureOf(c, verdict), "rms_norm-f16_f32_bf16-beyond-contract-none");
  verdict.diagnosis = {{"eps-after-root", "", 0}};
  EXPECT_EQ(SignatureOf(c, verdict), "rms_norm-f16_f32_bf16-beyond-contract-eps-after-root");
  verdict.diagnosis = {{"eps-after-root", "", 0}, {"other", "", 1}};
  EXPECT_EQ(SignatureOf(c, verdict), "rms_norm-f16_f32_bf16-beyond-contract-ambiguous");
  verdict.worst.emplace().fault = "NaN where the reference has none";
  EXPECT_EQ(SignatureOf(c, verdict), "rms_norm-f16_f32_bf16-nan-where-the-reference-has-none");
  verdict.fault = "refused: x_pitch 12 is too small";
  EXPECT_EQ(FaultClassOf(verdict), "refused");
}

TEST(Signature, TellsEveryTripleOfFormatsAndIsShortForOneFormat) {
  std::set<std::string> signatures;
  for (const norm::Format x : norm::kFormats)
    for (const norm::Format params : norm::kFormats)
      for (const norm::Format y : norm::kFormats)
        signatures.insert(SignatureOf(reference::MakeCase(norm::Op::kLayerNorm, {x, params, y}, 1, 2, 0), "crash", "none"));
  EXPECT_EQ(signatures.size(), 27u);
  for (const char* one : {"layer_norm-f32-crash", "layer_norm-f16-crash", "layer_norm-bf16-crash", "layer_norm-bf16_f32_bf16-crash"})
    EXPECT_TRUE(signatures.contains(one)) << one;
  EXPECT_EQ(BucketOf("layer_norm-bf16_f32_bf16-crash"), "crash");
  EXPECT_EQ(BucketOf("layer_norm-bf16_f32_bf16-beyond-contract-eps-after-root"), "eps-after-root");
}

TEST(Signature, StatisticsAloneAreAClassOfTheirOwn) {
  reference::Verdict verdict;
  verdict.kept = false;
  EXPECT_EQ(FaultClassOf(verdict), "statistics");
}

TEST(ReplayLine, QuotesOnlyWhereAShellWouldSplit) {
  EXPECT_EQ(ReplayLine("mutant:x", "a/b.case.json"), "./normcheck judge --kernel mutant:x a/b.case.json");
  EXPECT_EQ(ReplayLine("exec:./k -v", "it's.json"), "./normcheck judge --kernel 'exec:./k -v' 'it'\\''s.json'");
}

TEST_F(Findings, ShrunkCaseStillTellsTheFaultyKernelFromTheRightOne) {
  const norm::Kernel kernel = TailFault();
  const Case c = EvenNumbers(3, 40);
  const std::string signature = SignatureOf(c, reference::Judge(kernel, c, {}));
  const Case shrunk = ShrinkFinding(kernel, c, signature);
  EXPECT_EQ(shrunk.rows, 1u);
  EXPECT_LE(shrunk.width, 4u);
  EXPECT_GE(shrunk.width, 3u);
  EXPECT_FALSE(reference::Judge(kernel, shrunk, {}).kept);
  EXPECT_TRUE(ASoundKernelKeeps(shrunk));
}

TEST_F(Findings, OneFilePerSignature) {
  const norm::Kernel kernel = TailFault();
  ASSERT_TRUE(StoreFinding(dir_.string(), "s", kernel, EvenNumbers(1, 4)).ok());
  ASSERT_TRUE(StoreFinding(dir_.string(), "s", kernel, EvenNumbers(1, 8)).ok());
  EXPECT_EQ(CaseFiles(), std::vector<std::string>{"s.case.json"});
  const auto stored = reference::ReadCaseFile((dir_ / "s.case.json").string());
  ASSERT_TRUE(stored.ok()) << stored.error();
  EXPECT_EQ(stored.value().x, EvenNumbers(1, 4).x);
  EXPECT_NE(stored.value().source.find("mutant:of-this-test"), std::string::npos);
}

TEST_F(Findings, SessionRecordsABrokenPromiseOnceAndGoesOn) {
  TargetSession session({TailFault(), dir_.string(), ""});
  EXPECT_EQ(session.Check(EvenNumbers(1, 16)), TargetSession::Outcome::kJudged);
  EXPECT_EQ(session.Check(EvenNumbers(2, 7)), TargetSession::Outcome::kJudged);
  EXPECT_EQ(session.stats().executions, 2u);
  EXPECT_GT(session.stats().worst_row_ulp, reference::ToQ20(1000));
  ASSERT_EQ(CaseFiles().size(), 1u);
  EXPECT_EQ(CaseFiles().front().find("layer_norm-f32-beyond-contract-"), 0u) << CaseFiles().front();
}

TEST_F(Findings, OneMistakeInTwoTriplesWithTheSameXIsTwoFindings) {
  TargetSession session({TailFault(), dir_.string(), ""});
  for (const norm::Format params : {norm::Format::kBf16, norm::Format::kF32}) {
    Case c = reference::MakeCase(norm::Op::kLayerNorm, {norm::Format::kBf16, params, norm::Format::kF32}, 2, 7, 1e-5);
    for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = reference::BitsOf(static_cast<double>(i), norm::Format::kBf16);
    ASSERT_EQ(session.Check(c), TargetSession::Outcome::kJudged);
  }
  std::vector<std::string> names = Names();
  std::erase_if(names, [](const std::string& name) { return !StemOfFinding(name); });
  std::ranges::sort(names);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0].find("layer_norm-bf16_bf16_f32-"), 0u) << names[0];
  EXPECT_EQ(names[1].find("layer_norm-bf16_f32_f32-"), 0u) << names[1];
  for (const std::string& name : names) EXPECT_TRUE(name.ends_with(".mixed.json")) << name;
}

TEST(FindingPath, OfMixedFormatsIsACaseWhereTheKernelTakesNoOthers) {
  const Case mixed = reference::MakeCase(norm::Op::kLayerNorm, {norm::Format::kBf16, norm::Format::kF32, norm::Format::kBf16}, 1, 3, 1e-5);
  norm::Kernel kernel = TailFault();
  EXPECT_EQ(FindingPath("a", "s", kernel, mixed), "a/s.mixed.json");
  kernel.formats = {mixed.formats};
  EXPECT_EQ(FindingPath("a", "s", kernel, mixed), "a/s.case.json");
}

TEST(BeforePath, StandsBesideTheCaseWhateverItsEnding) {
  EXPECT_EQ(BeforePath("a/s.case.json", 2), "a/s.before-2.json");
  EXPECT_EQ(BeforePath("a/s.mixed.json", 1), "a/s.before-1.json");
}

// Wrong right after a call with rows of 13, and then right again.
norm::Kernel SpoiledByThirteen() {
  return FaultyKernel([last = std::make_shared<std::size_t>(0)](const norm::KernelCall& call) {
    if (*last == 13 && call.rows > 0 && call.width > 0) *static_cast<std::uint32_t*>(call.y) ^= 1u << 20;
    *last = call.width;
  });
}

TEST_F(Findings, MistakeThatNeedsAnotherCallIsReplayedWithThatCallAlone) {
  TargetSession session({SpoiledByThirteen(), dir_.string(), ""});
  for (const std::size_t width : {2u, 5u, 13u, 7u}) {
    session.Remember(reference::EncodeCase(EvenNumbers(1, width)));
    ASSERT_EQ(session.Check(EvenNumbers(1, width)), TargetSession::Outcome::kJudged);
  }
  const std::string stem = (dir_ / "layer_norm-f32-only-after-other-calls").string();
  ASSERT_EQ(CaseFiles(), std::vector<std::string>{"layer_norm-f32-only-after-other-calls.case.json"});
  const std::string first = stem + ".before-1.json", second = stem + ".case.json";
  EXPECT_EQ(ReplayLine("k", second), "./normcheck judge --kernel k " + first + " " + second);
  EXPECT_FALSE(fs::exists(stem + ".before-2.json"));
  const norm::Kernel replayed = SpoiledByThirteen();  // as judge takes the files in turn
  EXPECT_TRUE(reference::Judge(replayed, reference::ReadCaseFile(first).value(), {}).kept);
  EXPECT_FALSE(reference::Judge(replayed, reference::ReadCaseFile(second).value(), {}).kept);
}

TEST(ReplayLine, WithoutTheCallsThatItNeedsIsTheCampaign) {
  EXPECT_EQ(ReplayLine("k", "a/layer_norm-f32-only-after-other-calls.case.json"), "./normcheck fuzz --kernel k");
}

TEST_F(Findings, SessionWithoutAFolderReportsTheFirst) {
  TargetSession session({TailFault(), "", ""});
  EXPECT_EQ(session.Check(EvenNumbers(1, 2)), TargetSession::Outcome::kJudged);
  ASSERT_EQ(session.Check(EvenNumbers(1, 4)), TargetSession::Outcome::kFailed);
  for (const char* part : {"mutant:of-this-test", "0x1p+1", "./normcheck judge --kernel"})
    EXPECT_NE(session.report().find(part), std::string::npos) << part << " in\n" << session.report();
}

TEST_F(Findings, SessionSaysWhenItCannotRecord) {
  TargetSession session({TailFault(), (dir_ / "missing/folder").string(), ""});
  EXPECT_EQ(session.Check(EvenNumbers(1, 4)), TargetSession::Outcome::kFailed);
}

TEST_F(Findings, ProductionKernelGivesNone) {
  TargetSession session({norm::ProductionKernels().front(), dir_.string(), ""});
  for (std::size_t width = 0; width < 40; ++width) session.Check(EvenNumbers(2, width));
  EXPECT_TRUE(Names().empty());
}

TEST_F(Findings, CasesBeyondTheCapsAreSkipped) {
  TargetSession session({TailFault(), dir_.string(), ""});
  Case pitched = EvenNumbers(3, 4);
  pitched.x_pitch = kMaxBufferElements;
  EXPECT_EQ(session.Check(pitched), TargetSession::Outcome::kSkipped);
  EXPECT_EQ(session.Check(EvenNumbers(1, kMaxElements + 1)), TargetSession::Outcome::kSkipped);
  const std::size_t huge = std::size_t{1} << 50;
  for (const auto& [rows, width] : {std::pair{std::size_t{0}, huge}, {huge, std::size_t{0}}})
    EXPECT_EQ(session.Check(reference::MakeCase(norm::Op::kLayerNorm, {}, rows, width, 1)), TargetSession::Outcome::kSkipped);
  EXPECT_TRUE(Names().empty());
}

TEST_F(Findings, ArtifactsBecomeFindingsByKindAndSlowUnitsDoNot) {
  const auto bytes = reference::EncodeCase(EvenNumbers(1, 4));
  fs::create_directories(dir_ / "artifacts");
  for (const char* name : {"crash-1", "crash-2", "oom-1", "slow-unit-1"})
    std::ofstream(dir_ / "artifacts" / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const norm::Kernel kernel = TailFault();
  EXPECT_EQ(HarvestArtifacts(dir_ / "artifacts", {kernel, norm::Op::kLayerNorm, dir_.string(), ""}), 3u);
  EXPECT_TRUE(fs::is_empty(dir_ / "artifacts"));
  EXPECT_TRUE(fs::exists(dir_ / "layer_norm-f32-crash.case.json"));
  EXPECT_TRUE(fs::exists(dir_ / "layer_norm-f32-out-of-memory.case.json"));
}

TEST(TargetCase, ForcesOpAndAFormatOfTheKernel) {
  norm::Kernel kernel;
  kernel.ops = {norm::Op::kRmsNorm};
  kernel.formats = {{norm::Format::kF16, norm::Format::kF16, norm::Format::kF16}};
  const auto bytes = reference::EncodeCase(reference::MakeCase(norm::Op::kLayerNorm, {}, 2, 3, 1));
  const Case c = TargetCase(kernel, norm::Op::kRmsNorm, bytes);
  EXPECT_EQ(c.op, norm::Op::kRmsNorm);
  EXPECT_EQ(c.formats, kernel.formats.front());
  EXPECT_EQ(c.width, 3u);
  EXPECT_EQ(c.x.size(), 6u);
}

}  // namespace
}  // namespace normcheck::fuzz
