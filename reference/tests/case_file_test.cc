// Tests of files: whole or absent, and errors that name the path.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "reference/case_json.h"

namespace normcheck::reference {
namespace {

namespace fs = std::filesystem;

class CaseFile : public testing::Test {
 protected:
  CaseFile() : folder_(fs::temp_directory_path() / ("normcheck_case_file_" + std::to_string(::getpid()))) { fs::create_directories(folder_); }
  ~CaseFile() override { fs::remove_all(folder_); }
  std::string Path(const char* name) const { return (folder_ / name).string(); }
  std::size_t Entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  fs::path folder_;
};

std::string TextOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(CaseFile, IsReplacedWholeAndAlone) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), std::string(100'000, 'x')).ok());
  ASSERT_EQ(WriteFileAtomically(Path("a"), "short").value(), Path("a"));
  EXPECT_EQ(TextOf(Path("a")), "short");
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(CaseFile, ReadsBackWhatWasWritten) {
  const Case c = MakeCase(Op::kRmsNorm, {}, 2, 3, 0.5);
  ASSERT_TRUE(WriteFileAtomically(Path("c.json"), CaseText(c)).ok());
  EXPECT_TRUE(ReadCaseFile(Path("c.json")).value() == c);
}

TEST_F(CaseFile, FailedWritesNameThePathAndLeaveNothing) {
  fs::create_directory(Path("folder"));
  const auto onto_folder = WriteFileAtomically(Path("folder"), "x");
  ASSERT_FALSE(onto_folder.ok());
  EXPECT_EQ(onto_folder.error().rfind(Path("folder") + ": file: cannot write it: Is a directory", 0), 0u) << onto_folder.error();
  EXPECT_EQ(Entries(), 1u);
  EXPECT_FALSE(WriteFileAtomically(Path("no/such/folder"), "x").ok());
}

TEST_F(CaseFile, UnreadableFilesNameThePathAndTheReason) {
  const auto absent = ReadCaseFile(Path("absent.json"));
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().rfind(Path("absent.json") + ": file: cannot read it: No such file", 0), 0u) << absent.error();
  EXPECT_NE(ReadCaseFile(folder_.string()).error().find("is a folder"), std::string::npos);
}

TEST_F(CaseFile, ParseErrorsNameThePath) {
  ASSERT_TRUE(WriteFileAtomically(Path("empty.json"), "").ok());
  EXPECT_EQ(ReadCaseFile(Path("empty.json")).error().rfind(Path("empty.json") + ": byte 1:", 0), 0u);
}

}  // namespace
}  // namespace normcheck::reference
