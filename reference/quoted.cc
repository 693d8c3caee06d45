// Escapes and cuts text for messages.
#include "reference/quoted.h"

#include <fmt/format.h>

namespace normcheck::reference {

std::string Printable(std::string_view text) {
  constexpr std::size_t kShown = 48;
  std::string out;
  for (const char c : text.substr(0, kShown)) {
    if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > kShown ? out + "..." : out;
}

std::string Quoted(std::string_view text) { return "'" + Printable(text) + "'"; }

}  // namespace normcheck::reference
