// Reads /proc/PID/stat, and adds up.
#include "fuzz/stuck_watch.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "fuzz/flight_record.h"

namespace normcheck::fuzz {
namespace {

// A longer gap between two looks is no proof of sleep: the campaign itself had no processor.
constexpr double kLongestStep = 0.25;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The fields after "PID (NAME)", whose name may hold anything: state, ppid, ... utime is the twelfth, stime the next.
std::optional<Activity> OwnActivityOf(pid_t process) {
  const std::string stat = TextOf("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_end + 1));
  const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
  if (words.size() < 13) return std::nullopt;
  const double ticks = std::stod(words[11]) + std::stod(words[12]);
  return Activity{ticks / static_cast<double>(sysconf(_SC_CLK_TCK)), words[0] == "S" || words[0] == "Z"};
}

}  // namespace

std::optional<Activity> ActivityOf(pid_t process) {
  auto activity = OwnActivityOf(process);
  if (!activity) return std::nullopt;
  const std::string id = std::to_string(process);
  std::istringstream children(TextOf("/proc/" + id + "/task/" + id + "/children"));
  for (pid_t child = 0; children >> child;) {
    const auto other = ActivityOf(child);
    if (!other) continue;
    activity->processor_seconds += other->processor_seconds;
    activity->asleep = activity->asleep && other->asleep;
  }
  return activity;
}

void StuckWatch::Look(const std::string& flight_file, pid_t process) {
  const auto execution = ExecutionUnderWay(flight_file);
  const bool same = execution && execution == execution_;
  const auto activity = execution ? ActivityOf(process) : std::nullopt;
  if (!same || !activity) {
    *this = StuckWatch();
    if (activity) execution_ = execution, processor_before_ = activity->processor_seconds;
    return;
  }
  processor_ = std::max(processor_, activity->processor_seconds - processor_before_);
  const auto now = Clock::now();
  if (activity->asleep && asleep_since_) asleep_ += std::min(kLongestStep, std::chrono::duration<double>(now - *asleep_since_).count());
  asleep_since_ = activity->asleep ? std::optional(now) : std::nullopt;
}

}  // namespace normcheck::fuzz
