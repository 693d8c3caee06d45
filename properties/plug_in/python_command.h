// The command that serves a function of a Python file (reports/python).
#pragma once

#include <string>

namespace normcheck::properties::plug_in {

// A shell command for exec:. The interpreter is that of the virtual environment that is active, or python3 of PATH; the package is
// that of NORMCHECK_PYTHON, of the source tree or of the installation.
std::string PythonCommand(const std::string& file, const std::string& function);

}  // namespace normcheck::properties::plug_in
