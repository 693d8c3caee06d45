// splitmix64 (Steele, Lea, Flood 2014) and the draws made from it, with integers and exact + - * alone.
#include "properties/random.h"

namespace normcheck::properties {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

constexpr std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t Random::Next() { return Mix(state_ += kGolden); }

std::uint64_t Random::Below(std::uint64_t bound) {
  // Draws above the largest multiple of bound would favour small results.
  const std::uint64_t rejected = (0 - bound) % bound;
  std::uint64_t draw = Next();
  while (draw < rejected) draw = Next();
  return draw % bound;
}

std::int64_t Random::Between(std::int64_t low, std::int64_t high) {
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t step = span == 0 ? Next() : Below(span);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
}

double Random::Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

double Random::Gaussian() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += Unit();
  return sum;
}

Random Random::Fork(std::uint64_t stream) const { return Random(Seed{Mix(state_ + kGolden * 3) ^ Mix(stream + kGolden)}); }

}  // namespace normcheck::properties
