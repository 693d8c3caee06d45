// Row families: the same bits from the same seed on every compiler, and rows that are what the id says.
#include "properties/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "norm/kernel.h"
#include "properties/parameters.h"
#include "properties/tests/family_hashes.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

constexpr std::size_t kWidth = 64;

Formats Only(Format format) { return {format, format, format}; }

Case Draw(const Family& family, Format format, std::uint64_t seed, std::size_t rows = 8) {
  Random random(Seed{seed});
  return MakeFamilyCase(family, {Op::kLayerNorm, Only(format), rows, kWidth, 1e-5}, random);
}

// FNV-1a over everything that a case holds.
std::uint64_t HashOf(const Case& c) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
  for (Bits bits : c.x) add(bits);
  for (const auto* values : {&c.gamma, &c.beta}) {
    add(values->has_value());
    if (*values)
      for (Bits bits : **values) add(bits);
  }
  add(c.x_pitch);
  add(c.y_pitch);
  return hash;
}

TEST(Families, AreInTheOrderThatBaselinesDependOn) {
  const char* kIds[] = {"gaussian", "offset-1e3", "offset-1e4", "offset-1e6", "offset-1e7", "constant", "near-constant", "outlier",
                        "outlier-huge", "cancelling-outliers", "exponent-ladder", "subnormal", "near-overflow", "alternating", "sparse",
                        "one-hot", "any-bits", "specials", "var-near-eps", "beta-cancels", "overflowing"};
  ASSERT_EQ(Families().size(), std::size(kIds));
  for (std::size_t i = 0; i < std::size(kIds); ++i) EXPECT_EQ(Families()[i].id, kIds[i]);
  EXPECT_EQ(FindFamily("no-such-family"), nullptr);
  EXPECT_EQ(FindFamily("one-hot")->id, "one-hot");
}

// The hashes were computed once with g++ 12 and stand in family_hashes.h; clang must find the same.
TEST(Families, SameSeedGivesTheCommittedBits) {
  std::size_t at = 0;
  for (const Family& family : Families()) {
    for (Format format : norm::kFormats) {
      ASSERT_LT(at, std::size(kFamilyHashes));
      EXPECT_EQ(HashOf(Draw(family, format, 1)), kFamilyHashes[at])
          << family.id << ' ' << norm::TraitsOf(format).name << " 0x" << std::hex << HashOf(Draw(family, format, 1));
      ++at;
    }
  }
  EXPECT_EQ(at, std::size(kFamilyHashes));
}

struct Row {
  std::vector<double> values;
  Format format;
  double max, mean, deviation;
  std::size_t zeros, distinct;
};

Row RowOf(const Case& c, std::size_t row) {
  Row r{{}, c.formats.x, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < c.width; ++i) r.values.push_back(reference::ValueOf(c.x[row * c.width + i], c.formats.x));
  const double width = static_cast<double>(c.width);
  for (double v : r.values) r.mean += v / width;
  for (double v : r.values) r.deviation += (v - r.mean) * (v - r.mean) / width;
  r.deviation = std::sqrt(r.deviation);
  for (double v : r.values) r.max = std::max(r.max, std::abs(v));
  r.zeros = static_cast<std::size_t>(std::ranges::count(r.values, 0.0));
  r.distinct = std::set<double>(r.values.begin(), r.values.end()).size();
  return r;
}

double Largest(const Row& r) { return reference::ValueOf(reference::MaxFinite(r.format, false), r.format); }
double SmallestNormal(const Row& r) { return std::ldexp(1.0, norm::TraitsOf(r.format).emin); }
std::size_t CountAbove(const Row& r, double limit) {
  return static_cast<std::size_t>(std::ranges::count_if(r.values, [&](double v) { return std::abs(v) > limit; }));
}
bool IsOffset(const Row& r, double offset) {
  const double expected = std::min(offset, Largest(r) / 4);
  return std::abs(std::abs(r.mean) / expected - 1) < 0.05 && r.distinct > 2 && r.deviation > 0.3;
}

// Each family's rows are what its id says after rounding; a chance of a near miss is left out of the condition.
const std::map<std::string_view, std::function<bool(const Row&)>> kTraits = {
    {"gaussian", [](const Row& r) { return r.max < 6 && std::abs(r.mean) < 1 && r.deviation > 0.5 && r.deviation < 1.6; }},
    {"offset-1e3", [](const Row& r) { return IsOffset(r, 1e3); }},
    {"offset-1e4", [](const Row& r) { return IsOffset(r, 1e4); }},
    {"offset-1e6", [](const Row& r) { return IsOffset(r, 1e6); }},
    {"offset-1e7", [](const Row& r) { return IsOffset(r, 1e7); }},
    {"constant", [](const Row& r) { return r.distinct == 1; }},
    {"near-constant", [](const Row& r) { return r.distinct <= 7; }},
    {"outlier", [](const Row& r) { return CountAbove(r, 8) == 1; }},
    {"outlier-huge", [](const Row& r) { return CountAbove(r, Largest(r) / 32) == 1; }},
    {"cancelling-outliers", [](const Row& r) { return CountAbove(r, 256) == 2 && std::abs(r.mean) * 64 < 300; }},
    {"exponent-ladder", [](const Row& r) { return r.distinct > 4; }},
    {"subnormal", [](const Row& r) { return CountAbove(r, SmallestNormal(r) * 0.9999999) <= 1 && r.zeros <= 1 && r.max > 0; }},
    {"near-overflow", [](const Row& r) { return CountAbove(r, Largest(r) * 0.49) == kWidth; }},
    {"alternating",
     [](const Row& r) {
       for (std::size_t i = 2; i < r.values.size(); ++i)
         if (r.values[i] != r.values[i - 2]) return false;
       return r.distinct == 2;
     }},
    {"sparse", [](const Row& r) { return r.zeros > kWidth / 2; }},
    {"one-hot", [](const Row& r) { return r.zeros == kWidth - 1; }},
    {"any-bits", [](const Row& r) { return r.distinct > kWidth / 2; }},
    {"specials", [](const Row& r) { return r.values.size() == kWidth; }},
    {"var-near-eps", [](const Row& r) { return r.deviation * r.deviation < 1e-5 * 150 && r.deviation * r.deviation > 1e-5 / 150; }},
    {"beta-cancels", [](const Row& r) { return r.max < 6; }},
    {"overflowing", [](const Row& r) { return r.max > 0 && r.zeros == 0 && CountAbove(r, r.max / 64) % (kWidth - 1) <= 1; }},
};

TEST(Families, RowsAreWhatTheIdSaysAfterRounding) {
  for (const Family& family : Families()) {
    ASSERT_TRUE(kTraits.contains(family.id)) << family.id;
    for (Format format : norm::kFormats)
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Case c = Draw(family, format, seed);
        for (std::size_t row = 0; row < c.rows; ++row) {
          if (family.id == "any-bits" && ClassesOf(c).nan) continue;
          EXPECT_TRUE(kTraits.at(family.id)(RowOf(c, row))) << family.id << ' ' << norm::TraitsOf(format).name << " seed " << seed << " row " << row;
        }
      }
  }
}

TEST(Families, SpecialsHoldEverySpecialValue) {
  for (Format format : norm::kFormats) {
    std::set<Bits> seen;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      for (Bits bits : Draw(*FindFamily("specials"), format, seed).x) seen.insert(bits);
    for (Bits want : {reference::CanonicalNan(format), reference::InfinityBits(format, false) + 1, reference::InfinityBits(format, false),
                      reference::InfinityBits(format, true), reference::BitsOf(-0.0, format), reference::MaxFinite(format, false), Bits{1}, Bits{0}})
      EXPECT_TRUE(seen.contains(want)) << std::hex << want;
  }
}

TEST(Families, BetaCancelsLeavesLittleOfTheFirstRow) {
  const Case c = Draw(*FindFamily("beta-cancels"), Format::kF32, 3);
  const Row row = RowOf(c, 0);
  ASSERT_TRUE(c.beta);
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double gamma = c.gamma ? reference::ValueOf((*c.gamma)[i], Format::kF32) : 1;
    const double term = gamma * (row.values[i] - row.mean) / std::sqrt(row.deviation * row.deviation + c.epsilon);
    EXPECT_LE(std::abs(term + reference::ValueOf((*c.beta)[i], Format::kF32)), std::abs(term) * 0x1p-23);
  }
}

// A4: in every format of y that the parameters reach, outputs beyond the format by less than a quarter and by more than twice.
TEST(Families, OverflowingLeavesEveryFormatByALittleAndByMuch) {
  for (const norm::Formats formats : norm::ProductionFormats())
    for (const Op op : norm::kOps) {
      const int reach = norm::TraitsOf(formats.params).emax - norm::TraitsOf(formats.y).emax;
      if (reach < 0 || (reach == 0 && op == Op::kL2Norm)) continue;  // L2 norm's |xhat| is at most 1
      std::size_t finite = 0, little = 0, much = 0;
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(Seed{seed});
        const Case c = MakeFamilyCase(*FindFamily("overflowing"), {op, formats, 2, kWidth, 1e-5}, random);
        const std::vector<double> xhat = XhatOfFirstRow(c);
        for (std::size_t i = 0; i < kWidth; ++i) {
          const double beta = c.beta ? reference::ValueOf((*c.beta)[i], formats.params) : 0;
          const double y = std::abs(reference::ValueOf((*c.gamma)[i], formats.params) * xhat[i] + beta);
          const double end = std::ldexp(1.0, norm::TraitsOf(formats.y).emax + 1);
          finite += y < end;
          little += y >= end && y < 1.25 * end;
          much += y >= 2 * end;
        }
      }
      EXPECT_GT(std::min({finite, little, much}), 10u) << norm::NameOf(op) << ' ' << norm::TraitsOf(formats.y).name << finite << ' ' << little << ' ' << much;
    }
}

TEST(Families, FillEveryWidthDownToOne) {
  for (const Family& family : Families())
    for (std::size_t width : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
      Random random(Seed{9});
      const Case c = MakeFamilyCase(family, {Op::kRmsNorm, {}, 2, width, 0}, random);
      EXPECT_EQ(c.x.size(), 2 * width);
      EXPECT_TRUE(c.x_pitch >= width && c.y_pitch >= width);
    }
}

TEST(Shapes, WidthsAreSortedAndSurroundTheVectorWidths) {
  const auto widths = Widths();
  EXPECT_TRUE(std::ranges::is_sorted(widths));
  for (std::size_t n : {4u, 8u, 16u, 32u})
    for (std::size_t want : {n - 1, n, n + 1, 4 * n / 3, 8 * n + 2}) EXPECT_TRUE(std::ranges::binary_search(widths, want)) << want;
  EXPECT_EQ(widths.front(), 1u);
  EXPECT_EQ(widths.back(), 4096u);
}

}  // namespace
}  // namespace normcheck::properties
