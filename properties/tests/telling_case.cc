// Draws telling cases.
#include "properties/tests/telling_case.h"

#include <cmath>

#include "properties/families/values.h"
#include "properties/parameters.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

template <typename T>
const T& Any(const std::vector<T>& values, Random& random) {
  return values[random.Below(values.size())];
}

// In deviations: how far the row lies from zero.
double DrawOffset(Random& random, std::string_view id) {
  const bool large = id == "one-pass-variance" || id == "f32-mean-large-offset" || id == "folded-scale-bias";
  constexpr double kSmall[] = {0, 0.5, 1, 3, 8};
  constexpr double kLarge[] = {100, 1000, 5000, 20000, 100000};
  return large ? kLarge[random.Below(5)] : kSmall[random.Below(5)];
}

double DrawScale(Random& random, double epsilon, Format format, std::string_view id) {
  const double near = std::sqrt(epsilon > 0 ? epsilon : 1e-6) * PowerOfTwo(static_cast<int>(random.Between(-4, 4)));
  if (id != "flush-to-zero") return near;
  return std::sqrt(epsilon) * PowerOfTwo(norm::TraitsOf(format).emin - static_cast<int>(random.Between(0, 2)));
}

}  // namespace

Case TellingCase(Random& random, const norm::Kernel& kernel, std::string_view id) {
  constexpr double kEpsilons[] = {1e-12, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 0.7};
  Shape shape;
  shape.op = Any(kernel.ops, random);
  shape.formats = Any(kernel.formats, random);
  shape.rows = 1 + random.Below(4);
  shape.width = static_cast<std::size_t>(random.Between(2, random.OneIn(3) ? 150 : 40));
  shape.epsilon = kEpsilons[random.Below(8)];
  Case c = reference::MakeCase(shape.op, shape.formats, shape.rows, shape.width, shape.epsilon);
  const double scale = DrawScale(random, shape.epsilon, shape.formats.y, id);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const double offset = DrawOffset(random, id);
    for (std::size_t i = 0; i < shape.width; ++i)
      c.x[row * shape.width + i] = reference::BitsOf(scale * (random.Gaussian() + offset), c.formats.x);
  }
  DrawGamma(c, random);
  DrawBeta(c, random);
  if (id == "flush-to-zero") c.beta.reset();
  return c;
}

Case WideCase(Random& random, const norm::Kernel& kernel, std::size_t width) {
  Case c = reference::MakeCase(kernel.ops.front(), {}, 2, width, 1e-5);
  for (Bits& x : c.x) x = reference::BitsOf(0.01 * (random.Gaussian() + 1), c.formats.x);
  c.gamma.emplace(width);
  c.beta.emplace(width);
  for (std::size_t i = 0; i < width; ++i) {
    (*c.gamma)[i] = reference::BitsOf(1 + 0.25 * random.Gaussian(), c.formats.params);
    (*c.beta)[i] = reference::BitsOf(0.25 * random.Gaussian(), c.formats.params);
  }
  return c;
}

}  // namespace normcheck::properties
