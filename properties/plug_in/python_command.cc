// Finds interpreter and package.
#include "properties/plug_in/python_command.h"

#include <cstdlib>
#include <filesystem>

#include "reference/shell_word.h"

namespace normcheck::properties::plug_in {
namespace {

std::string Interpreter() {
  const char* const environment = std::getenv("VIRTUAL_ENV");
  return environment == nullptr ? "python3" : std::string(environment) + "/bin/python3";
}

std::string PackageFolder() {
  if (const char* given = std::getenv("NORMCHECK_PYTHON")) return given;
  std::error_code ignored;
  const bool source = std::filesystem::is_directory(NORMCHECK_PYTHON_SOURCE, ignored);
  return source ? NORMCHECK_PYTHON_SOURCE : NORMCHECK_PYTHON_INSTALLED;
}

}  // namespace

std::string PythonCommand(const std::string& file, const std::string& function) {
  using reference::ShellWord;
  return "PYTHONPATH=" + ShellWord(PackageFolder()) + "${PYTHONPATH:+:$PYTHONPATH} exec " + ShellWord(Interpreter()) +
         " -m normcheck " + ShellWord(file) + " " + ShellWord(function);
}

}  // namespace normcheck::properties::plug_in
