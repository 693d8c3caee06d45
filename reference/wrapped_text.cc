// Greedy line breaking.
#include "reference/wrapped_text.h"

namespace normcheck::reference {

std::string WrappedText(std::string_view text, std::size_t indent) {
  constexpr std::size_t kColumns = 80;
  std::string wrapped(indent, ' ');
  std::size_t column = indent;
  for (std::size_t from = 0; from < text.size();) {
    const std::string_view word = text.substr(from, text.find(' ', from) - from);
    if (column > indent) {
      const bool fits = column + 1 + word.size() <= kColumns;
      wrapped += fits ? " " : "\n" + std::string(indent, ' ');
      column = fits ? column + 1 : indent;
    }
    wrapped += word;
    column += word.size();
    from += word.size() + 1;
  }
  return wrapped + "\n";
}

}  // namespace normcheck::reference
