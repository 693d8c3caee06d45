// Single quotes, or printf where they would carry bytes that cannot be shown.
#include "reference/shell_word.h"

#include <fmt/format.h>

#include <algorithm>

namespace normcheck::reference {
namespace {

bool IsPlain(char c) {
  constexpr std::string_view kOthers = "_-.,:/+=@%";
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || kOthers.find(c) != std::string_view::npos;
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

// Bytes of the UTF-8 character at the front: 1 to 4, or 0 where there is none. Overlong forms, surrogates and the control
// characters U+0080 to U+009F count as none.
std::size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) < 0x80) return 1;
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned lead = byte(0) << 8 | byte(1);
  const bool overlong = (lead >= 0xe080 && lead < 0xe0a0) || (lead >= 0xf080 && lead < 0xf090);
  const bool no_character = (lead >= 0xeda0 && lead < 0xee00) || lead >= 0xf490 || (lead >= 0xc280 && lead < 0xc2a0);
  return overlong || no_character ? 0 : bytes;
}

bool IsShown(std::string_view text) {
  for (std::size_t bytes = 0; !text.empty(); text.remove_prefix(bytes)) {
    bytes = CharacterBytes(text);
    if (bytes == 0 || IsControl(text.front())) return false;
  }
  return true;
}

std::string SingleQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Every byte that printf, the quotes or a terminal would take for something else goes in octal.
std::string Printed(std::string_view text) {
  std::string format;
  for (const char c : text) {
    const bool option = format.empty() && c == '-';
    if (c == '%') format += "%%";
    else if (c > '~' || c < ' ' || c == '\'' || c == '\\' || option) format += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else format += c;
  }
  return "\"$(printf '" + format + "')\"";
}

}  // namespace

std::string ShellWord(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, IsPlain)) return std::string(text);
  return IsShown(text) || text.ends_with('\n') ? SingleQuoted(text) : Printed(text);
}

std::string JudgeLine(std::string_view kernel, std::string_view contract, std::string_view file) {
  const std::string given = contract.empty() ? "" : " --contract " + ShellWord(contract);
  return fmt::format("./normcheck judge --kernel {}{} {}", ShellWord(kernel), given, ShellWord(file));
}

}  // namespace normcheck::reference
