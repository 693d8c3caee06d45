// Numbers as text: hex floats for files, shortest decimals for people, and the way back.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "reference/decimal.h"
#include "reference/number.h"
#include "reference/quoted.h"

namespace normcheck::reference {
namespace {

constexpr std::string_view kNanPrefix = "nan:0x";

template <typename T>
std::string ShortestText(T value) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

// The first `digits` significant digits of the value, rounded.
double RoundedToDigits(double value, int digits) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits - 1).ptr;
  double out = 0;
  std::from_chars(buffer, end, out);
  return out;
}

// Five digits tell all 16-bit numbers apart; of texts of equal length the exact value's own is nicer (65504, not 65500).
std::string ShortestText16(Bits bits, Format format) {
  const double value = ValueOf(bits, format);
  const std::string exact = ShortestText(value);
  for (int digits = 1; digits <= 5; ++digits) {
    const double rounded = RoundedToDigits(value, digits);
    if (BitsOf(rounded, format) != bits) continue;
    const std::string text = ShortestText(rounded);
    return text.size() < exact.size() ? text : exact;
  }
  return exact;
}

std::string SpecialText(bool is_nan, bool negative) { return is_nan ? "nan" : negative ? "-inf" : "inf"; }

// The bits after "nan:0x", where they are a NaN of the format.
Result<Bits> ParseNanBits(std::string_view text, Format format) {
  const std::string_view digits = text.substr(kNanPrefix.size());
  const std::size_t width = 2 * norm::TraitsOf(format).bytes;
  Bits bits = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (fault == std::errc{} && end == digits.data() + digits.size() && digits.size() <= width && IsNan(bits, format))
    return bits;
  return Error{fmt::format("{} holds no NaN's bits of {}; write up to {} hex digits, as nan:0x{:0{}x}", Quoted(text),
                           norm::TraitsOf(format).name, width, CanonicalNan(format) + 1, width)};
}

// The digits of a hexadecimal literal's exact value, rounded to nothing: refused where they do not fit.
Result<double> FitHexText(const HexValue& value, std::string_view text, BinaryShape shape, std::string_view format) {
  const auto fitted = FitHex(value, shape);
  if (fitted) return *fitted;
  return Error{fmt::format("{} does not fit {} exactly ({} bits, exponents {} to {}); round it first, or write a decimal",
                           Quoted(text), format, shape.precision, shape.emin - shape.precision + 1, shape.emax)};
}

Result<double> ParseFinite(std::string_view text, BinaryShape shape, std::string_view format) {
  if (const auto hex = ReadHex(text)) return FitHexText(*hex, text, shape, format);
  const auto decimal = ReadDecimal(text);
  if (!decimal)
    return Error{fmt::format("{} is no number; write a decimal such as -1.5e-3 or a hex float such as 0x1.8p+3", Quoted(text))};
  const auto rounded = RoundDecimal(*decimal, shape);
  if (rounded) return *rounded;
  return Error{fmt::format("{} overflows {}; write a number within its range", Quoted(text), format)};
}

}  // namespace

std::string HexText(double value) {
  if (!std::isfinite(value)) return SpecialText(std::isnan(value), std::signbit(value));
  const std::string_view sign = std::signbit(value) ? "-" : "";
  if (value == 0) return fmt::format("{}0x0p+0", sign);
  int exponent = 0;
  const auto scaled = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 53));  // [2^52, 2^53)
  std::string fraction = fmt::format("{:013x}", scaled & 0xfffffffffffffu);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fmt::format("{}0x1{}{}p{:+d}", sign, fraction.empty() ? "" : ".", fraction, exponent - 1);
}

std::string HexText(Bits bits, Format format) {
  if (IsNan(bits, format) && bits != CanonicalNan(format))
    return fmt::format("{}{:0{}x}", kNanPrefix, bits, 2 * norm::TraitsOf(format).bytes);
  return HexText(ValueOf(bits, format));
}

std::string DecimalText(Bits bits, Format format) {
  if (!IsFinite(bits, format)) return SpecialText(IsNan(bits, format), IsNegative(bits, format));
  if (format != Format::kF32) return ShortestText16(bits, format);
  return ShortestText(std::bit_cast<float>(bits));
}

Result<Bits> ParseNumber(std::string_view text, Format format) {
  if (text == "nan") return CanonicalNan(format);
  if (text == "inf" || text == "-inf") return InfinityBits(format, text.front() == '-');
  if (text.starts_with(kNanPrefix)) return ParseNanBits(text, format);
  const auto value = ParseFinite(text, ShapeOf(format), norm::TraitsOf(format).name);
  if (!value.ok()) return Error{value.error()};
  return BitsOf(value.value(), format);
}

Result<double> ParseEpsilon(std::string_view text) {
  if (text.starts_with("nan") || text == "inf" || text == "-inf")
    return Error{fmt::format("{} is not finite; write a number >= 0 such as 1e-5", Quoted(text))};
  const auto value = ParseFinite(text, kBinary64, "binary64");
  if (!value.ok()) return value;
  if (value.value() < 0) return Error{fmt::format("{} is negative; write a number >= 0 such as 1e-5", Quoted(text))};
  return value.value() == 0 ? 0.0 : value.value();
}

}  // namespace normcheck::reference
