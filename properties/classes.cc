// Tells what a case really is after rounding to its format.
#include <algorithm>
#include <bit>

#include "properties/families.h"
#include "reference/number.h"
#include "reference/plain_moments.h"

namespace normcheck::properties {
namespace {

constexpr std::size_t kLanes = 16;

void ClassifyElement(Bits bits, Format format, CaseClasses& classes) {
  const auto traits = norm::TraitsOf(format);
  const Bits magnitude = bits & ((Bits{1} << (8 * traits.bytes - 1)) - 1);
  const Bits largest = reference::MaxFinite(format, false);
  const Bits smallest_normal = Bits{1} << (traits.precision - 1);
  const bool negative = reference::IsNegative(bits, format);
  classes.nan |= reference::IsNan(bits, format);
  classes.infinite |= reference::IsInfinite(bits, format);
  classes.negative_zero |= magnitude == 0 && negative;
  classes.subnormal |= magnitude > 0 && magnitude < smallest_normal;
  classes.near_overflow |= magnitude <= largest && magnitude > largest - smallest_normal;
}

// The spread against epsilon, a factor 16 being near. Binary64 holds the squares of every format.
void ClassifyVariance(const Case& c, std::span<const Bits> row, CaseClasses& classes) {
  const double spread = reference::PlainMomentsOf(c.op, row, c.formats.x).spread;
  classes.var_below_eps |= spread < c.epsilon / 16;
  classes.var_near_eps |= c.epsilon > 0 && spread >= c.epsilon / 16 && spread <= c.epsilon * 16;
  classes.var_above_eps |= spread > c.epsilon * 16;
}

}  // namespace

CaseClasses ClassesOf(const Case& c) {
  CaseClasses classes;
  for (Bits bits : c.x) ClassifyElement(bits, c.formats.x, classes);
  for (std::size_t r = 0; r < c.rows && c.width > 0; ++r) {
    const auto row = std::span(c.x).subspan(r * c.width, c.width);
    const bool finite = std::ranges::all_of(row, [&](Bits bits) { return reference::IsFinite(bits, c.formats.x); });
    if (!finite) continue;
    classes.constant |= c.width > 1 && std::ranges::all_of(row, [&](Bits bits) {
      return reference::ValueOf(bits, c.formats.x) == reference::ValueOf(row[0], c.formats.x);
    });
    ClassifyVariance(c, row, classes);
  }
  classes.tail = c.width % kLanes != 0;
  classes.pitched = c.x_pitch > c.width || c.y_pitch > c.width;
  classes.width_one = c.width == 1;
  return classes;
}

}  // namespace normcheck::properties
