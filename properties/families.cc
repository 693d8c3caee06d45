// The families in order, and whole cases made of them.
#include "properties/families.h"

#include <algorithm>

#include "properties/families/kinds.h"
#include "properties/parameters.h"

namespace normcheck::properties {

std::span<const Family> Families() {
  static const Family kAll[] = {kGaussian,     kOffset1e3,   kOffset1e4,   kOffset1e6,          kOffset1e7,
                                kConstantRow,  kNearConstant, kOutlier,    kOutlierHuge,        kCancellingOutliers,
                                kExponentLadder, kSubnormal, kNearOverflow, kAlternating,       kSparse,
                                kOneHot,       kAnyBits,     kSpecials,    kVarNearEps,         kBetaCancels,
                                kOverflowing};
  return kAll;
}

const Family* FindFamily(std::string_view id) {
  const auto found = std::ranges::find(Families(), id, &Family::id);
  return found == Families().end() ? nullptr : &*found;
}

Case MakeFamilyCase(const Family& family, const Shape& shape, Random& random) {
  Case c = reference::MakeCase(shape.op, shape.formats, shape.rows, shape.width, shape.epsilon);
  if (shape.width > 0) {
    for (std::size_t row = 0; row < shape.rows; ++row)
      family.fill({shape.op, shape.formats, shape.epsilon, std::span(c.x).subspan(row * shape.width, shape.width)}, random);
  }
  DrawGamma(c, random);
  DrawBeta(c, random);
  if (family.parameters != nullptr) family.parameters(c, random);
  if (random.OneIn(3)) {
    c.x_pitch += random.Below(17);
    c.y_pitch += random.Below(17);
  }
  return c;
}

}  // namespace normcheck::properties
