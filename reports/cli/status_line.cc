// Draws progress on stderr.
#include "reports/cli/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

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
    fmt::print(stderr, "\r\x1b[K{}", text.substr(0, Columns() - 1));
    std::fflush(stderr);
    drawn_ = true;
    next_ = now + kRedraw;
  } else {
    fmt::print(stderr, "{}\n", text);
    next_ = now + kLogEvery;
  }
}

void StatusLine::Clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace normcheck::reports
