// What the command line prints: text that any terminal can show, whatever bytes names and paths hold.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace normcheck::reports {

// Writes VisibleText of the text. A failed write sets the stream's error, which main looks at in the end; nothing throws.
void WriteResult(std::string_view text);   // stdout
void WriteMessage(std::string_view text);  // stderr

template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  WriteResult(fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
void PrintMessage(fmt::format_string<Args...> format, Args&&... args) {
  WriteMessage(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace normcheck::reports
