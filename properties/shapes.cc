// The table of shapes, the sizes of large calls, and the mix of shapes that one random case is drawn from.
#include "properties/shapes.h"

#include <algorithm>
#include <bit>

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

constexpr std::size_t kTableElements = std::size_t{1} << 18;
constexpr std::size_t kDrawnSizes = 24;

std::size_t OneUpTo(std::size_t limit, std::span<const std::size_t> choices, Random& random) {
  const auto fitting = std::ranges::count_if(choices, [&](std::size_t value) { return value <= limit; });
  std::uint64_t pick = random.Below(static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, fitting)));
  for (std::size_t value : choices)
    if (value <= limit && pick-- == 0) return value;
  return 1;
}

std::vector<std::size_t> AllWidths() {
  std::vector<std::size_t> all;
  for (const auto widths : {Widths(), ModelWidths(), WideWidths()}) all.insert(all.end(), widths.begin(), widths.end());
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

// Between 1 and 2^bits, each octave as likely as the next.
std::size_t DrawOctaves(int bits, Random& random) {
  const std::uint64_t octave = random.Below(static_cast<std::uint64_t>(bits));
  const std::uint64_t low = std::uint64_t{1} << octave;
  return static_cast<std::size_t>(low + random.Below(low));
}

CallSize DrawSize(Random& random) {
  const std::size_t width = DrawOctaves(17, random);
  const int bits = std::max(1, 18 - static_cast<int>(std::bit_width(width)));
  return {DrawOctaves(bits, random), width};
}

}  // namespace

// From the fewest rows to the most: no call so far has more than `rows`, so the next one is as wide as a corner with one row more
// may be, and has as many rows as a call may hold.
std::vector<CallSize> FrontierSizes(std::size_t corner, Random& random) {
  std::vector<CallSize> sizes;
  for (std::size_t rows = 0; rows < std::min(corner, RowCounts().back());) {
    const std::size_t least = corner / (rows + 1);
    const std::size_t width = least + random.Below(least / 32 + 1);
    const std::size_t most = corner + corner / 6 + random.Below(corner / 12);
    rows = most / width;
    sizes.push_back({rows, width});
  }
  return sizes;
}

std::vector<CallSize> TableSizes(Random& random) {
  const std::vector<std::size_t> widths = AllWidths();
  std::vector<CallSize> sizes;
  for (std::size_t width : widths) sizes.push_back({OneUpTo(kTableElements / width, RowCounts(), random), width});
  for (std::size_t rows : RowCounts()) sizes.push_back({rows, OneUpTo(kTableElements / rows, widths, random)});
  for (std::size_t i = 0; i < kDrawnSizes; ++i) sizes.push_back(DrawSize(random));
  return sizes;
}

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

std::span<const std::size_t> ModelWidths() {
  static constexpr std::size_t kModels[] = {64,   96,   128,  192,  256,  320,  384,  448,   512,   576,   640,   768,   896,   960,
                                            1024, 1152, 1280, 1408, 1536, 1600, 1792, 2048,  2304,  2560,  2688,  2816,  2880,  3072,
                                            3200, 3328, 3584, 3840, 4096, 4544, 4608, 4864,  5120,  5376,  5504,  5632,  6144,  6400,
                                            6656, 6912, 7168, 7680, 8192, 8960, 9216, 10240, 11008, 12288, 13824, 14336, 14848, 16384,
                                            18432, 18944, 20480, 21504, 22016, 24576, 25600, 27648, 28672, 29568, 49152, 53248};
  return kModels;
}

std::span<const std::size_t> WideWidths() {
  static constexpr std::size_t kWide[] = {4097,  8191,  8192,  8193,  12288, 16383, 16384, 16385,
                                          32767, 32768, 32769, 53248, 65535, 65536, 65537};
  return kWide;
}

std::span<const std::size_t> RowCounts() {
  static constexpr std::size_t kRowCounts[] = {1,   2,   3,   4,   7,   8,    13,   16,   31,   32,   33,    64,    100,   127,   128,   129,
                                          255, 256, 257, 511, 512, 1000, 1023, 1024, 1025, 4096, 4097, 16384, 32768, 65535, 65536, 65537, 131073};
  return kRowCounts;
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
