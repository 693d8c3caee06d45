// The four ways to cross two cases.
#include "fuzz/crossover.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "properties/row_moves.h"

namespace normcheck::fuzz {
namespace {

using properties::Random;
using reference::Bits;
using reference::Case;

std::size_t PickBelow(Random& random, std::size_t count) { return static_cast<std::size_t>(random.Below(count)); }

// `count` rows of `width` made of those of c: each repeated or cut, and all of them over and over.
std::vector<Bits> Tiled(const Case& c, std::size_t count, std::size_t width) {
  std::vector<Bits> x(count * width);
  for (std::size_t row = 0; row < count && !c.x.empty(); ++row)
    for (std::size_t i = 0; i < width; ++i) x[row * width + i] = c.x[row % c.rows * c.width + i % c.width];
  return x;
}

std::optional<std::vector<Bits>> Fitted(const std::optional<std::vector<Bits>>& values, std::size_t width) {
  if (!values) return std::nullopt;
  std::vector<Bits> fitted(width);
  for (std::size_t i = 0; i < width && !values->empty(); ++i) fitted[i] = (*values)[i % values->size()];
  return fitted;
}

void CrossRows(Case& child, const Case& b, Random& random) {
  const std::vector<Bits> x = Tiled(b, child.rows, child.width);
  const std::size_t kept = PickBelow(random, child.rows);
  for (std::size_t row = 0; row < child.rows; ++row)
    if (row != kept && random.OneIn(2)) std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(row * child.width), child.width,
                                                    child.x.begin() + static_cast<std::ptrdiff_t>(row * child.width));
}

void CrossColumns(Case& child, const Case& b, Random& random) {
  const std::vector<Bits> x = Tiled(b, child.rows, child.width);
  const std::size_t from = PickBelow(random, child.width);
  for (std::size_t j = 0; j < x.size(); ++j)
    if (j % child.width >= from) child.x[j] = x[j];
  const auto join = [&](std::optional<std::vector<Bits>>& ours, const std::optional<std::vector<Bits>>& theirs) {
    if (!ours || !theirs || theirs->empty()) return;
    for (std::size_t i = from; i < ours->size(); ++i) (*ours)[i] = (*theirs)[i % theirs->size()];
  };
  join(child.gamma, b.gamma);
  join(child.beta, b.beta);
}

void CrossParameters(Case& child, const Case& b, Random& random) {
  if (!random.OneIn(4)) child.gamma = Fitted(b.gamma, child.width);
  if (!random.OneIn(4)) child.beta = Fitted(b.beta, child.width);
  if (!random.OneIn(4)) child.epsilon = b.epsilon;
}

void CrossShape(Case& child, const Case& b, Random&) {
  child.x = Tiled(child, b.rows, b.width);
  child.gamma = Fitted(child.gamma, b.width);
  child.beta = Fitted(child.beta, b.width);
  child.rows = b.rows;
  child.width = b.width;
  child.x_pitch = b.x_pitch;
  child.y_pitch = b.y_pitch;
}

}  // namespace

Case CrossCases(const Case& a, const Case& b, Random& random) {
  const Case theirs = properties::WithFormats(b, a.formats);
  Case child = a;
  if (child.x.empty() || theirs.x.empty()) return child;
  using Cross = void (*)(Case&, const Case&, Random&);
  static constexpr Cross kWays[] = {CrossRows, CrossColumns, CrossParameters, CrossShape};
  const std::size_t way = PickBelow(random, std::size(kWays));
  kWays[way == 0 && child.rows == 1 ? 1 : way](child, theirs, random);
  return child;
}

}  // namespace normcheck::fuzz
