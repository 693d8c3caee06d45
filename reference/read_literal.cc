// Reads decimal and hexadecimal literals into exact values.
#include <algorithm>
#include <bit>

#include "reference/decimal.h"

namespace normcheck::reference {
namespace {

constexpr std::int64_t kExponentLimit = 1'000'000'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool TakeSign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  return negative;
}

// The whole of text as [+-]digits, saturated at the limit.
std::optional<std::int64_t> ReadExponent(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  else if (text.starts_with('-')) {
    if (text.size() < 2 || text[1] == '-' || text[1] == '+') return std::nullopt;
    const auto value = ReadExponent(text.substr(1));
    return value ? std::optional(-*value) : std::nullopt;
  }
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsDigit)) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) value = std::min(kExponentLimit, value * 10 + (c - '0'));
  return value;
}

// Digits around at most one point: the digits alone, and how many of them stand before the point.
struct PointedDigits {
  std::string digits;
  std::int64_t before_point = 0;
};

template <typename IsGood>
std::optional<PointedDigits> ReadPointed(std::string_view text, IsGood is_good) {
  PointedDigits out;
  const std::size_t point = std::min(text.find('.'), text.size());
  out.before_point = static_cast<std::int64_t>(point);
  out.digits = text.substr(0, point);
  if (point < text.size()) out.digits += text.substr(point + 1);
  if (out.digits.empty() || !std::all_of(out.digits.begin(), out.digits.end(), is_good)) return std::nullopt;
  return out;
}

void StripZeros(PointedDigits& pointed) {
  const std::size_t first = std::min(pointed.digits.find_first_not_of('0'), pointed.digits.size());
  pointed.digits.erase(0, first);
  pointed.before_point -= static_cast<std::int64_t>(first);
  pointed.digits.erase(pointed.digits.find_last_not_of('0') + 1);
}

}  // namespace

std::optional<Decimal> ReadDecimal(std::string_view text) {
  Decimal out;
  out.negative = TakeSign(text);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const auto exponent = e < text.size() ? ReadExponent(text.substr(e + 1)) : std::int64_t{0};
  auto pointed = ReadPointed(text.substr(0, e), IsDigit);
  if (!exponent || !pointed) return std::nullopt;
  StripZeros(*pointed);
  out.magnitude = pointed->digits.empty() ? 0 : pointed->before_point + *exponent;
  out.digits = std::move(pointed->digits);
  return out;
}

std::optional<HexValue> ReadHex(std::string_view text) {
  HexValue out;
  out.negative = TakeSign(text);
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  text.remove_prefix(2);
  const std::size_t p = text.find_first_of("pP");
  if (p == std::string_view::npos) return std::nullopt;
  const auto exponent = ReadExponent(text.substr(p + 1));
  auto pointed = ReadPointed(text.substr(0, p), [](char c) { return HexDigit(c) >= 0; });
  if (!exponent || !pointed) return std::nullopt;
  StripZeros(*pointed);
  const auto count = static_cast<std::int64_t>(pointed->digits.size());
  out.wide = count > 16;
  if (out.wide || count == 0) return out;
  for (const char c : pointed->digits) out.significand = out.significand * 16 + static_cast<unsigned>(HexDigit(c));
  const int shift = std::countr_zero(out.significand);
  out.significand >>= shift;
  out.exponent = *exponent + 4 * (pointed->before_point - count) + shift;
  return out;
}

}  // namespace normcheck::reference
