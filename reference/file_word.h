// A kernel's name as part of a file's name.
#pragma once

#include <string>
#include <string_view>

namespace normcheck::reference {

// "./libmine.so" is "libmine.so": letters, digits and _.,+=@%- stay, other bytes become dashes, and it begins with neither dot
// nor dash. Longer than kMostFileWord: cut, with a number that tells it from others.
std::string FileWord(std::string_view name);

inline constexpr std::size_t kMostFileWord = 100;

}  // namespace normcheck::reference
