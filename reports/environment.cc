// Describes the machine, the build and the time of a report.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>

#include "norm/layer_norm.h"
#include "reports/report.h"

namespace normcheck::reports {
namespace {

std::string Compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

std::string Processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string System() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

std::string InstructionSet() {
  const std::vector<std::string_view> targets = norm::Targets();
  return targets.empty() ? "unknown" : std::string(targets.front());
}

}  // namespace

Environment DescribeEnvironment(unsigned threads) {
  return {{"normcheck", NORMCHECK_VERSION},
          {"compiler", Compiler()},
          {"instruction_set", InstructionSet()},
          {"processor", Processor()},
          {"system", System()},
          {"threads", std::to_string(threads)},
          {"time", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)))}};
}

}  // namespace normcheck::reports
