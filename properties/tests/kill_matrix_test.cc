// The kill matrix as data: what its file says is what the laws do; and the processes that make it.
#include "properties/kill_matrix.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "properties/forked.h"
#include "properties/kernels.h"

namespace normcheck::properties {
namespace {

TEST(Forked, TextsComeBackInOrderAndAJobWhoseProcessDiesIsRunHere) {
  const pid_t here = getpid();
  std::vector<std::size_t> started;
  const auto text_of = [](std::size_t i) { return std::string(5000 * i, static_cast<char>('a' + i)); };
  const auto texts = RunForked(
      20,
      [&](std::size_t i) {
        if (getpid() == here) EXPECT_EQ(i, 7u);
        else if (i == 7) _exit(3);
        return text_of(i);
      },
      [&](std::size_t i) { started.push_back(i); });
  ASSERT_EQ(texts.size(), 20u);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], text_of(i)) << i;
  EXPECT_EQ(started.size(), 20u);
}

KillMatrix Small() {
  const std::vector<norm::Kernel> mutants = {FindKernel("mutant:eps-missing").value(), FindKernel("mutant:pitch-in-32-bits").value()};
  KillOptions options;
  options.cases = 20;
  options.seeds = {1, 2};
  return MakeKillMatrix(mutants, options);
}

TEST(KillMatrix, SaysAfterHowManyCasesEachLawKillsAndWithWhat) {
  const KillMatrix matrix = Small();
  const auto json = nlohmann::json::parse(KillMatrixJson(matrix));
  EXPECT_EQ(json["schema"], "normcheck/kill-matrix/1");
  EXPECT_EQ(json["laws"].size(), Laws().size());
  ASSERT_EQ(json["mutants"].size(), 2u);
  const auto& mutant = json["mutants"][0];
  EXPECT_EQ(mutant["name"], "mutant:eps-missing");
  EXPECT_NE(std::string(mutant["about"]).find("CASES.md"), std::string::npos);
  const auto judged = std::ranges::find_if(mutant["kills"], [](const auto& kill) { return kill["law"] == "judged"; });
  ASSERT_NE(judged, mutant["kills"].end());
  for (std::size_t i = 0; i < 2; ++i) {
    PropertyOptions options;
    options.cases = 20;
    options.seed = Seed{i + 1};
    EXPECT_EQ((*judged)["cases_to_kill"][i], RunLaw(FindKernel("mutant:eps-missing").value(), Laws().front(), options).cases);
  }
  EXPECT_EQ((*judged)["width"], 1);
  EXPECT_TRUE(std::string((*judged)["shrunk"]).find("1x1") != std::string::npos) << *judged;
  EXPECT_TRUE(json["survivors"].empty() && !json["idle_laws"].empty());
}

TEST(KillMatrix, EachLawKillsSurvivesOrCannotBeAsked) {
  const KillMatrix matrix = Small();
  const std::string text = KillMatrixJson(matrix);
  const auto json = nlohmann::json::parse(text);
  const auto& mutant = json["mutants"][1];
  EXPECT_EQ(mutant["kills"].size(), 1u);
  EXPECT_EQ(mutant["kills"][0]["law"], "wide-pitch");
  const auto asked = std::ranges::count_if(Laws(), [](const Law& law) { return law.applies_to(FindKernel("mutant:pitch-in-32-bits").value()); });
  EXPECT_EQ(mutant["survived"].size() + 1, static_cast<std::size_t>(asked));
  EXPECT_LE(static_cast<std::size_t>(std::ranges::count(text, '\n')), 8 + Laws().size() + matrix.mutants.size());
}

}  // namespace
}  // namespace normcheck::properties
