// Kernels of the user's own, by a text: a shared library, or a program.
#pragma once

#include <string>
#include <string_view>

#include "norm/kernel.h"
#include "reference/result.h"

namespace normcheck::properties::plug_in {

// True for "exec:COMMAND", for what holds a slash, and for names that end in ".so".
bool NamesPlugIn(std::string_view text);

// False for programs: rows are sent to them, so nothing can be asked of what they touch or of the state in which they return.
bool SeesTheCallersArrays(const norm::Kernel& kernel);

// Starts a first worker and asks for its description. The kernel's name is `text`; `run` calls a worker process, so that
// whatever the user's code does (crash, hang, exit, writing elsewhere) is a norm::KernelFault. Any thread may call it.
// Errors, in one line: no such file, another version of kernel.h, a missing symbol, an impossible description, no answer.
// Source: norm/include/normcheck/kernel.h and PROTOCOL.md.
reference::Result<norm::Kernel> LoadPlugIn(const std::string& text);

}  // namespace normcheck::properties::plug_in
