// Tests of names and words that are made from any text: what a shell makes of them, and what a folder would show.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "reference/file_word.h"
#include "reference/shell_word.h"

namespace normcheck::reference {
namespace {

// What /bin/sh hands over for the word, followed by a dot that keeps a newline at its end.
std::string AsTheShellReadsIt(const std::string& word) {
  std::FILE* const pipe = popen(("printf '%s.' " + word).c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << word;
  return text.substr(0, text.size() - 1);
}

TEST(ShellWord, QuotesWhereItMust) {
  EXPECT_EQ(ShellWord("mutant:eps-after-root"), "mutant:eps-after-root");
  EXPECT_EQ(ShellWord("it's a; b"), "'it'\\''s a; b'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("\xc3\xa4 b"), "'\xc3\xa4 b'");
  EXPECT_EQ(ShellWord("r\xff\x1b[31m"), "\"$(printf 'r\\377\\033[31m')\"");
}

// F6: a shell gives back every byte.
TEST(ShellWord, IsReadAsTheText) {
  for (const char* text : {"a b", "it's", "$HOME `id` \"x\" \\", "*", "~", "-n\x01", "%s\x1b%", "\\n\x1b", "a\tb", "'\xff'", "\xc2\x9b",
                           "\xed\xa0\x80", "\xe0\x80\x80", "\xc3\xa4\xff", "line\nline", "end\n", "\x1b end\n"})
    EXPECT_EQ(AsTheShellReadsIt(ShellWord(text)), text) << ShellWord(text);
  for (int byte = 1; byte < 256; ++byte) {
    const std::string text = std::string("k ") + static_cast<char>(byte) + "7";
    EXPECT_EQ(AsTheShellReadsIt(ShellWord(text)), text) << byte;
  }
}

TEST(ShellWord, BytesThatNoTerminalShowsAreNotWritten) {
  for (const char* text : {"\x1b[31m", "\xff", "\xc2\x9b", "\xed\xa0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xc3"})
    for (const char c : ShellWord(text)) EXPECT_TRUE(c >= ' ' && c <= '~') << ShellWord(text);
}

// E2: a file that begins with a dot is a hidden one.
TEST(FileWord, BeginsWithNeitherDotNorDash) {
  EXPECT_EQ(FileWord("./libmine.so"), "libmine.so");
  EXPECT_EQ(FileWord("../a b/libmine.so"), "a-b-libmine.so");
  EXPECT_EQ(FileWord("mutant:eps-after-root"), "mutant-eps-after-root");
  EXPECT_EQ(FileWord("exec:./k -v"), "exec-.-k--v");
  EXPECT_EQ(FileWord("..."), "kernel");
  EXPECT_EQ(FileWord("\x1b"), "kernel");
}

TEST(FileWord, LongNamesFitAndDiffer) {
  const std::string name(300, 'k');
  EXPECT_EQ(FileWord(name).size(), kMostFileWord);
  EXPECT_NE(FileWord(name + "1"), FileWord(name + "2"));
}

}  // namespace
}  // namespace normcheck::reference
