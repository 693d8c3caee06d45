// The one table of shapes that every verb calls kernels with: epsilons, widths, numbers of rows, and the sizes of large calls.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "properties/random.h"

namespace normcheck::properties {

// Epsilons that every sweep goes through: 0, 1e-12, 1e-8, 1e-5, 1e-3, 1 (nearest binary64 of the decimal).
std::span<const double> Epsilons();

// Widths around the vector widths: 1, 2, 3, N-1, N, N+1, 4N/3, 8N+2 for N = 4, 8, 16, 32, odd ones, powers of two, 4^k+1, up to
// 4096. Stable: the cases of a seed, and with them baselines, depend on this list.
std::span<const std::size_t> Widths();

// Hidden and feed-forward sizes of today's models, 64 to 53248.
std::span<const std::size_t> ModelWidths();

// Widths beyond 4096 at which 13, 14, 15 and 16 bits, shared memory and grids end: 8192 to 65537.
std::span<const std::size_t> WideWidths();

// Numbers of rows: decode and encode of language models, and around warps, blocks and grids: 1 to 131073.
std::span<const std::size_t> RowCounts();

struct CallSize {
  std::size_t rows = 0;
  std::size_t width = 0;

  std::size_t elements() const { return rows * width; }
  friend bool operator==(const CallSize&, const CallSize&) = default;
};

// Sizes of large calls, drawn so that no list can be learnt: each rows x width of at most `corner` elements is reached by one of
// them that has at least as many rows and is at least as wide. A fault that needs so many rows and so long rows is met, whatever
// the two are. About 70 sizes for corner = 950,000, each of 1 to 1.2 times as many elements.
// Requires: corner >= 12.
std::vector<CallSize> FrontierSizes(std::size_t corner, Random& random);
inline constexpr std::size_t kLargestCorner = 950'000;

// Each width and each number of rows of the tables above at least once, with a partner from the tables, and some sizes of no
// table: at most 2^18 elements, or one row. For faults of exact sizes.
std::vector<CallSize> TableSizes(Random& random);

}  // namespace normcheck::properties
