// Reading folders of case files: order, families, and errors that name the file.
#include "properties/regressions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "reference/case_json.h"

namespace normcheck::properties {
namespace {

namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) / ("regressions-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  void Put(const std::string& name, const std::string& text) { std::ofstream(dir_ / name) << text; }
  std::string Text(std::size_t width) { return reference::CaseText(reference::MakeCase(norm::Op::kLayerNorm, {}, 1, width, 1e-5)); }

  fs::path dir_;
};

TEST_F(Folder, IsReadInTheOrderOfNamesWithFamilies) {
  Put("public-bugs-002-b.case.json", Text(3));
  Put("activations-model-site.case.json", Text(2));
  Put("public-bugs-001-a.case.json", Text(4));
  Put("README.md", "no case");
  const auto read = ReadRegressions(dir_.string());
  ASSERT_TRUE(read.ok()) << read.error();
  ASSERT_EQ(read.value().size(), 3u);
  EXPECT_EQ(read.value()[0].family, "activations");
  EXPECT_EQ(read.value()[0].c.width, 2u);
  EXPECT_EQ(read.value()[1].family, "public-bugs");
  EXPECT_EQ(read.value()[1].c.width, 4u);
  EXPECT_EQ(read.value()[2].c.width, 3u);
}

TEST_F(Folder, WithAMalformedFileNamesIt) {
  Put("public-bugs-001-a.case.json", "{");
  const auto read = ReadRegressions(dir_.string());
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().find("public-bugs-001-a"), std::string::npos);
}

TEST_F(Folder, WithAFileOfNoFamilyNamesIt) {
  Put("other-001.case.json", Text(1));
  const auto read = ReadRegressions(dir_.string());
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().find("other-001.case.json"), std::string::npos);
}

TEST_F(Folder, ThatIsAbsentIsAnError) {
  EXPECT_FALSE(ReadRegressions((dir_ / "absent").string()).ok());
}

TEST_F(Folder, IsTakenFromTheEnvironmentWhereSet) {
  ASSERT_EQ(setenv("NORMCHECK_REGRESSIONS", dir_.c_str(), 1), 0);
  EXPECT_EQ(RegressionsDir(), dir_.string());
  unsetenv("NORMCHECK_REGRESSIONS");
  EXPECT_TRUE(RegressionsDir().ends_with("regressions"));
}

}  // namespace
}  // namespace normcheck::properties
