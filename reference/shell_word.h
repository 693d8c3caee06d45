// Quotes text for the command lines that normcheck prints.
#pragma once

#include <string>
#include <string_view>

namespace normcheck::reference {

// Text as one word of a POSIX shell, in printable ASCII and whole UTF-8 characters: bytes that a terminal or a JSON file
// could not show are written as "$(printf '\033')". (Text that ends in a newline, which $(...) would drop, is quoted as it is.)
std::string ShellWord(std::string_view text);

// "./normcheck judge --kernel K [--contract C] FILE", each a word.
std::string JudgeLine(std::string_view kernel, std::string_view contract, std::string_view file);

}  // namespace normcheck::reference
