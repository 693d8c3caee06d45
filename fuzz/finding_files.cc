// Writing findings, and the text that goes with them.
#include "fuzz/finding_files.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "fuzz/finding.h"
#include "reference/case_bytes.h"
#include "reference/case_json.h"
#include "reference/judge.h"
#include "reference/verdict_json.h"
#include "reference/visible_text.h"

namespace normcheck::fuzz {
namespace {

using reference::Case;
using reference::Error;
using reference::Result;

struct NamedText {
  std::string file;
  std::string text;
};

std::string Fenced(const std::string& language, const std::string& text) { return "```" + language + "\n" + text + "```\n"; }

std::string CamelCase(const std::string& words) {
  std::string name;
  bool upper = true;
  for (const char ch : words) {
    const bool separates = ch == '-' || ch == '_';
    if (!separates) name += upper && ch >= 'a' && ch <= 'z' ? static_cast<char>(ch - 'a' + 'A') : ch;
    upper = separates;
  }
  return name;
}

std::string BytesText(const Case& c) {
  const std::vector<std::uint8_t> bytes = reference::EncodeCase(c);
  return {bytes.begin(), bytes.end()};
}

std::string Note(const std::string& kernel, const std::string& signature, const std::string& path, const std::string& seen, const Case& c) {
  return "# " + kernel + ": " + signature + "\n\n" + Fenced("", seen) + "\nReplay:\n\n    " + ReplayLine(kernel, path) +
         "\n\nAs a test, with your kernel in place of FindKernel's:\n\n" + Fenced("cpp", GoogleTestOf(kernel, signature, c));
}

Case WithSource(Case c, const std::string& kernel, const std::string& signature) {
  c.expected.clear();
  c.source = "normcheck fuzz: " + kernel + ", " + signature;
  return c;
}

// The case comes last.
Result<std::string> WriteAll(const std::vector<NamedText>& files) {
  for (const NamedText& file : files) {
    const auto written = reference::WriteFileAtomically(file.file, file.text);
    if (!written.ok()) return Error{written.error()};
  }
  return files.back().file;
}

// path: FindingPath of the case.
std::vector<NamedText> FilesOf(const std::string& path, const std::string& signature, const norm::Kernel& kernel, const Case& c,
                               const std::string& seen) {
  const std::string stem = *StemOfFinding(path);
  return {{stem + ".bytes", BytesText(c)}, {stem + ".md", Note(kernel.name, signature, path, seen, c)}, {path, reference::CaseText(c)}};
}

Result<std::string> WriteJudged(const std::string& path, const std::string& signature, const norm::Kernel& kernel, const Case& plain,
                                const std::string& seen) {
  const Case c = WithSource(plain, kernel.name, signature);
  const reference::Verdict verdict = reference::Judge(kernel, c, {});
  auto files = FilesOf(path, signature, kernel, c, seen + (seen.empty() ? "" : "\n") + reference::VerdictText(verdict, c, path));
  const std::string json = reference::JsonText(reference::VerdictJson(verdict, c, path, false), 1) + "\n";
  files.insert(files.begin(), {*StemOfFinding(path) + ".verdict.json", json});
  return WriteAll(files);
}

}  // namespace

std::string GoogleTestOf(const std::string& kernel, const std::string& signature, const Case& c) {
  return "#include <gtest/gtest.h>\n\n#include \"properties/kernels.h\"\n#include \"reference/case_json.h\"\n"
         "#include \"reference/judge.h\"\n#include \"reference/verdict_json.h\"\n\n"
         "TEST(CampaignFinding, " + CamelCase(signature) + ") {\n"
         "  const auto kernel = normcheck::properties::FindKernel(R\"(" + kernel + ")\");\n"
         "  ASSERT_TRUE(kernel.ok()) << kernel.error();\n"
         "  const auto c = normcheck::reference::ParseCase(R\"case(" + reference::CaseText(c) + ")case\", \"" + signature + "\");\n"
         "  ASSERT_TRUE(c.ok()) << c.error();\n"
         "  const auto verdict = normcheck::reference::Judge(kernel.value(), c.value(), {});\n"
         "  EXPECT_TRUE(verdict.kept) << normcheck::reference::VerdictText(verdict, c.value(), \"" + signature + "\");\n"
         "}\n";
}

Result<std::string> StoreFinding(const std::string& dir, const std::string& signature, const norm::Kernel& kernel, const Case& c,
                                 const Shrinker& shrink, const std::string& seen, const std::vector<Case>& before) {
  const std::string path = FindingPath(dir, signature, kernel, c);
  if (std::filesystem::exists(path)) return path;
  for (std::size_t n = 1; n <= before.size(); ++n) {
    const std::string text = reference::CaseText(WithSource(before[n - 1], kernel.name, signature + ", before"));
    const auto written = reference::WriteFileAtomically(BeforePath(path, n), text);
    if (!written.ok()) return Error{written.error()};
  }
  auto stored = WriteJudged(path, signature, kernel, c, seen);
  if (!stored.ok() || !shrink) return stored;
  const Case shrunk = shrink(c);
  return shrunk == c ? stored : WriteJudged(path, signature, kernel, shrunk, seen);
}

Result<std::string> StoreDeath(const std::string& dir, const std::string& signature, const norm::Kernel& kernel, const Case& c,
                               const std::string& how) {
  const std::string path = FindingPath(dir, signature, kernel, c);
  if (std::filesystem::exists(path)) return path;
  return WriteAll(FilesOf(path, signature, kernel, WithSource(c, kernel.name, signature), how + "\n"));
}

}  // namespace normcheck::fuzz
