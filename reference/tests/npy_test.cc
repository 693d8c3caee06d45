// .npy files: the three versions and types are read, everything else is refused with its reason.
#include "reference/npy.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace normcheck::reference {
namespace {

using namespace std::string_literals;

// A file as NumPy lays it out, header padded by hand.
std::string FileOf(char version, const std::string& header, const std::string& data) {
  std::string length = {static_cast<char>(header.size()), '\0'};
  if (version > 1) length += "\0\0"s;
  return "\x93NUMPY"s + version + '\0' + length + header + data;
}

const std::string kTwoFloats = "\x00\x00\x80\x3f\x00\x00\x00\xc0"s;  // 1, -2

TEST(Npy, ReadsEveryVersionAndKeyOrder) {
  const NpyArray want{Format::kF32, {1, 2}, {0x3f800000, 0xc0000000}};
  for (char version : {'\1', '\2', '\3'}) {
    const auto array = ParseNpy(FileOf(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }   \n", kTwoFloats), "f");
    ASSERT_TRUE(array.ok()) << array.error();
    EXPECT_EQ(array.value(), want);
  }
  const auto other = ParseNpy(FileOf(1, "{\"shape\":(1,2),\"fortran_order\":False,\"descr\":\"<f4\"}", kTwoFloats), "f");
  ASSERT_TRUE(other.ok()) << other.error();
  EXPECT_EQ(other.value(), want);
}

TEST(Npy, ReadsHalfAndBfloat16Bits) {
  const std::pair<std::string, Format> types[] = {{"<f2", Format::kF16}, {"<u2", Format::kBf16}, {"|V2", Format::kBf16}, {"<V2", Format::kBf16}};
  for (const auto& [descr, format] : types) {
    const auto array = ParseNpy(FileOf(1, "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,), }", "\x00\x3c\x01\x80"s), "f");
    ASSERT_TRUE(array.ok()) << array.error();
    EXPECT_EQ(array.value(), (NpyArray{format, {2}, {0x3c00, 0x8001}}));
  }
}

TEST(Npy, RefusesWithTheReason) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::pair<std::string, const char*> files[] = {
      {"", "no .npy file"},
      {"\x93NUMPX\1\0\0\0"s, "no .npy file"},
      {FileOf(4, good, kTwoFloats), "version 4.0"},
      {FileOf(1, good, "").substr(0, 30), "truncated within its header"},
      {FileOf(1, with("<f4", "<f8"), kTwoFloats), "'<f8'"},
      {FileOf(1, with("<f4", ">f4"), kTwoFloats), "'>f4'"},
      {FileOf(1, with("'<f4'", "[('a', '<f4')]"), kTwoFloats), "structure"},
      {FileOf(1, with("False", "True"), kTwoFloats), "Fortran order"},
      {FileOf(1, with("(1, 2)", "(1, 3)"), kTwoFloats), "truncated"},
      {FileOf(1, with("(1, 2)", "(1,)"), kTwoFloats), "too long"},
      {FileOf(1, with("(1, 2)", "(99999999999, 99999999999)"), kTwoFloats), "more than"},
      {FileOf(1, with("(1, 2)", "(-1, 2)"), kTwoFloats), "dictionary"},
      {FileOf(1, with("'shape'", "'shade'"), kTwoFloats), "dictionary"},
      {FileOf(1, "{'descr': '<f4', 'fortran_order': False}", kTwoFloats), "dictionary"},
      {FileOf(1, good + "x", kTwoFloats), "dictionary"}};
  for (const auto& [bytes, reason] : files) {
    const auto array = ParseNpy(bytes, "rows.npy");
    ASSERT_FALSE(array.ok()) << reason;
    EXPECT_NE(array.error().find(reason), std::string::npos) << array.error();
    EXPECT_TRUE(array.error().starts_with("rows.npy: ")) << array.error();
  }
}

TEST(Npy, WritesWhatItReadsAtAnAlignedOffset) {
  const NpyArray arrays[] = {{Format::kF32, {2, 1, 2}, {0, 0x80000000, 0x7fc00001, 1}}, {Format::kF16, {3}, {0x3c00, 0xffff, 1}},
                             {Format::kBf16, {1, 1}, {0x3f80}}, {Format::kF32, {}, {0x3f800000}}, {Format::kF32, {0, 4}, {}}};
  for (const NpyArray& array : arrays) {
    const std::string bytes = NpyBytes(array);
    const auto read = ParseNpy(bytes, "f");
    ASSERT_TRUE(read.ok()) << read.error();
    EXPECT_EQ(read.value(), array);
    EXPECT_EQ((bytes.size() - array.values.size() * norm::TraitsOf(array.format).bytes) % 64, 0u);
  }
}

TEST(Npy, NamesAFileThatCannotBeRead) {
  const auto array = ReadNpyFile("/nonexistent/x.npy");
  ASSERT_FALSE(array.ok());
  EXPECT_TRUE(array.error().starts_with("/nonexistent/x.npy: cannot be read"));
}

}  // namespace
}  // namespace normcheck::reference
