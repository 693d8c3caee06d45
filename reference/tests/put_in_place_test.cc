// A folder takes another's place whole, or not at all.
#include "reference/put_in_place.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

namespace normcheck::reference {
namespace {

namespace fs = std::filesystem;

class PutInPlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "put-in-place-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = name;
  }
  void TearDown() override { fs::remove_all(base_); }

  // A folder that holds one file of this name.
  fs::path Folder(const std::string& name, const std::string& file) const {
    fs::create_directory(base_ / name);
    std::ofstream(base_ / name / file) << file;
    return base_ / name;
  }
  std::size_t Names() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(base_), fs::directory_iterator())); }

  fs::path base_;
};

TEST_F(PutInPlaceTest, TakesANewName) {
  EXPECT_FALSE(PutInPlace(Folder("draft", "new"), base_ / "target"));
  EXPECT_TRUE(fs::exists(base_ / "target" / "new"));
  EXPECT_EQ(Names(), 1u);
}

TEST_F(PutInPlaceTest, ReplacesAFolderAndLeavesNothingOfIt) {
  Folder("target", "old");
  EXPECT_FALSE(PutInPlace(Folder("draft", "new"), base_ / "target"));
  EXPECT_TRUE(fs::exists(base_ / "target" / "new"));
  EXPECT_FALSE(fs::exists(base_ / "target" / "old"));
  EXPECT_EQ(Names(), 1u);
}

TEST_F(PutInPlaceTest, WithoutADraftTheTargetStays) {
  Folder("target", "old");
  EXPECT_TRUE(PutInPlace(base_ / "absent", base_ / "target"));
  EXPECT_TRUE(fs::exists(base_ / "target" / "old"));
  EXPECT_EQ(Names(), 1u);
}

}  // namespace
}  // namespace normcheck::reference
