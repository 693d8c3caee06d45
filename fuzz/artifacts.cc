// libFuzzer's artifacts become case files.
#include "fuzz/artifacts.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "fuzz/finding.h"
#include "fuzz/finding_files.h"
#include "fuzz/target_case.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff kLogTail = 1 << 16;

// By the prefix of the artifact's name; empty for what is no failure.
std::string_view FaultOf(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kFaults[] = {
      {"crash-", "crash"}, {"oom-", "out-of-memory"}, {"leak-", "leak"}};
  for (const auto& [prefix, fault] : kFaults)
    if (name.starts_with(prefix)) return fault;
  return {};
}

// The last line of the log that a sanitizer or libFuzzer calls an error, with the frames of the stack below it that it names.
std::string LastWords(const std::string& log) {
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  file.seekg(size > kLogTail ? size - kLogTail : 0);
  std::string words;
  int frames = 0;
  for (std::string line; std::getline(file, line);) {
    const bool error = line.find("ERROR: ") != std::string::npos || line.find("runtime error: ") != std::string::npos;
    if (error) words = line + "\n", frames = 8;
    else if (frames > 0 && line.starts_with("    #")) words += line + "\n", --frames;
  }
  return words;
}

}  // namespace

std::vector<std::uint8_t> InputIn(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool HarvestDeath(std::span<const std::uint8_t> input, std::string_view fault, const DeathPlace& place) {
  const reference::Case c = TargetCase(place.kernel, place.op, input);
  const std::string how = "The worker died on this case: " + std::string(fault) + ".\n" + LastWords(place.log);
  return StoreDeath(place.findings_dir, SignatureOf(c, fault, "none"), place.kernel, c, how).ok();
}

bool IsKnownDeath(std::span<const std::uint8_t> input, std::string_view fault, const DeathPlace& place) {
  const reference::Case c = TargetCase(place.kernel, place.op, input);
  return fs::exists(FindingPath(place.findings_dir, SignatureOf(c, fault, "none"), place.kernel, c));
}

std::size_t HarvestArtifacts(const fs::path& dir, const DeathPlace& place) {
  std::size_t deaths = 0;
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::directory_iterator entry(dir, fault), end; !fault && entry != end; entry.increment(fault))
    files.push_back(entry->path());
  for (const fs::path& file : files) {
    const std::string_view kind = FaultOf(file.filename().native());
    deaths += kind.empty() ? 0 : 1;
    if (kind.empty() || HarvestDeath(InputIn(file), kind, place)) fs::remove(file, fault);
  }
  return deaths;
}

}  // namespace normcheck::fuzz
