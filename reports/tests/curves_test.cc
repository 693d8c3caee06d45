// The curves of a report: what theory says of a kernel shows in them, and no error passes its promise.
#include "reports/curves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "properties/kernels.h"

namespace normcheck::reports {
namespace {

using properties::Seed;

std::vector<Curve> CurvesOf(const std::string& name) {
  const auto kernel = properties::FindKernel(name);
  EXPECT_TRUE(kernel.ok()) << name;
  return MeasureCurves(kernel.value(), std::nullopt, Seed{1});
}

const CurvePoint& At(const std::vector<Curve>& curves, std::string_view id, double at) {
  const auto curve = std::ranges::find(curves, id, &Curve::id);
  return *std::ranges::find(curve->points, at, &CurvePoint::at);
}

double ErrorAt(const std::vector<Curve>& curves, std::string_view id, double at) {
  return reference::FromQ20(At(curves, id, at).tally.max_row_ulp);
}

TEST(Curves, CorrectRoundingIsHalfAnUlpEverywhere) {
  for (const Curve& curve : CurvesOf("layer_norm"))
    for (const CurvePoint& point : curve.points) {
      EXPECT_GT(point.tally.scored, 0u) << curve.id << point.at;
      EXPECT_LE(reference::FromQ20(point.tally.max_row_ulp), 0.5) << curve.id << point.at;
      EXPECT_EQ(point.bound_row_ulp, 0.5);
    }
}

// var is off by about u*(offset/sigma)^2 relative to itself where it is sum(x^2)/H - mean^2, by u*(offset/sigma) at the most otherwise.
TEST(Curves, OnePassClimbsWithTheSquareOfTheOffset) {
  const auto one = CurvesOf("honest:one-pass-lanes8-f32"), two = CurvesOf("honest:two-pass-lanes8-f32");
  EXPECT_LT(ErrorAt(one, "offset-over-sigma", 1), 16);
  EXPECT_GT(ErrorAt(one, "offset-over-sigma", 1024), 0x1p10);
  EXPECT_LT(ErrorAt(two, "offset-over-sigma", 1024), 0x1p10);
}

TEST(Curves, NoErrorPassesItsPromise) {
  for (const char* name : {"honest:two-pass-lanes8-f32", "honest:one-pass-recursive-f32", "honest:welford-recursive-f32"}) {
    const auto curves = CurvesOf(name);
    EXPECT_TRUE(At(curves, "width", 64).bound_row_ulp) << name;
    for (const Curve& curve : curves)
      for (const CurvePoint& point : curve.points) {
        if (!point.bound_row_ulp) continue;
        EXPECT_LE(reference::FromQ20(point.tally.max_row_ulp), *point.bound_row_ulp) << name << curve.id << point.at;
      }
  }
}

TEST(Curves, MisplacedEpsilonShowsWhereTheVarianceIsSmall) {
  const auto curves = CurvesOf("mutant:eps-after-root");
  EXPECT_GT(ErrorAt(curves, "var-over-epsilon", 0x1p-20), 0x1p20);
  EXPECT_LT(ErrorAt(curves, "var-over-epsilon", 0x1p20), 0x1p8);
}

TEST(Curves, OffsetsEndWhereTheRowWouldBecomeConstant) {
  const auto curves = CurvesOf("layer_norm");
  EXPECT_EQ(curves.at(0).points.size(), 23u);  // 2^0 ... 2^22 in f32
  EXPECT_EQ(At(curves, "offset-over-sigma", 0x1p22).tally.undefined, 0u);
  EXPECT_EQ(curves.at(1).points.back().at, 4097);
}

}  // namespace
}  // namespace normcheck::reports
