// Sentences broken into lines for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace normcheck::reference {

// The words of text on lines of at most 80 columns, each after `indent` blanks, the last one ended by a newline. A word that
// is longer has a line of its own.
std::string WrappedText(std::string_view text, std::size_t indent);

}  // namespace normcheck::reference
