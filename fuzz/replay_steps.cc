// Writing and reading the steps of a replay.
#include "fuzz/replay_steps.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "fuzz/finding.h"
#include "reference/case_json.h"
#include "reference/visible_text.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;

std::string StemOf(const std::string& finding) { return StemOfFinding(finding).value_or(finding); }
std::string StepsPath(const std::string& finding) { return StemOf(finding) + ".replay.json"; }

}  // namespace

std::string BeforePath(const std::string& finding, std::size_t n) { return StemOf(finding) + ".before-" + std::to_string(n) + ".json"; }

std::vector<std::string> BeforeFiles(const std::string& finding) {
  std::vector<std::string> files;
  for (std::size_t n = 1; fs::exists(BeforePath(finding, n)); ++n) files.push_back(BeforePath(finding, n));
  return files;
}

reference::Result<bool> WriteSteps(const std::string& finding, const properties::Reproduction& how) {
  if (how.repeat <= 1) return true;
  const nlohmann::ordered_json json = {{"repeat", how.repeat}, {"restart", how.restarts}, {"broken", how.broken}, {"runs", how.runs}};
  const auto written = reference::WriteFileAtomically(StepsPath(finding), reference::JsonText(json) + "\n");
  if (!written.ok()) return reference::Error{written.error()};
  return true;
}

std::string StepOptions(const std::string& finding) {
  std::ifstream file(StepsPath(finding));
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) return "";
  properties::Reproduction how;
  how.repeat = json.value("repeat", std::uint64_t{1});
  how.restarts = json.value("restart", false);
  return properties::RepeatOptions(how);
}

void RemoveFinding(const std::string& finding) {
  std::error_code ignored;
  fs::remove(finding, ignored);
  for (const std::string& file : BeforeFiles(finding)) fs::remove(file, ignored);
  for (const char* ending : {".replay.json", ".bytes", ".verdict.json", ".md"}) fs::remove(StemOf(finding) + ending, ignored);
}

}  // namespace normcheck::fuzz
