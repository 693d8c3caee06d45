// Rows at the ends of the format and across it: exponent ladder, subnormal, near overflow.
#include "properties/families/kinds.h"
#include "properties/families/values.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// Exponents climb (or fall) in even steps between two random ones; significands are random.
void FillExponentLadder(const RowTask& task, Random& random) {
  const auto traits = norm::TraitsOf(task.formats.x);
  const int low = traits.emin - traits.precision + 1;
  const std::int64_t first = random.Between(low, traits.emax);
  const std::int64_t last = random.OneIn(2) ? traits.emax : random.Between(low, traits.emax);
  const auto steps = static_cast<std::int64_t>(task.x.size() > 1 ? task.x.size() - 1 : 1);
  for (std::size_t i = 0; i < task.x.size(); ++i) {
    const std::int64_t exponent = first + (last - first) * static_cast<std::int64_t>(i) / steps;
    task.x[i] = WithExponent(static_cast<int>(exponent), task.formats.x, random);
    if (!reference::IsFinite(task.x[i], task.formats.x)) task.x[i] = reference::MaxFinite(task.formats.x, false);
  }
}

// Subnormals of both signs; in every second row one element is the smallest normal or a zero.
void FillSubnormal(const RowTask& task, Random& random) {
  const auto traits = norm::TraitsOf(task.formats.x);
  const double unit = PowerOfTwo(traits.emin - traits.precision + 1);
  const std::uint64_t smallest_normal = std::uint64_t{1} << (traits.precision - 1);
  for (Bits& x : task.x) {
    const double steps = static_cast<double>(1 + random.Below(smallest_normal - 1));
    x = reference::BitsOf(EitherSign(steps * unit, random), task.formats.x);
  }
  if (!random.OneIn(2) || task.x.size() < 2) return;
  const double odd_one = random.OneIn(2) ? PowerOfTwo(traits.emin) : 0.0;
  task.x[random.Below(task.x.size())] = reference::BitsOf(EitherSign(odd_one, random), task.formats.x);
}

// The top binade, of one sign or both; one element in four is the largest finite value.
void FillNearOverflow(const RowTask& task, Random& random) {
  const Format format = task.formats.x;
  const bool one_sign = random.OneIn(2);
  for (Bits& x : task.x) {
    const bool negative = !one_sign && random.OneIn(2);
    const Bits largest = reference::MaxFinite(format, negative);
    const auto fractions = std::uint64_t{1} << (norm::TraitsOf(format).precision - 1);
    x = random.OneIn(4) ? largest : largest - static_cast<Bits>(random.Below(fractions));
  }
}

}  // namespace

const Family kExponentLadder = {"exponent-ladder", "exponents in even steps across the format", FillExponentLadder};
const Family kSubnormal = {"subnormal", "subnormals of both signs, at times with a zero or the smallest normal", FillSubnormal};
const Family kNearOverflow = {"near-overflow", "the format's top binade, largest value included", FillNearOverflow};

}  // namespace normcheck::properties
