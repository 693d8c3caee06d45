// Draws progress on stderr.
#include "reports/cli/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "reports/cli/print.h"

namespace normcheck::reports {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(200);
constexpr auto kLogEvery = std::chrono::seconds(10);

std::size_t Columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80u;
}

}  // namespace

StatusLine::StatusLine()
    : terminal_(isatty(STDERR_FILENO) != 0), next_(terminal_ ? Clock::now() : Clock::now() + kLogEvery) {}

void StatusLine::Show(const std::string& text) {
  const auto now = Clock::now();
  if (now < next_) return;
  if (terminal_) {
    std::fputs("\r\x1b[K", stderr);
    WriteMessage(text.substr(0, Columns() - 1));
    std::fflush(stderr);
    drawn_ = true;
    next_ = now + kRedraw;
  } else {
    WriteMessage(text + "\n");
    next_ = now + kLogEvery;
  }
}

void StatusLine::Clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace normcheck::reports
