// Epsilons, widths, and the mix of shapes that one random case is drawn from.
#include <algorithm>

#include "properties/families.h"

namespace normcheck::properties {
namespace {

// The exact judge takes about 3 us an element: most cases are narrow, one in eight may have any width; 250 elements on average.
std::size_t DrawWidth(std::size_t max_width, Random& random) {
  const std::uint64_t draw = random.Below(32);
  const std::size_t mix = draw < 12 ? 17 : draw < 22 ? 66 : draw < 28 ? 512 : max_width;
  const std::size_t limit = std::min(mix, std::max<std::size_t>(max_width, 1));
  const auto widths = Widths();
  const auto fitting = std::ranges::upper_bound(widths, limit) - widths.begin();
  return widths[random.Below(static_cast<std::uint64_t>(fitting))];
}

}  // namespace

std::span<const double> Epsilons() {
  static constexpr double kEpsilons[] = {0, 1e-12, 1e-8, 1e-5, 1e-3, 1};
  return kEpsilons;
}

std::span<const std::size_t> Widths() {
  static constexpr std::size_t kWidths[] = {1,  2,  3,  4,  5,   7,   8,   9,   10,  13,  15,   16,   17,   21,   31,   32,   33,  34,
                                            42, 61, 63, 64, 65,  66,  127, 128, 130, 255, 256,  257,  258,  511,  512,  769,  1023,
                                            1024, 1025, 2048, 4095, 4096};
  return kWidths;
}

Case MakeAnyCase(Random& random, std::span<const Op> ops, std::span<const Formats> formats, std::size_t max_width,
                 const Family** drawn) {
  Shape shape;
  shape.op = ops[random.Below(ops.size())];
  shape.formats = formats[random.Below(formats.size())];
  shape.width = DrawWidth(max_width, random);
  shape.rows = shape.width > 66 || random.OneIn(2) ? 1 : 2 + random.Below(3);
  shape.epsilon = Epsilons()[random.Below(Epsilons().size())];
  const Family& family = Families()[random.Below(Families().size())];
  if (drawn != nullptr) *drawn = &family;
  return MakeFamilyCase(family, shape, random);
}

}  // namespace normcheck::properties
