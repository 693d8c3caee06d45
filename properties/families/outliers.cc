// Rows in which few elements carry everything: outliers, cancelling outliers, sparse and one-hot rows.
#include <algorithm>

#include "properties/families/kinds.h"
#include "properties/families/values.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

Bits& AnyElement(const RowTask& task, Random& random) { return task.x[random.Below(task.x.size())]; }

// The elements beside an outlier: zeros, ones, or N(0,1).
void FillGround(const RowTask& task, Random& random) {
  const std::uint64_t kind = random.Below(3);
  for (Bits& x : task.x) {
    const double value = kind == 0 ? 0.0 : kind == 1 ? 1.0 : random.Gaussian();
    x = reference::BitsOf(value, task.formats.x);
  }
}

// (0, 0, 0, 1000) first among them: 10, 100, 1000 or 10000.
void FillOutlier(const RowTask& task, Random& random) {
  FillGround(task, random);
  double size = 1000;
  if (random.OneIn(2)) size = 10;
  if (random.OneIn(3)) size *= 10;
  AnyElement(task, random) = reference::BitsOf(EitherSign(size, random), task.formats.x);
}

void FillOutlierHuge(const RowTask& task, Random& random) {
  FillGround(task, random);
  const int emax = norm::TraitsOf(task.formats.x).emax;
  AnyElement(task, random) = WithExponent(emax - static_cast<int>(random.Below(4)), task.formats.x, random);
}

// B, -B and small elements: a mean that is small because large terms cancel. B is beyond the precision of the rest.
void FillCancellingOutliers(const RowTask& task, Random& random) {
  FillGround(task, random);
  const auto traits = norm::TraitsOf(task.formats.x);
  const int low = std::min(traits.precision + 1, traits.emax - 1);
  const Bits outlier = WithExponent(static_cast<int>(random.Between(low, traits.emax - 1)), task.formats.x, random);
  const std::size_t first = random.Below(task.x.size());
  task.x[first] = outlier;
  if (task.x.size() < 2) return;
  const std::size_t second = (first + 1 + random.Below(task.x.size() - 1)) % task.x.size();
  task.x[second] = reference::BitsOf(-reference::ValueOf(outlier, task.formats.x), task.formats.x);
}

// Zeros of both signs with about one element in eight drawn from N(0,1).
void FillSparse(const RowTask& task, Random& random) {
  for (Bits& x : task.x) {
    const double value = random.OneIn(8) ? random.Gaussian() : EitherSign(0.0, random);
    x = reference::BitsOf(value, task.formats.x);
  }
}

void FillOneHot(const RowTask& task, Random& random) {
  std::ranges::fill(task.x, Bits{0});
  const Format format = task.formats.x;
  const int exponent = static_cast<int>(random.Between(-12, 12));
  AnyElement(task, random) = random.OneIn(2) ? reference::BitsOf(EitherSign(PowerOfTwo(exponent), random), format)
                                             : WithExponent(exponent, format, random);
}

}  // namespace

const Family kOutlier = {"outlier", "one element of 10 to 10000 among zeros, ones or N(0,1)", FillOutlier};
const Family kOutlierHuge = {"outlier-huge", "one element near the format's largest among small ones", FillOutlierHuge};
const Family kCancellingOutliers = {"cancelling-outliers", "two huge elements that cancel, among small ones", FillCancellingOutliers};
const Family kSparse = {"sparse", "zeros of both signs, one element in eight N(0,1)", FillSparse};
const Family kOneHot = {"one-hot", "one element, the others zero: exact ties and zeros at widths 4^k+1", FillOneHot};

}  // namespace normcheck::properties
