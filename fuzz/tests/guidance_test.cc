// Counters rise for a worse row of a class and only then; levels and classes are those that the header states.
#include "fuzz/guidance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::fuzz {
namespace {

using norm::ContractKind;
using reference::Case;
using reference::Verdict;

Verdict WithRatio(double ratio, ContractKind kind = ContractKind::kRowUlp) {
  Verdict verdict;
  verdict.contract.kind = kind;
  verdict.tally.judged = 1;
  verdict.tally.max_bound_ratio = reference::ToQ20(ratio);
  return verdict;
}

// One row 1, 2, ..., width, each times `scale` and plus `offset`.
Case Ramp(std::size_t width, double scale, double offset, norm::Format format = norm::Format::kF32) {
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {format, format, format}, 1, width, 0x1p-17);
  for (std::size_t i = 0; i < width; ++i) c.x[i] = reference::BitsOf(offset + scale * static_cast<double>(i + 1), format);
  return c;
}

// What libFuzzer calls new: counters set now that were never set before.
class Seen {
 public:
  int New(const Case& c, const Verdict& verdict) {
    std::vector<std::uint8_t> counters(kGuidanceBytes);
    NoteError(c, verdict, counters);
    int fresh = 0;
    for (std::size_t i = 0; i < counters.size(); ++i)
      if (counters[i] != 0 && ever_.insert(i).second) ++fresh;
    return fresh;
  }

 private:
  std::set<std::size_t> ever_;
};

TEST(Guidance, AWorseRowOfItsClassAndOnlyThatIsNew) {
  Seen seen;
  const Case c = Ramp(8, 1, 0);
  EXPECT_GT(seen.New(c, WithRatio(0.1)), 0);
  EXPECT_EQ(seen.New(c, WithRatio(0.1)), 0);
  EXPECT_EQ(seen.New(c, WithRatio(0.01)), 0);
  EXPECT_GT(seen.New(c, WithRatio(0.2)), 0);
  EXPECT_EQ(seen.New(c, WithRatio(0.15)), 0);
  EXPECT_GT(seen.New(c, WithRatio(1.5)), 0) << "a broken promise is worse than a kept one";
  EXPECT_GT(seen.New(c, WithRatio(1e6)), 0) << "and there is worse";
}

TEST(Guidance, AnExactRowSetsNothing) {
  Seen seen;
  EXPECT_EQ(seen.New(Ramp(8, 1, 0), WithRatio(0)), 0);
  EXPECT_EQ(seen.New(reference::MakeCase(norm::Op::kLayerNorm, {}, 0, 0, 1), WithRatio(0.5)), 0);
}

TEST(Guidance, ClassesDoNotShareCounters) {
  Seen seen;
  EXPECT_GT(seen.New(Ramp(8, 1, 0), WithRatio(0.9)), 0);
  EXPECT_GT(seen.New(Ramp(8, 1, 1e6), WithRatio(0.5)), 0) << "condition";
  EXPECT_GT(seen.New(Ramp(100, 1, 0), WithRatio(0.5)), 0) << "size";
  EXPECT_GT(seen.New(Ramp(8, 1e-6, 0), WithRatio(0.5)), 0) << "variance below epsilon";
  EXPECT_GT(seen.New(Ramp(8, 1, 0, norm::Format::kF16), WithRatio(0.5)), 0) << "format";
}

TEST(Guidance, TheClassIsThatOfTheWorstRow) {
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, 2, 8, 0x1p-17);
  const Case near = Ramp(8, 1, 0);
  const Case far = Ramp(8, 1, 1e6);
  std::ranges::copy(near.x, c.x.begin());
  std::ranges::copy(far.x, c.x.begin() + 8);
  EXPECT_EQ(ErrorClassOf(c, 0), ErrorClassOf(near, 0));
  EXPECT_EQ(ErrorClassOf(c, 1), ErrorClassOf(far, 0));
  Seen seen;
  EXPECT_GT(seen.New(near, WithRatio(0.5)), 0);
  Verdict verdict = WithRatio(0.5);
  verdict.worst.emplace();
  EXPECT_EQ(seen.New(c, verdict), 0);
  verdict.worst->row = 1;
  EXPECT_GT(seen.New(c, verdict), 0);
}

TEST(Guidance, LevelsRiseWithTheErrorAndFitTheirRange) {
  for (const ContractKind kind : {ContractKind::kRowUlp, ContractKind::kUlp, ContractKind::kProfile, ContractKind::kCorrectlyRounded}) {
    int last = 0;
    for (double ratio = 0x1p-20; ratio < 0x1p+42; ratio *= 1.01) {
      const int level = ErrorLevelOf(WithRatio(ratio, kind));
      ASSERT_GE(level, last) << ratio;
      ASSERT_GE(level, 1);
      ASSERT_LE(level, kErrorLevels);
      last = level;
    }
    EXPECT_EQ(last, kErrorLevels);
  }
}

// For a correctly rounded kernel 0.4 ulp says little more than 0.3; what counts is how close the exact value lies to the
// boundary between two results.
TEST(Guidance, BelowHalfAnUlpTheDistanceToTheBoundaryCounts) {
  const auto level = [](double distance) { return ErrorLevelOf(WithRatio(1 - distance, ContractKind::kCorrectlyRounded)); };
  EXPECT_LT(level(0x1p-3), level(0x1p-6));
  EXPECT_LT(level(0x1p-6), level(0x1p-12));
  EXPECT_LT(level(0x1p-12), level(0x1p-18));
  EXPECT_EQ(ErrorLevelOf(WithRatio(0x1p-18, ContractKind::kCorrectlyRounded)), ErrorLevelOf(WithRatio(0x1p-4, ContractKind::kCorrectlyRounded)));
}

TEST(Guidance, RowUlpsGuideWhereNothingIsPromised) {
  Verdict verdict;
  verdict.tally.no_promise = 4;
  verdict.tally.max_row_ulp = reference::ToQ20(8);
  const int at_eight = ErrorLevelOf(verdict);
  verdict.tally.max_row_ulp = reference::ToQ20(1e6);
  EXPECT_GT(ErrorLevelOf(verdict), at_eight);
  EXPECT_GT(at_eight, 0);
}

// At observed/promised 1, as the last rounding gives on any well-conditioned row, there is still something to climb.
TEST(Guidance, RowUlpsGoOnWhereTheRatioCannot) {
  Seen seen;
  const Case c = Ramp(8, 1, 0);
  Verdict verdict = WithRatio(1, ContractKind::kProfile);
  verdict.tally.max_row_ulp = reference::ToQ20(8);
  EXPECT_GT(seen.New(c, verdict), 0);
  EXPECT_EQ(seen.New(c, verdict), 0);
  verdict.tally.max_row_ulp = reference::ToQ20(100);
  EXPECT_GT(seen.New(c, verdict), 0);
  verdict.tally.max_row_ulp = reference::ToQ20(1e9);
  verdict.tally.no_promise = 1;
  EXPECT_EQ(seen.New(c, verdict), 0) << "nothing is promised there";
}

TEST(Guidance, ClassesStayInRangeForEveryRow) {
  const double hard[] = {0, 1e-40, 1, 1e30, 3e38, -3e38};
  for (const norm::Op op : norm::kOps)
    for (const double a : hard)
      for (const double b : hard)
        for (const double epsilon : {0.0, 1e-5, 1e300})
          for (const std::size_t width : {1u, 17u, 65u, 600u}) {
            Case c = reference::MakeCase(op, {}, 1, width, epsilon);
            for (std::size_t i = 0; i < width; ++i) c.x[i] = reference::BitsOf(i % 2 == 0 ? a : b, norm::Format::kF32);
            const int at = ErrorClassOf(c, 0);
            ASSERT_GE(at, 0);
            ASSERT_LT(at, kErrorClasses);
          }
  Case nan = reference::MakeCase(norm::Op::kRmsNorm, {}, 1, 4, 0);
  nan.x[1] = reference::CanonicalNan(norm::Format::kF32);
  EXPECT_LT(ErrorClassOf(nan, 0), kErrorClasses);
}

TEST(Guidance, IsTheSizeThatTheHeaderStates) { EXPECT_EQ(ExtraCounters().size(), 9840u); }

}  // namespace
}  // namespace normcheck::fuzz
