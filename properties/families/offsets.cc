// Rows around a mean: N(0,1), and the same far from zero, where uncentred formulas cancel.
#include <algorithm>

#include "properties/families/kinds.h"
#include "properties/families/values.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

void FillGaussian(const RowTask& task, Random& random) {
  for (Bits& x : task.x) x = reference::BitsOf(random.Gaussian(), task.formats.x);
}

// The offset is at most a quarter of the largest finite value (f16: 16,376), and the deviation at least four neighbours'
// distances at the offset: so the row stays a row after rounding, with the largest mean/deviation that its format can hold.
void FillOffset(double wanted, const RowTask& task, Random& random) {
  const Format format = task.formats.x;
  const double offset = std::min(wanted, reference::ValueOf(reference::MaxFinite(format, false), format) / 4);
  const double deviation = std::max(1.0, 4 * SpacingAt(offset, format));
  const double mean = EitherSign(offset, random);
  for (Bits& x : task.x) x = reference::BitsOf(mean + deviation * random.Gaussian(), format);
}

}  // namespace

const Family kGaussian = {"gaussian", "independent elements of mean 0 and variance 1", FillGaussian};
const Family kOffset1e3 = {"offset-1e3", "mean +-1e3, deviation 1 or four ulps of the mean",
                           [](const RowTask& task, Random& random) { FillOffset(1e3, task, random); }};
const Family kOffset1e4 = {"offset-1e4", "mean +-1e4, deviation 1 or four ulps of the mean",
                           [](const RowTask& task, Random& random) { FillOffset(1e4, task, random); }};
const Family kOffset1e6 = {"offset-1e6", "mean +-1e6 (f16: 16376), deviation 1 or four ulps of the mean",
                           [](const RowTask& task, Random& random) { FillOffset(1e6, task, random); }};
const Family kOffset1e7 = {"offset-1e7", "mean +-1e7 (f16: 16376), deviation 1 or four ulps of the mean",
                           [](const RowTask& task, Random& random) { FillOffset(1e7, task, random); }};

}  // namespace normcheck::properties
