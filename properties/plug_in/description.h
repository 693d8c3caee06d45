// What a plug-in says of itself, as the text of PROTOCOL.md, and the kernel that it describes.
#pragma once

#include <string>
#include <string_view>

#include "norm/kernel.h"
#include "reference/result.h"

namespace normcheck::properties::plug_in {

// `text` as the plug-in wrote it, "normcheck 1" to the empty line. The kernel has everything but its name and `run`; its name
// stands in `about`. Impossible descriptions (unknown words, no op, no format, no such contract, no name, ...) are errors that
// name the line.
reference::Result<norm::Kernel> ReadDescription(std::string_view text);

// The text with spaces for control characters.
std::string OneLine(std::string text);

}  // namespace normcheck::properties::plug_in
