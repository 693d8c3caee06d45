// Comparisons of double-double numbers with their doubt.
#include "reference/levels/estimate.h"

#include <algorithm>
#include <cmath>

namespace normcheck::reference::levels {
namespace {

using norm::TraitsOf;

// value > limit. The difference loses at most 2^-52 of itself: close numbers subtract exactly, and others leave no doubt.
std::optional<bool> IsAbove(const DoubleDouble& value, double doubt, double limit) {
  const double difference = (value.high - limit) + value.low;
  if (!(std::abs(difference) * (1 - 0x1p-50) > doubt)) return std::nullopt;
  return difference > 0;
}

double PowerOfTwo(int exponent) { return std::ldexp(1.0, exponent); }

double LargestFinite(Format format) {
  const norm::FormatTraits traits = TraitsOf(format);
  return std::ldexp(2 - PowerOfTwo(1 - traits.precision), traits.emax);
}

std::optional<int> BinadeOf(const DoubleDouble& magnitude, double doubt) {
  const int exponent = std::ilogb(magnitude.high);
  const auto above_lower = IsAbove(magnitude, doubt, PowerOfTwo(exponent));
  const auto above_upper = IsAbove(magnitude, doubt, PowerOfTwo(exponent + 1));
  if (!above_lower || !above_upper || *above_upper) return std::nullopt;
  if (*above_lower) return exponent;
  if (IsAbove(magnitude, doubt, PowerOfTwo(exponent - 1)).value_or(false)) return exponent - 1;
  return std::nullopt;
}

// A zero that Y rounds to has Y's sign; an exact zero takes either.
bool HasRightSign(const Estimate& y, double got) {
  return got != 0 || y.Sign() == 0 || std::signbit(got) == (y.Sign() < 0);
}

}  // namespace

std::optional<int> UlpExponentOf(const Estimate& y, Format format) {
  const norm::FormatTraits traits = TraitsOf(format);
  const DoubleDouble magnitude = Magnitude(y.value);
  const auto normal = IsAbove(magnitude, y.doubt, PowerOfTwo(traits.emin));
  if (normal && !*normal) return traits.emin - traits.precision + 1;
  if (y.doubt == 0 && magnitude.low == 0) return std::clamp(std::ilogb(magnitude.high), traits.emin, traits.emax) - traits.precision + 1;
  if (!normal) return std::nullopt;
  const auto binade = BinadeOf(magnitude, y.doubt);
  if (!binade) return std::nullopt;
  return std::clamp(*binade, traits.emin, traits.emax) - traits.precision + 1;
}

std::optional<bool> Measured::Exceeds(double limit) const { return IsAbove(error, doubt, limit); }

std::optional<Measured> Measure(const Estimate& y, double got, Format format) {
  const auto exponent = UlpExponentOf(y, format);
  const double size = std::abs(y.value.high);
  if (!exponent || !std::isfinite(got) || !(size + y.doubt <= LargestFinite(format))) return std::nullopt;
  if (!(size > y.doubt) && y.doubt != 0) return std::nullopt;
  const DoubleDouble sum = ExactSumOf(got, -y.value.high);
  const DoubleDouble error = Normalized(sum.high, sum.low - y.value.low);
  Measured measured;
  measured.ulp_exponent = *exponent;
  measured.error = Magnitude(error);
  measured.doubt = y.doubt == 0 && y.value.low == 0 ? 0 : y.doubt + 0x1p-104 * (std::abs(got) + size);
  measured.bias_sign = y.Sign() * (error.high > 0 ? 1 : error.high < 0 ? -1 : 0);
  const auto beyond = measured.Exceeds(PowerOfTwo(*exponent - 1));
  if (!beyond) return std::nullopt;
  measured.correctly_rounded = !*beyond && HasRightSign(y, got);
  return measured;
}

}  // namespace normcheck::reference::levels
