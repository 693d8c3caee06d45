// Reads the committed case files in the order of their names.
#include "properties/regressions.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "reference/case_json.h"

namespace normcheck::properties {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".case.json";
constexpr std::array<std::string_view, 3> kFamilies = {"public-bugs", "activations", "campaigns"};

std::string FamilyOf(const std::string& name) {
  for (std::string_view family : kFamilies)
    if (name.starts_with(family) && name.size() > family.size() && name[family.size()] == '-') return std::string(family);
  return {};
}

reference::Result<std::vector<fs::path>> CaseFiles(const std::string& dir) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(dir, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().ends_with(kSuffix)) paths.push_back(entry->path());
  if (error) return reference::Error{dir + ": cannot be listed: " + error.message() + "; set NORMCHECK_REGRESSIONS to the folder of case files"};
  std::ranges::sort(paths, {}, [](const fs::path& path) { return path.filename().string(); });
  return paths;
}

}  // namespace

reference::Result<std::vector<Regression>> ReadRegressions(const std::string& dir) {
  const auto paths = CaseFiles(dir);
  if (!paths.ok()) return reference::Error{paths.error()};
  std::vector<Regression> regressions;
  for (const fs::path& path : paths.value()) {
    const std::string family = FamilyOf(path.filename().string());
    if (family.empty())
      return reference::Error{path.string() + ": file name: starts with no family; begin it with public-bugs-, activations- or campaigns-"};
    auto c = reference::ReadCaseFile(path.string());
    if (!c.ok()) return reference::Error{c.error()};
    regressions.push_back({path.string(), family, std::move(c).value()});
  }
  return regressions;
}

std::string RegressionsDir() {
  if (const char* override_dir = std::getenv("NORMCHECK_REGRESSIONS")) return override_dir;
  std::error_code error;
  if (fs::is_directory(NORMCHECK_REGRESSIONS_SOURCE, error)) return NORMCHECK_REGRESSIONS_SOURCE;
  return NORMCHECK_REGRESSIONS_INSTALLED;
}

}  // namespace normcheck::properties
