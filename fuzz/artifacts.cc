// libFuzzer's artifacts become case files.
#include "fuzz/artifacts.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/finding.h"
#include "fuzz/target_case.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;

// By the prefix of the artifact's name; empty for what is no failure.
std::string_view FaultOf(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kFaults[] = {
      {"crash-", "crash"}, {"timeout-", "hang"}, {"oom-", "out-of-memory"}, {"leak-", "leak"}};
  for (const auto& [prefix, fault] : kFaults)
    if (name.starts_with(prefix)) return fault;
  return {};
}

std::vector<std::uint8_t> BytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::size_t HarvestArtifacts(const fs::path& dir, const std::string& findings_dir, const norm::Kernel& kernel, norm::Op op) {
  std::size_t deaths = 0;
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::directory_iterator entry(dir, fault), end; !fault && entry != end; entry.increment(fault))
    files.push_back(entry->path());
  for (const fs::path& file : files) {
    const std::string_view kind = FaultOf(file.filename().native());
    deaths += kind.empty() ? 0 : 1;
    const reference::Case c = TargetCase(kernel, op, BytesOf(file));
    if (kind.empty() || StoreFinding(findings_dir, SignatureOf(c, kind, "none"), kernel, c).ok()) fs::remove(file, fault);
  }
  return deaths;
}

}  // namespace normcheck::fuzz
