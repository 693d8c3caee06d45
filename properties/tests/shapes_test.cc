// The table of shapes, and that the sizes of large calls leave no corner of rows and width out (FAULTS.md A1, A2, A3).
#include "properties/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace normcheck::properties {
namespace {

// The widest call that has at least so many rows.
std::size_t WidestFrom(std::size_t rows, const std::vector<CallSize>& sizes) {
  std::size_t widest = 0;
  for (const CallSize& size : sizes)
    if (size.rows >= rows) widest = std::max(widest, size.width);
  return widest;
}

TEST(Frontier, ReachesEveryCornerOfRowsAndWidth) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(Seed{seed});
    const auto sizes = FrontierSizes(kLargestCorner, random);
    for (std::size_t rows = 1; rows <= RowCounts().back(); ++rows)
      ASSERT_GE(WidestFrom(rows, sizes), kLargestCorner / rows) << rows << " rows, seed " << seed;
  }
}

TEST(Frontier, IsAboutSeventyCallsOfAboutAMillionElements) {
  Random random(Seed{1});
  const auto sizes = FrontierSizes(kLargestCorner, random);
  EXPECT_GE(sizes.size(), 50u);
  EXPECT_LE(sizes.size(), 90u);
  for (const CallSize& size : sizes) EXPECT_LE(size.elements(), kLargestCorner * 5 / 4) << size.rows << " x " << size.width;
}

TEST(Frontier, IsDrawnSoThatNoListCanBeLearnt) {
  Random one(Seed{1}), other(Seed{2}), again(Seed{1});
  const auto sizes = FrontierSizes(kLargestCorner, one);
  EXPECT_EQ(sizes, FrontierSizes(kLargestCorner, again));
  const auto others = FrontierSizes(kLargestCorner, other);
  const auto same = std::ranges::count_if(sizes, [&](const CallSize& size) { return std::ranges::find(others, size) != others.end(); });
  EXPECT_LE(same, 10);
}

// A2: the widths of the report, each in calls of one or a few rows; n16 of CASES2.md needs 53,248.
TEST(Table, HoldsEveryWidthAndNumberOfRows) {
  Random random(Seed{3});
  const auto sizes = TableSizes(random);
  for (std::size_t width : {1u, 768u, 4096u, 8192u, 12288u, 16384u, 16385u, 32768u, 53248u, 65535u, 65536u, 65537u})
    EXPECT_NE(std::ranges::find(sizes, width, &CallSize::width), sizes.end()) << width;
  for (std::size_t rows : {1u, 2u, 13u, 16u, 31u, 32u, 33u, 64u, 127u, 128u, 129u, 255u, 256u, 257u, 512u, 1000u, 1024u, 4097u, 65535u, 65536u, 65537u, 131073u})
    EXPECT_NE(std::ranges::find(sizes, rows, &CallSize::rows), sizes.end()) << rows;
  for (const CallSize& size : sizes) EXPECT_TRUE(size.rows > 0 && size.width > 0 && (size.rows == 1 || size.elements() <= 1u << 18));
}

}  // namespace
}  // namespace normcheck::properties
