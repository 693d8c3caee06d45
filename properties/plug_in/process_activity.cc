// Reads /proc/PID/stat, and adds up.
#include "properties/plug_in/process_activity.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "properties/plug_in/child_process.h"

namespace normcheck::properties::plug_in {
namespace {

// A longer gap between two looks is no proof of sleep: whoever looks had no processor.
constexpr double kLongestStep = 0.25;
constexpr int kLimitsByTheClock = 20;

// Empty where the process is gone, which a read notices as well as the opening: a stream would throw.
std::string TextOf(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char bytes[1024];
  for (ssize_t got; file.open() && (got = read(file.number(), bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<std::size_t>(got));
  return text;
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
  return Activity{ticks / static_cast<double>(sysconf(_SC_CLK_TCK)), words[0] == "T", words[0] == "S" || words[0] == "Z"};
}

// Those of each thread: whoever starts processes may do so on a thread of its own.
std::vector<pid_t> ChildrenOf(pid_t process) {
  std::vector<pid_t> children;
  std::error_code gone;
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
    std::istringstream words(TextOf((task->path() / "children").string()));
    children.insert(children.end(), std::istream_iterator<pid_t>(words), {});
  }
  return children;
}

}  // namespace

std::optional<Activity> ActivityOf(pid_t process) {
  auto activity = OwnActivityOf(process);
  if (!activity) return std::nullopt;
  for (const pid_t child : ChildrenOf(process)) {
    const auto other = ActivityOf(child);
    if (!other) continue;
    activity->processor_seconds += other->processor_seconds;
    activity->asleep = activity->asleep && other->asleep;
  }
  return activity;
}

void SpentTime::Look(const Activity& activity) {
  if (!processor_before_) processor_before_ = activity.processor_seconds;
  processor_ = std::max(processor_, activity.processor_seconds - *processor_before_);
  const auto now = Clock::now();
  if (activity.asleep && asleep_since_) asleep_ += std::min(kLongestStep, std::chrono::duration<double>(now - *asleep_since_).count());
  asleep_since_ = activity.asleep ? std::optional(now) : std::nullopt;
}

// The limit by the clock comes first as well: a kernel of many threads spends processor time faster than it passes.
bool CallTimer::Over() {
  const auto activity = ActivityOf(process_);
  if (activity) spent_.Look(*activity);
  const auto passed = Clock::now() - start_;
  if (passed < limit_) return false;
  const double limit = std::chrono::duration<double>(limit_).count();
  const bool spent = spent_.seconds() >= limit - std::chrono::duration<double>(2 * kAskTimerEvery).count();
  if (activity && !spent && passed < kLimitsByTheClock * limit_) return false;
  stopped_ = activity && activity->stopped;
  starved_ = activity && !spent && !stopped_;
  return true;
}

}  // namespace normcheck::properties::plug_in
