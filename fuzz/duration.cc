// "60s", "10m", "2h" as seconds.
#include <charconv>
#include <cmath>

#include "fuzz/campaign.h"

namespace normcheck::fuzz {
namespace {

constexpr double kLongest = 1000 * 3600.0;

double SecondsOf(char unit) {
  switch (unit) {
    case 's': return 1;
    case 'm': return 60;
    case 'h': return 3600;
    default: return 0;
  }
}

}  // namespace

reference::Result<double> ParseDuration(std::string_view text) {
  double amount = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, amount, std::chars_format::fixed);
  const double unit = fault == std::errc{} && rest + 1 == end ? SecondsOf(*rest) : 0;
  const double seconds = amount * unit;
  if (std::isfinite(seconds) && seconds > 0 && seconds <= kLongest) return seconds;
  return reference::Error{"'" + std::string(text) + "': no duration; write 60s, 10m or 2h (at most 1000h)"};
}

}  // namespace normcheck::fuzz
