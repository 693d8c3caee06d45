// Writing findings, and the text that goes with them.
#include "fuzz/finding_files.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "fuzz/finding.h"
#include "fuzz/replay_steps.h"
#include "reference/case_bytes.h"
#include "reference/case_json.h"
#include "reference/judge.h"
#include "reference/verdict_json.h"
#include "reference/visible_text.h"

namespace normcheck::fuzz {
namespace {

using properties::Reproduced;
using properties::Reproduction;
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

// A test judges its case once, which must be enough to show it.
std::string Note(const std::string& kernel, const std::string& signature, const std::string& path, const std::string& seen, const Case& c) {
  const std::string note = "# " + kernel + ": " + signature + "\n\n" + Fenced("", seen) + "\nReplay:\n\n    " + ReplayLine(kernel, path) + "\n";
  if (!ShowsWhenJudgedOnce(signature)) return note;
  return note + "\nAs a test, with your kernel in place of FindKernel's:\n\n" + Fenced("cpp", GoogleTestOf(kernel, signature, c));
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

// As the replay judges: the calls before it, then the case as often as it says, or until it breaks. No diagnosis is made of a fault that
// earlier calls or chance decide about: no formula explains it.
reference::Verdict JudgeBySteps(const norm::Kernel& kernel, const Case& c, const Reproduction& how) {
  for (const Case& earlier : how.before) properties::CallBefore(kernel, earlier);
  reference::JudgeOptions options;
  options.diagnose = how.kind == Reproduced::kAlone;
  reference::Verdict verdict = reference::Judge(kernel, c, options);
  for (std::uint64_t run = 1; run < how.repeat && verdict.kept; ++run) verdict = reference::Judge(kernel, c, options);
  return verdict;
}

// A law's finding is none that the judge must see.
std::string SeenText(const reference::Verdict& verdict, const Case& c, const std::string& path, const std::string& seen, const std::string& replay) {
  if (verdict.kept && !seen.empty()) return seen + "\n";
  return seen + (seen.empty() ? "" : "\n") + reference::VerdictText(verdict, c, path, replay);
}

// seen: with what is known of the replay.
Result<std::string> WriteJudged(const std::string& path, const std::string& signature, const norm::Kernel& kernel, const Case& plain,
                                const std::string& seen, const Reproduction& how) {
  for (std::size_t n = 1; n <= how.before.size(); ++n) {
    const std::string text = reference::CaseText(WithSource(how.before[n - 1], kernel.name, signature + ", before"));
    const auto written = reference::WriteFileAtomically(BeforePath(path, n), text);
    if (!written.ok()) return Error{written.error()};
  }
  const auto steps = WriteSteps(path, how);
  if (!steps.ok()) return Error{steps.error()};
  const Case c = WithSource(plain, kernel.name, signature);
  const reference::Verdict verdict = JudgeBySteps(kernel, c, how);
  auto files = FilesOf(path, signature, kernel, c, SeenText(verdict, c, path, seen, ReplayLine(kernel.name, path)));
  const std::string json = reference::JsonText(reference::VerdictJson(verdict, c, path, false), 1) + "\n";
  files.insert(files.begin(), {*StemOfFinding(path) + ".verdict.json", json});
  return WriteAll(files);
}

std::string WithSteps(const std::string& seen, const Reproduction& how) {
  const std::string steps = properties::ReproductionText(how);
  return seen + (seen.empty() || steps.empty() ? "" : "\n") + steps;
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
                                 const std::string& seen, const Reproduction& how) {
  const std::string path = FindingPath(dir, signature, kernel, c);
  if (std::filesystem::exists(path)) return path;
  return WriteJudged(path, signature, kernel, c, WithSteps(seen, how), how);
}

Result<std::string> ReplaceFinding(const std::string& dir, const std::string& signature, const norm::Kernel& kernel, const Case& c,
                                   const std::string& seen, const Reproduction& how) {
  return WriteJudged(FindingPath(dir, signature, kernel, c), signature, kernel, c, WithSteps(seen, how), how);
}

Result<std::string> StoreDeath(const std::string& dir, const std::string& signature, const norm::Kernel& kernel, const Case& c,
                               const std::string& how) {
  const std::string path = FindingPath(dir, signature, kernel, c);
  if (std::filesystem::exists(path)) return path;
  return WriteAll(FilesOf(path, signature, kernel, WithSource(c, kernel.name, signature), how + "\n"));
}

}  // namespace normcheck::fuzz
