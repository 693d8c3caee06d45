// Signatures and shrinking of findings.
#include "fuzz/finding.h"

#include <chrono>
#include <filesystem>

#include "fuzz/replay_steps.h"
#include "properties/kernels.h"
#include "properties/laws.h"
#include "properties/shrink.h"
#include "reference/judge.h"
#include "reference/shell_word.h"

namespace normcheck::fuzz {
namespace {

using reference::Case;
using reference::ShellWord;
using reference::Verdict;

constexpr std::string_view kBeyondContract = "beyond-contract";
constexpr std::string_view kAfterOtherCalls = "after-other-calls";  // of hangs as well
constexpr std::string_view kLawWord = "-law-";
constexpr std::string_view kCaseSuffix = ".case.json";
constexpr std::string_view kMixedSuffix = ".mixed.json";
constexpr int kShrinkSteps = 2000;
constexpr std::chrono::seconds kShrinkTime{3};
// By counts: a case costs so much, and 1 for each element; 400 small cases, each diagnosed (12 ms), or the first few of a large one.
constexpr std::size_t kShrinkCaseWork = 256;
constexpr std::size_t kShrinkWork = 1u << 17;

std::string Word(std::string_view text) {
  std::string word;
  for (char ch : text) {
    const bool upper = ch >= 'A' && ch <= 'Z';
    const bool plain = (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '_';
    if (upper || plain) word += static_cast<char>(upper ? ch - 'A' + 'a' : ch);
    else if (!word.empty() && word.back() != '-') word += '-';
  }
  while (!word.empty() && word.back() == '-') word.pop_back();
  return word.substr(0, 60);
}

// The clause before the first colon or digit: "x_pitch: 3 is below 4" must not give a signature per number.
std::string_view Headline(std::string_view fault) { return fault.substr(0, fault.find_first_of(":;,(0123456789")); }

// "f16", or "bf16_f32_bf16".
std::string FormatsWord(const norm::Formats& formats) {
  const std::string x(norm::TraitsOf(formats.x).name);
  if (formats.params == formats.x && formats.y == formats.x) return x;
  return x + "_" + std::string(norm::TraitsOf(formats.params).name) + "_" + std::string(norm::TraitsOf(formats.y).name);
}

// Where the formats of a signature end, and the fault begins behind a dash.
std::size_t EndOfFormats(std::string_view signature) {
  const std::size_t op = signature.find('-');
  return op == std::string_view::npos ? op : signature.find('-', op + 1);
}

bool ElementsBroken(const Verdict& verdict) { return verdict.tally.broken > 0; }

// The law of a signature in a file's name, which the judge would not see; empty where there is none.
std::string LawIn(const std::string& file) {
  const std::size_t at = file.rfind(kLawWord);
  if (at == std::string::npos) return "";
  const std::string_view rest = std::string_view(file).substr(at + kLawWord.size());
  std::string_view found;
  for (const properties::Law& law : properties::Laws())
    if (rest.starts_with(law.name) && law.name.size() > found.size()) found = law.name;
  return std::string(found);
}

bool NeedsMoreThanItsCase(std::string_view file) {
  return file.find(kAfterOtherCalls) != std::string_view::npos || file.find(kNotRepeatable) != std::string_view::npos;
}

Verdict JudgePlainly(const norm::Kernel& kernel, const Case& c) { return reference::Judge(kernel, c, {}); }

bool SameFinding(const norm::Kernel& kernel, const Case& c, const std::string& signature) {
  const Verdict verdict = JudgePlainly(kernel, c);
  return !verdict.kept && !verdict.not_supported && SignatureOf(c, verdict) == signature;
}

}  // namespace

std::string FaultClassOf(const Verdict& verdict) {
  if (!verdict.fault.empty()) return Word(Headline(verdict.fault));
  if (!ElementsBroken(verdict)) return "statistics";
  if (verdict.worst && !verdict.worst->fault.empty()) return Word(Headline(verdict.worst->fault));
  return std::string(kBeyondContract);
}

std::string SignatureOf(const Case& c, std::string_view fault_class, std::string_view diagnosis) {
  std::string signature(NameOf(c.op));
  signature.append("-").append(FormatsWord(c.formats));
  signature.append("-").append(fault_class);
  return fault_class == kBeyondContract ? signature.append("-").append(Word(diagnosis)) : signature;
}

std::string SignatureOf(const Case& c, const Verdict& verdict) {
  const auto& found = verdict.diagnosis;
  const std::string_view id = found.empty() ? "none" : found.size() > 1 ? "ambiguous" : std::string_view(found.front().id);
  return SignatureOf(c, FaultClassOf(verdict), id);
}

bool ASoundKernelKeeps(const Case& c) {
  const Verdict verdict = reference::Judge(properties::SoundKernel(c.op), c, {.contract = {}, .diagnose = false});
  return verdict.kept && !verdict.not_supported;
}

std::string BucketOf(std::string_view signature) {
  const std::size_t formats = EndOfFormats(signature);
  std::string_view bucket = formats == std::string_view::npos ? signature : signature.substr(formats + 1);
  const std::size_t diagnosis = kBeyondContract.size() + 1;
  if (bucket.starts_with(kBeyondContract) && bucket.size() > diagnosis) bucket.remove_prefix(diagnosis);
  return std::string(bucket == "none" ? kBeyondContract : bucket);
}

Case ShrinkFinding(const norm::Kernel& kernel, const Case& c, const std::string& signature, Pace pace) {
  const auto deadline = std::chrono::steady_clock::now() + kShrinkTime;
  std::size_t work = 0;
  const bool sound_one_keeps = kernel.kind != norm::Kind::kProduction && ASoundKernelKeeps(c);
  const auto fails = [&](const Case& simpler) {
    work += kShrinkCaseWork + simpler.x.size();
    if (pace == Pace::kCounts ? work > kShrinkWork : std::chrono::steady_clock::now() > deadline) return false;
    return SameFinding(kernel, simpler, signature) && (!sound_one_keeps || ASoundKernelKeeps(simpler));
  };
  return properties::Shrink(c, fails, kShrinkSteps);
}

std::string FindingPath(const std::string& dir, const std::string& signature, const norm::Kernel& kernel, const Case& c) {
  const norm::Formats plain = {c.formats.x, c.formats.x, c.formats.x};
  const bool apart = c.formats != plain && norm::Supports(kernel, c.op, plain);
  return (std::filesystem::path(dir) / signature).string().append(apart ? kMixedSuffix : kCaseSuffix);
}

std::optional<std::string> StemOfFinding(std::string_view file) {
  for (const std::string_view suffix : {kCaseSuffix, kMixedSuffix})
    if (file.ends_with(suffix)) return std::string(file.substr(0, file.size() - suffix.size()));
  return std::nullopt;
}

bool ShowsWhenJudgedOnce(std::string_view signature) {
  return signature.find(kLawWord) == std::string_view::npos && !NeedsMoreThanItsCase(signature);
}

std::string ReplayLine(const std::string& kernel, const std::string& file) {
  const std::string quoted = ShellWord(kernel), law = LawIn(file), options = StepOptions(file);
  const std::vector<std::string> before = BeforeFiles(file);
  if (NeedsMoreThanItsCase(file) && before.empty() && options.empty() && StemOfFinding(file)) return "./normcheck fuzz --kernel " + quoted;
  std::string line = "./normcheck " + std::string(law.empty() ? "judge" : "properties") + " --kernel " + quoted + " ";
  if (!law.empty()) line += "--law " + law + " ";
  line += options;
  for (const std::string& earlier : before) line += (law.empty() ? "" : "--before ") + ShellWord(earlier) + " ";
  return line + (law.empty() ? "" : "--case ") + ShellWord(file);
}

}  // namespace normcheck::fuzz
