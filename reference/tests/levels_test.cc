// The fast levels alone: their doubts against exact values, the same bits on every instruction set, and the rows on which
// 113 bits fail.
#include <gtest/gtest.h>

#include <cstring>

#include "reference/exact_rounding.h"
#include "reference/judge.h"
#include "reference/levels/case_levels.h"
#include "reference/levels/storage.h"
#include "reference/operations/operations.h"
#include "reference/tests/made_case.h"

namespace normcheck::reference::levels {
namespace {

const FilterLoops& Fastest() { return *AllFilterLoops().loops[0]; }

// A row of f32 values: plain, far from zero, spread over binades, or with an outlier.
std::vector<double> RowOf(std::size_t kind, std::size_t width, std::uint64_t& state) {
  std::vector<double> x(width);
  const auto next = [&] { state = state * 6364136223846793005U + 1442695040888963407U; return static_cast<double>(state >> 40) * 0x1p-23 - 1; };
  for (double& value : x) {
    value = next();
    if (kind % 4 == 1) value += 1000;
    if (kind % 4 == 2) value *= std::ldexp(1.0, static_cast<int>(32 * next()));
    value = static_cast<double>(static_cast<float>(value));
  }
  if (kind % 4 == 3) x[width / 2] = 0x1p20;
  return x;
}

struct Observed {
  double ratio = 0;  // |exact - value|/doubt, the largest
  void Add(const ExactElement& exact, const Estimate& estimate) {
    const Quad error = abs(Quad(exact.Value() - Quad(estimate.value.high) - Quad(estimate.value.low)));
    ratio = std::max(ratio, error == 0 ? 0 : static_cast<double>(Quad(error / estimate.doubt)));
  }
};

Estimate FilterEstimate(const FilterRow& row, double x, double gamma, double beta) {
  const double t = ((x - row.pivot) - row.shift) * row.inv_std_dev;
  const double y = gamma * t + beta;
  return {{y, 0}, std::abs(gamma) * (row.alpha * std::abs(t) + row.tau) + 3.1 * 0x1p-53 * std::abs(y)};
}

constexpr std::size_t kWidths[] = {1, 2, 3, 7, 8, 9, 64, 255, 768, 3000};

template <typename Visit>
void ForRows(Visit visit) {
  std::uint64_t state = 7;
  for (std::size_t width : kWidths)
    for (std::size_t kind = 0; kind < 4; ++kind)
      for (Op op : norm::kOps)
        for (double epsilon : {0.0, 1e-5, 1.0}) visit(op, RowOf(kind, width, state), epsilon);
}

// Every element with gamma and beta that cancel more and less of it.
template <typename At>
void ForElements(const ExactRow& exact, At at) {
  for (std::size_t i = 0; i < exact.values().size(); i += 1 + exact.values().size() / 50)
    for (double beta : {0.0, 0.75, -0x1.8p-10}) at(i, i % 2 == 0 ? 1.0 : -0x1.2468acp-1, beta);
}

TEST(Filter, ErrorStaysWithinItsDoubt) {
  Observed elements, means, roots;
  std::size_t filtered = 0;
  ForRows([&](Op op, const std::vector<double>& x, double epsilon) {
    const ExactRow exact(op, x, epsilon);
    const auto row = FilterOf(OperationOf(op), x, epsilon, Fastest());
    if (!row || exact.Undefined()) return;
    ++filtered;
    if (op == Op::kLayerNorm) means.Add(exact.Mean(), row->mean);
    roots.Add(exact.InvStdDev(), row->inv_std_dev);
    ForElements(exact, [&](std::size_t i, double gamma, double beta) {
      elements.Add(exact.Element(i, gamma, beta), FilterEstimate(row->row, x[i], gamma, beta));
    });
  });
  EXPECT_GT(filtered, 150U);
  for (const Observed& observed : {elements, means, roots}) {
    EXPECT_LT(observed.ratio, 1);
    EXPECT_GT(observed.ratio, 0x1p-4) << "a bound 16 times smaller must fail, or this test sees nothing";
  }
}

TEST(DoubleDoubleLevel, ErrorStaysWithinItsDoubt) {
  Observed exact_sums, compensated_sums;
  ForRows([&](Op op, const std::vector<double>& x, double epsilon) {
    const ExactRow exact(op, x, epsilon);
    if (exact.Undefined()) return;
    const DoubleDoubleRow row(exact);
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    const auto compensated = DoubleDoubleRow::Compensated(OperationOf(op), x, {*low, *high}, epsilon, Fastest());
    ForElements(exact, [&](std::size_t i, double gamma, double beta) {
      exact_sums.Add(exact.Element(i, gamma, beta), row.Element(i, gamma, beta));
      if (compensated) compensated_sums.Add(exact.Element(i, gamma, beta), compensated->Element(i, gamma, beta));
    });
    exact_sums.Add(exact.Scale(-3, 0.1), row.Scale(-3, 0.1));
    if (compensated) compensated_sums.Add(exact.Scale(-3, 0.1), compensated->Scale(-3, 0.1));
  });
  for (const Observed& observed : {exact_sums, compensated_sums}) {
    EXPECT_LT(observed.ratio, 1);
    EXPECT_GT(observed.ratio, 0x1p-10) << "a bound 1024 times smaller must fail, or this test sees nothing";
  }
}

// Everything that the loops give for one row, as bytes.
std::string BytesOf(const FilterLoops& loops, Op op, const std::vector<double>& x, PromisedUnit unit, Affine affine) {
  std::string bytes;
  const auto add = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto row = FilterOf(OperationOf(op), x, 1e-5, loops);
  if (!row) return "none";
  FilterRow filter = row->row;
  filter.inverse_ulp = 0x1p22;
  add(filter);
  const std::size_t count = std::min((x.size() + kLanes - 1) / kLanes * kLanes, kBlock);
  std::vector<double> padded(count), gamma(count, 0.7), beta(count, 0.1), got(count), ulp(count), row_ulp(count);
  std::copy_n(x.begin(), std::min(x.size(), count), padded.begin());
  for (std::size_t i = 0; i < count; ++i) got[i] = padded[i] * (1 + 0x1p-20 * static_cast<double>(i % 5));
  std::vector<std::int64_t> bin(count), row_bin(count);
  FilterLimits limits = {.min_normal = 0x1p-126, .max_finite = 0x1.fffffep127, .precision = 24, .affine = affine, .promised = unit, .k = 2, .pass_broken = 0};
  FilterCounts counts;
  loops.elements(filter, limits, {padded.data(), gamma.data(), beta.data(), got.data(), count, ulp.data(), row_ulp.data(), bin.data(), row_bin.data()}, counts);
  add(counts);
  for (std::size_t i = 0; i < count; ++i) {
    add(ulp[i]);
    add(row_ulp[i]);
    add(bin[i]);
    add(row_bin[i]);
  }
  return bytes;
}

TEST(Filter, EveryInstructionSetGivesTheSameBits) {
  const FilterLoopsList list = AllFilterLoops();
  ForRows([&](Op op, const std::vector<double>& x, double) {
    for (PromisedUnit unit : {PromisedUnit::kUlps, PromisedUnit::kRowUlps, PromisedUnit::kElsewhere})
      for (Affine affine : {Affine::kAbsent, Affine::kPresent})
        for (std::size_t k = 1; k < list.count; ++k)
          ASSERT_EQ(BytesOf(*list.loops[k], op, x, unit, affine), BytesOf(*list.loops[0], op, x, unit, affine)) << list.loops[k]->name << " " << x.size();
  });
}

TEST(Filter, ReadsEveryBitPattern) {
  const FilterLoopsList list = AllFilterLoops();
  for (Format format : norm::kFormats) {
    std::vector<Bits> bits;
    for (Bits b = 0; b < 65536; ++b) bits.push_back(format == Format::kF32 ? b << 16 | (b * 40503 & 0xffff) : b);
    for (std::size_t k = 0; k < list.count; ++k) {
      std::vector<double> values(bits.size());
      list.loops[k]->values(bits.data(), StorageOf(format), bits.size(), values.data());
      for (std::size_t i = 0; i < bits.size(); ++i) {
        const double want = ValueOf(bits[i], format);
        ASSERT_TRUE(std::isnan(want) ? std::isnan(values[i]) : values[i] == want && std::signbit(values[i]) == std::signbit(want)) << bits[i];
      }
    }
  }
}

Verdict JudgedAs(const Case& c, const std::vector<double>& y) {
  Outputs outputs;
  outputs.y = BitsOfAll(y, c.formats.y);
  return JudgeOutputs(c, outputs, Contract{norm::ContractKind::kCorrectlyRounded}, norm::EpsilonFormat::kF64, {});
}

// EXACT.md 2.3, where a 113-bit two-pass is wrong by 1e6 ulps, or rounds the wrong way.
TEST(Levels, WideSpreadIsJudgedExactly) {
  const Case c = RowCase(Op::kLayerNorm, {0x1p100, 0x1p-20, -0x1p100, 0x3p-20}, 1e-5);
  const double one = 0x1.6a09e6p+0;
  EXPECT_TRUE(JudgedAs(c, {one, 0, -one, 0x1.6a09e6p-119}).kept);
  const Verdict verdict = JudgedAs(c, {one, 0x1p-121, -one, 0x1.6a09e6p-119 * 0.875});
  EXPECT_EQ(verdict.tally.broken, 2U);
  EXPECT_EQ(verdict.worst->index, 1U);
  EXPECT_EQ(verdict.tally.correctly_rounded, 2U);
}

TEST(Levels, OneHotRowsHaveExactHalvesAndZeros) {
  const Case c = RowCase(Op::kLayerNorm, {1, 0, 0, 0, 0}, 0, {1, 1, 1, 1, 1}, {0.5, 0.5, 0.5, 0, 0});
  EXPECT_TRUE(JudgedAs(c, {2.5, 0, -0.0, -0.5, -0.5}).kept);
  EXPECT_EQ(JudgedAs(c, {2.5, 0x1p-114, 0, -0.5, -0.5}).tally.broken, 1U);
}

TEST(Levels, JustOffATieGoesToTheRightSide) {
  const double g = 0x1p-23, b = 1 + 0x1p-23;
  const Case c = RowCase(Op::kLayerNorm, {0x1p60, 0, 0, 0, 0}, 1e-5, {g, g, g, g, g}, {b, b, b, b, b});
  const Verdict verdict = JudgedAs(c, {1 + 0x3p-23, b, b, b, 1});
  EXPECT_EQ(verdict.tally.correctly_rounded, 4U);
  EXPECT_EQ(verdict.worst->index, 4U);
  const Case tie = RowCase(Op::kLayerNorm, {1, 0, 0, 0, 0}, 0, {g, g, g, g, g}, {b, b, b, b, b});
  EXPECT_EQ(JudgedAs(tie, {1 + 0x3p-23, 1, 1, 1, b}).tally.correctly_rounded, 4U) << "a tie goes to even";
}

TEST(Levels, BelowAPowerOfTwoTheUlpIsHalf) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 1, -1, 1}, 0x1p-40);  // |y| = 1 - 2^-41
  const Verdict verdict = JudgedAs(c, {-1, 1, -1 + 0x1p-24, 1 + 0x1p-23});
  EXPECT_EQ(verdict.tally.correctly_rounded, 2U);
  EXPECT_EQ(verdict.tally.max_ulp, ToQ20(2 + 0x1p-17)) << "(2^-23 + 2^-41)/2^-24";
  EXPECT_EQ(verdict.tally.levels[2], 0U);
}

TEST(Levels, NanIsBrokenAtTheFilter) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 0.3F, 0.9F}, 1e-5);
  const Verdict verdict = JudgedAs(c, {kNan, kNan, kNan});
  EXPECT_EQ(verdict.tally.class_faults, 3U);
  EXPECT_EQ(verdict.tally.broken, 3U);
  EXPECT_EQ(verdict.tally.levels[0], 3U);
  EXPECT_EQ(verdict.worst->fault, "nan where the reference has none");
}

}  // namespace
}  // namespace normcheck::reference::levels
