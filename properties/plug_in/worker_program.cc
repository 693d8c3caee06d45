// Looks in the few places where the program may be.
#include "properties/plug_in/worker_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace normcheck::properties::plug_in {
namespace {

std::string Place() {
  if (const char* given = std::getenv("NORMCHECK_WORKER")) return given;
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const auto beside = here / "normcheck_worker", installed = here / "../libexec/normcheck/normcheck_worker";
  for (const std::string& place : {beside.string(), installed.string(), std::string(NORMCHECK_WORKER_BUILT)})
    if (access(place.c_str(), X_OK) == 0) return place;
  return NORMCHECK_WORKER_INSTALLED;
}

}  // namespace

reference::Result<std::string> WorkerProgram() {
  const std::string program = Place();
  if (access(program.c_str(), X_OK) == 0) return program;
  return reference::Error{program + ": the program that runs plug-ins is missing; build normcheck_worker"};
}

}  // namespace normcheck::properties::plug_in
