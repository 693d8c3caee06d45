// Rows of one or two values: constant, a few ulps from constant, and alternating.
#include <algorithm>

#include "properties/families/kinds.h"
#include "properties/families/values.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// A value worth repeating: zero, a decimal that is not exact in binary, a small integer, N(0,1), any finite bits.
Bits RepeatedValue(Format format, Random& random) {
  switch (random.Below(5)) {
    case 0: return 0;
    case 1: return reference::BitsOf(0.1 * static_cast<double>(random.Between(1, 99)), format);
    case 2: return reference::BitsOf(static_cast<double>(random.Between(-64, 64)), format);
    case 3: return reference::BitsOf(1e3 * random.Gaussian(), format);
    default: return AnyFinite(format, random);
  }
}

void FillConstant(const RowTask& task, Random& random) {
  std::ranges::fill(task.x, RepeatedValue(task.formats.x, random));
}

// One element in `rare` lies one to three storage steps from the others; a row may stay constant by chance.
void FillNearConstant(const RowTask& task, Random& random) {
  const Bits value = RepeatedValue(task.formats.x, random);
  const std::uint64_t rare = random.OneIn(2) ? 2 : std::max<std::uint64_t>(task.x.size(), 1);
  for (Bits& x : task.x) {
    const int steps = random.OneIn(rare) ? static_cast<int>(random.Between(-3, 3)) : 0;
    x = Neighbour(value, steps, task.formats.x);
  }
}

// a, b, a, b, ...: 1 and 3, c and -c, or a large value and its neighbour (the mean is then no number of the format).
void FillAlternating(const RowTask& task, Random& random) {
  const Format format = task.formats.x;
  Bits pair[2] = {reference::BitsOf(1, format), reference::BitsOf(3, format)};
  switch (random.Below(3)) {
    case 0: break;
    case 1:
      pair[0] = reference::BitsOf(random.Gaussian() * 100, format);
      pair[1] = reference::BitsOf(-reference::ValueOf(pair[0], format), format);
      break;
    default:
      pair[0] = WithExponent(static_cast<int>(random.Between(0, norm::TraitsOf(format).emax - 1)), format, random);
      pair[1] = Neighbour(pair[0], 1, format);
  }
  for (std::size_t i = 0; i < task.x.size(); ++i) task.x[i] = pair[i % 2];
}

}  // namespace

const Family kConstantRow = {"constant", "every element the same: zero, decimals, integers, any finite bits", FillConstant};
const Family kNearConstant = {"near-constant", "one value, some elements one to three storage steps away", FillNearConstant};
const Family kAlternating = {"alternating", "two values in turn: 1 and 3, c and -c, or neighbours", FillAlternating};

}  // namespace normcheck::properties
