// Campaigns with real processes: budget, resume, summary, lock, foreign directories, what is done afterwards.
#include "fuzz/campaign.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fuzz/campaign_dir.h"
#include "fuzz/campaign_export.h"
#include "fuzz/campaign_summary.h"
#include "fuzz/tests/campaign_fixture.h"
#include "reference/case_json.h"

namespace normcheck::fuzz {
namespace {

TEST_F(Campaign, EndsWithItsTimeAndSumsItsWorkers) {
  int calls = 0;
  const auto result = RunCampaign(Options(1.3), [&](const CampaignStatus&) { ++calls; });
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_GE(result.value().last.seconds, 1.3);
  EXPECT_LT(result.value().last.seconds, 3.3);
  EXPECT_GT(result.value().last.executions, 2u);
  EXPECT_EQ(result.value().last.corpus, 2u);
  EXPECT_EQ(result.value().last.worst_row_ulp, 3.0);
  EXPECT_EQ(result.value().last.worst_bound_ratio, 0.5);
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(result.value().interrupted);
}

TEST_F(Campaign, SpendsExecutionsInsteadOfTime) {
  CampaignOptions options = Options(0);
  options.budget.executions = 25;
  const auto result = RunCampaign(options, {});
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(result.value().last.executions, 25u);
}

TEST_F(Campaign, RunsEveryOpOfTheKernel) {
  CampaignOptions options = Options(0.5);
  options.kernel.ops = {norm::Op::kLayerNorm, norm::Op::kRmsNorm};
  options.op.reset();
  options.jobs = 1;
  const auto result = RunCampaign(options, {});
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_ / "campaign/corpus/rms_norm"), {}), 1);
  EXPECT_EQ(WorkersSeen().size(), 1u);
}

TEST_F(Campaign, SecondRunResumesWithCorpusAndFindings) {
  const auto first = RunCampaign(Options(1.5), {});
  ASSERT_TRUE(first.ok()) << first.error();
  EXPECT_FALSE(first.value().resumed);
  std::ofstream(dir_ / "campaign/findings/layer_norm-old.case.json") << "{}";
  const auto second = RunCampaign(Options(1.5), {});
  ASSERT_TRUE(second.ok()) << second.error();
  EXPECT_TRUE(second.value().resumed);
  EXPECT_EQ(second.value().last.corpus, 4u);
  ASSERT_EQ(second.value().findings.size(), 1u);
  EXPECT_EQ(second.value().findings.front().signature, "layer_norm-old");
  EXPECT_EQ(second.value().findings.front().replay,
            "./normcheck judge --kernel layer_norm " + (dir_ / "campaign/findings/layer_norm-old.case.json").string());
}

TEST_F(Campaign, SummaryHoldsWhatTheCampaignDid) {
  CampaignOptions options = Options(1.2);
  options.environment = {{"processor", "of the test"}};
  ASSERT_TRUE(RunCampaign(options, {}).ok());
  const nlohmann::json summary = Summary();
  EXPECT_EQ(summary.at("schema"), "normcheck/campaign/1");
  EXPECT_EQ(summary.at("kernel"), "layer_norm");
  EXPECT_EQ(summary.at("contract"), "correctly-rounded");
  EXPECT_EQ(summary.at("state"), "done");
  EXPECT_EQ(summary.at("environment").at("processor"), "of the test");
  EXPECT_EQ(summary.at("corpus"), 2);
  EXPECT_GT(summary.at("executions"), 2);
  EXPECT_GE(summary.at("seconds"), 1.2);
  EXPECT_EQ(summary.at("sessions"), 1);
}

TEST_F(Campaign, ResumedSummaryAddsUpAndKeepsTheSeries) {
  ASSERT_TRUE(RunCampaign(Options(1.5), {}).ok());
  nlohmann::json summary = Summary();
  summary["series"] = {{{"op", "layer_norm"}, {"x_format", "f16"}, {"points", {{1.0, 10, 2.5, 0.25}}}}};
  summary["seconds"] = 100;
  std::ofstream(Dir() / "summary.json") << summary;
  const std::uint64_t executions = summary.at("executions");
  ASSERT_TRUE(RunCampaign(Options(1.5), {}).ok());
  EXPECT_EQ(Summary().at("series"), summary.at("series"));
  EXPECT_GT(Summary().at("seconds"), 100.2);
  EXPECT_GT(Summary().at("executions"), executions);
  EXPECT_EQ(Summary().at("sessions"), 2);
}

TEST(CampaignRecord, SeriesGrowsByEighthsOfAnOctave) {
  CampaignRecord record("/nowhere/summary.json");
  WorkerStats stats;
  CellStats& cell = stats.cells[StatsCell{}];
  for (const double ulp : {1.0, 1.05, 1.0, 1.2, 1.2}) {
    cell.worst_row_ulp = reference::ToQ20(ulp);
    record.Observe(ulp, stats);
  }
  const auto& points = record.series().at({norm::Op::kLayerNorm, norm::Format::kF32});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(points.back().row_ulp, 1.2, 1e-6);
}

TEST_F(Campaign, ExportedFindingsAreCasesWithTheirSource) {
  Behave("crash");
  ASSERT_TRUE(RunCampaign(Options(1.5), {}).ok());
  const auto files = ExportFindings(Options(0).dir, Options(0).kernel, (dir_ / "out").string());
  ASSERT_TRUE(files.ok()) << files.error();
  ASSERT_EQ(files.value(), std::vector<std::string>{(dir_ / "out/campaigns-layer_norm-layer_norm-f32-crash.case.json").string()});
  const auto c = reference::ReadCaseFile(files.value().front());
  ASSERT_TRUE(c.ok()) << c.error();
  EXPECT_EQ(c.value().source, "Found by normcheck fuzz on layer_norm (correctly-rounded): layer_norm-f32-crash.");
  const auto none = ExportFindings((dir_ / "nothing").string(), Options(0).kernel, (dir_ / "out").string());
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().find("holds no campaign"), std::string::npos) << none.error();
}

TEST_F(Campaign, MinimizingReplacesTheCorpusAndKeepsWorstRows) {
  ASSERT_TRUE(RunCampaign(Options(1.5), {}).ok());
  const fs::path worst = Dir() / "worst/layer_norm-f32-f32-f32-plain.row-ulp";
  std::ofstream(worst.string() + ".row.json") << reference::CaseText(reference::MakeCase(norm::Op::kLayerNorm, {}, 1, 3, 1));
  std::ofstream(worst.string() + ".figures.json")
      << R"({"schema":"normcheck/worst-row/1","op":"layer_norm","x_format":"f32","param_format":"f32","y_format":"f32","class":"plain",)"
      << R"("scale":"row-ulp","row_ulp_q20":1,"bound_ratio_q20":1,"rows":1,"width":3,"epsilon":1,"mean_over_sigma":null,"var_over_eps":0})";
  const auto minimized = MinimizeCorpus(Options(0));
  ASSERT_TRUE(minimized.ok()) << minimized.error();
  EXPECT_EQ(minimized.value().before, 2u);
  EXPECT_EQ(minimized.value().after, 2u);  // the fake merge takes one, the worst row comes back
  EXPECT_TRUE(fs::exists(Dir() / "corpus/layer_norm/worst-layer_norm-f32-f32-f32-plain.row-ulp"));
}

TEST_F(Campaign, DirectoryInUseIsRefused) {
  const auto held = CampaignDir::Open(Options(1).dir, "layer_norm", {norm::Op::kLayerNorm});
  ASSERT_TRUE(held.ok()) << held.error();
  const auto result = RunCampaign(Options(0.2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("another campaign is running"), std::string::npos) << result.error();
}

TEST_F(Campaign, ForeignDirectoryIsRefusedAndLeftAlone) {
  fs::create_directories(dir_ / "campaign");
  std::ofstream(dir_ / "campaign/thesis.txt") << "mine";
  const auto result = RunCampaign(Options(0.2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("no campaign's"), std::string::npos) << result.error();
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_ / "campaign"), {}), 1);
}

TEST_F(Campaign, DirectoryOfAnotherKernelIsRefused) {
  ASSERT_TRUE(CampaignDir::Open(Options(1).dir, "mutant:other", {norm::Op::kLayerNorm}).ok());
  const auto result = RunCampaign(Options(0.2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("mutant:other"), std::string::npos) << result.error();
}

TEST_F(Campaign, UnwritableDirectoryIsAClearError) {
  std::ofstream(dir_ / "file") << "";
  CampaignOptions options = Options(0.2);
  options.dir = (dir_ / "file/campaign").string();
  const auto result = RunCampaign(options, {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("choose another --dir"), std::string::npos) << result.error();
}

TEST_F(Campaign, MissingTargetSaysHowToBuildIt) {
  CampaignOptions options = Options(0.2);
  options.fuzz_dir = (dir_ / "nowhere").string();
  const auto result = RunCampaign(options, {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("cmake --preset fuzz"), std::string::npos) << result.error();
  EXPECT_FALSE(fs::exists(options.dir));
}

TEST(DefaultCampaignDir, NamesKernelAndOp) {
  norm::Kernel kernel;
  kernel.name = "mutant:x";
  kernel.ops = {norm::Op::kLayerNorm, norm::Op::kRmsNorm};
  EXPECT_EQ(DefaultCampaignDir(kernel, {}), "normcheck-fuzz/mutant-x");
  EXPECT_EQ(DefaultCampaignDir(kernel, norm::Op::kRmsNorm), "normcheck-fuzz/mutant-x-rms_norm");
  kernel.ops = {norm::Op::kRmsNorm};
  EXPECT_EQ(DefaultCampaignDir(kernel, {}), "normcheck-fuzz/mutant-x-rms_norm");
}

TEST(ParseDuration, ReadsSecondsMinutesHours) {
  const std::pair<const char*, double> good[] = {{"60s", 60}, {"10m", 600}, {"2h", 7200}, {"0.5s", 0.5}, {"1000h", 3600000}};
  for (const auto& [text, seconds] : good) {
    const auto parsed = ParseDuration(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(parsed.value(), seconds) << text;
  }
}

TEST(ParseDuration, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "s", "60", "banana", "-1s", "0s", "nans", "infs", "1e3s", "1 s", "10ms", "1d", "1001h", "+5s"})
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
}

}  // namespace
}  // namespace normcheck::fuzz
