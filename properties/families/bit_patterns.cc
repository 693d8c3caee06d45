// Rows of raw bit patterns: any bits, and rows with special values planted.
#include "properties/families/kinds.h"
#include "properties/families/values.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// Uniform bits. NaN and infinity would fill nearly every wide row (one f16 pattern in 32): only one row in eight keeps them.
void FillAnyBits(const RowTask& task, Random& random) {
  const bool any = random.OneIn(8);
  const unsigned storage_bits = static_cast<unsigned>(8 * norm::TraitsOf(task.formats.x).bytes);
  for (Bits& x : task.x)
    x = any ? static_cast<Bits>(random.Below(std::uint64_t{1} << storage_bits)) : AnyFinite(task.formats.x, random);
}

Bits SpecialValue(Format format, Random& random) {
  switch (random.Below(8)) {
    case 0: return reference::CanonicalNan(format);
    case 1: return reference::InfinityBits(format, false) + 1;  // a signalling NaN
    case 2: return reference::InfinityBits(format, false);
    case 3: return reference::InfinityBits(format, true);
    case 4: return reference::BitsOf(-0.0, format);
    case 5: return reference::MaxFinite(format, random.OneIn(2));
    case 6: return 1;  // the smallest subnormal
    default: return 0;
  }
}

void FillSpecials(const RowTask& task, Random& random) {
  kGaussian.fill(task, random);
  const std::uint64_t planted = 1 + random.Below(2);
  for (std::uint64_t i = 0; i < planted; ++i)
    task.x[random.Below(task.x.size())] = SpecialValue(task.formats.x, random);
}

}  // namespace

const Family kAnyBits = {"any-bits", "uniform finite bits, in one row of eight NaN and infinity too", FillAnyBits};
const Family kSpecials = {"specials", "N(0,1) with one or two of NaN, infinities, zeros, largest, smallest", FillSpecials};

}  // namespace normcheck::properties
