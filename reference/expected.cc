// Checks the outputs that a case file states against the exact values.
#include <fmt/format.h>

#include <charconv>

#include "reference/case_judge.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::reference {
namespace {

constexpr int kMaxPower = 5000;

// digits*10^unit, one in the last digit written being 10^unit.
struct WrittenDecimal {
  Integer digits = 0;
  int unit = 0;
};

std::optional<int> ExponentOf(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int exponent = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(exponent) : std::nullopt;
}

std::optional<WrittenDecimal> ReadWritten(std::string_view text) {
  WrittenDecimal decimal;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t mark = text.find_first_of("eE");
  if (mark != std::string_view::npos) {
    const std::optional<int> exponent = ExponentOf(text.substr(mark + 1));
    if (!exponent || std::abs(*exponent) > kMaxPower) return std::nullopt;
    decimal.unit = *exponent;
    text = text.substr(0, mark);
  }
  if (text.empty() || text.size() > kMaxPower) return std::nullopt;
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) decimal.unit -= static_cast<int>(text.size() - point - 1);
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (k == point) continue;
    if (text[k] < '0' || text[k] > '9') return std::nullopt;
    decimal.digits = decimal.digits * 10 + (text[k] - '0');
  }
  if (negative) decimal.digits = -decimal.digits;
  return decimal;
}

// |y - digits*10^unit| <= 10^unit, exactly.
bool IsWithinOneUnit(const ExactElement& y, const WrittenDecimal& decimal) {
  const Dyadic power(pow(Integer(10), static_cast<unsigned>(std::abs(decimal.unit))), 0);
  const ExactElement scaled = decimal.unit < 0 ? y.Times(power) : y;
  const Dyadic unit = decimal.unit < 0 ? Dyadic(1) : power;
  const Dyadic middle = Dyadic(decimal.digits, 0) * unit;
  return scaled.Compare(middle - unit) >= 0 && scaled.Compare(middle + unit) <= 0;
}

bool IsDecimal(std::string_view text) {
  return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

bool AgreesDecimal(const RowJudge& judge, std::size_t i, std::string_view text) {
  const std::optional<ExactElement> y = judge.Element(i);
  const std::optional<WrittenDecimal> decimal = ReadWritten(text);
  if (!y || !decimal) return false;
  const bool exactly_zero = text == "0" || text == "-0";
  return exactly_zero ? y->Sign() == 0 : IsWithinOneUnit(*y, *decimal);
}

bool Agrees(const RowJudge& judge, std::size_t i, const std::string& text, Format format) {
  if (IsDecimal(text)) return AgreesDecimal(judge, i, text);
  const Result<Bits> stated = ParseNumber(text, format);
  if (!stated.ok()) return false;
  const Bits want = judge.Want(i);
  const bool zeros = ValueOf(want, format) == 0 && ValueOf(stated.value(), format) == 0;
  const std::optional<ExactElement> y = judge.Element(i);
  return want == stated.value() || (zeros && y && y->Sign() == 0);
}

Error Disagreement(const Case& c, std::size_t row, std::size_t i, const std::string& text, Bits want) {
  return {fmt::format("expected: row {}, element {}: \"{}\" is stated, the reference has {} ({}); mend the file", row, i, text,
                      HexText(want, c.formats.y), DecimalText(want, c.formats.y))};
}

}  // namespace

Result<bool> CheckExpected(const Case& c) {
  if (c.expected.empty()) return true;
  if (c.expected.size() != c.rows * c.width) return Error{"expected: not rows*width values; state each output or null"};
  const CaseValues values(c, c.epsilon, Subnormals::kKept);
  for (std::size_t row = 0; row < c.rows && c.width > 0; ++row) {
    const RowJudge judge(values, row, Contract{norm::ContractKind::kCorrectlyRounded, 0});
    for (std::size_t i = 0; i < c.width; ++i) {
      const Expected& stated = c.expected[row * c.width + i];
      if (stated && !Agrees(judge, i, *stated, c.formats.y)) return Disagreement(c, row, i, *stated, judge.Want(i));
    }
  }
  return true;
}

}  // namespace normcheck::reference
