// Writes to the standard streams.
#include "reports/cli/print.h"

#include <cstdio>
#include <string>

#include "reference/visible_text.h"

namespace normcheck::reports {
namespace {

void Write(std::string_view text, std::FILE* stream) {
  const std::string visible = reference::VisibleText(text);
  static_cast<void>(std::fwrite(visible.data(), 1, visible.size(), stream));
}

}  // namespace

void WriteResult(std::string_view text) { Write(text, stdout); }

void WriteMessage(std::string_view text) { Write(text, stderr); }

}  // namespace normcheck::reports
