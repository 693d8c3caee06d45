// Random cases of every shape that a case file can hold, special values and odd pitches included.
#pragma once

#include <cmath>
#include <random>

#include "reference/case.h"

namespace normcheck::reference {

inline std::vector<Formats> AllTriples() {
  std::vector<Formats> out;
  for (const Format x : norm::kFormats)
    for (const Format params : norm::kFormats)
      for (const Format y : norm::kFormats) out.push_back({x, params, y});
  return out;
}

inline Bits RandomBits(std::mt19937_64& random, Format format) {
  return static_cast<Bits>(random()) & (norm::TraitsOf(format).bytes == 2 ? 0xffffu : 0xffffffffu);
}

inline Case RandomCase(std::mt19937_64& random, const Formats& formats) {
  const double epsilons[] = {0, 0x1p-1074, 1e-12, 1e-5, 1, 0x1.fffffffffffffp+1023};
  Case c = MakeCase(norm::kOps[random() % std::size(norm::kOps)], formats, random() % 4, random() % 9, epsilons[random() % 6]);
  for (Bits& bits : c.x) bits = RandomBits(random, formats.x);
  const auto parameters = [&]() -> std::optional<std::vector<Bits>> {
    if (random() % 2 == 0) return std::nullopt;
    std::vector<Bits> out(c.width);
    for (Bits& bits : out) bits = RandomBits(random, formats.params);
    return out;
  };
  c.gamma = parameters();
  c.beta = parameters();
  if (random() % 2 == 0) c.x_pitch += c.rows == 1 ? (std::size_t{1} << 31) + 5 : random() % 3;
  if (random() % 2 == 0) c.y_pitch += random() % 3;
  return c;
}

}  // namespace normcheck::reference
