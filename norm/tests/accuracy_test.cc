// Hard rows within 0.501 row ulps on every target, 5 by the fast tier, against a compensated two-pass in x87 long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>

#include "norm/kernel.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "the reference needs 11 bits more than binary64");
using Real = long double;

Real CompensatedTotal(const std::vector<double>& x, const std::function<Real(Real)>& term) {
  Real high = 0;
  Real low = 0;
  for (double value : x) {
    const Real next = term(value);
    const Real total = high + next;
    low += std::fabs(high) >= std::fabs(next) ? (high - total) + next : (next - total) + high;
    high = total;
  }
  return high + low;
}

// xhat by the definition. Error about 2^-60 of the row's largest |xhat| on these rows.
std::vector<Real> ReferenceXhat(Op op, const std::vector<double>& x, double epsilon) {
  const auto width = static_cast<Real>(x.size());
  const Real mean = op == Op::kLayerNorm ? CompensatedTotal(x, [](Real v) { return v; }) / width : 0;
  const Real variance = CompensatedTotal(x, [mean](Real v) { return (v - mean) * (v - mean); }) / width;
  std::vector<Real> xhat;
  for (double value : x) xhat.push_back((value - mean) / std::sqrt(variance + epsilon));
  return xhat;
}

Real UlpOf(Format format, Real magnitude) {
  const FormatTraits traits = TraitsOf(format);
  const int binade = magnitude == 0 ? traits.emin : std::clamp(std::ilogb(magnitude), traits.emin, traits.emax);
  return std::ldexp(Real{1}, binade - traits.precision + 1);
}

// A row family, scaled to the format: `unit` is the largest power of two whose row cannot overflow the format.
struct Family {
  std::string_view name;
  std::function<std::vector<double>(std::size_t width, const FormatTraits& traits)> row;
};

std::vector<double> Outlier(std::size_t width, double background, double value) {
  std::vector<double> x(width, background);
  x.back() = value;
  return x;
}

const Family kFamilies[] = {
    {"uniform", [](std::size_t width, const FormatTraits&) { return RandomValues(width, 1, 2); }},
    {"offset 1e7 (f32), as far in the others", [](std::size_t width, const FormatTraits& t) { return RandomValues(width, 2, 4, std::ldexp(1.19, t.precision - 1)); }},
    {"outlier (0,0,0,1000)", [](std::size_t width, const FormatTraits&) { return Outlier(width, 0, 1000); }},
    {"outlier on an offset", [](std::size_t width, const FormatTraits&) { return Outlier(width, 1, 3e4); }},
    {"near constant, one ulp", [](std::size_t width, const FormatTraits& t) { return Outlier(width, 1.5, 1.5 + std::ldexp(1.0, 1 - t.precision)); }},
    {"near the largest", [](std::size_t width, const FormatTraits& t) { return RandomValues(width, 3, std::ldexp(0.06, t.emax), std::ldexp(1.9, t.emax)); }},
    {"largest of both signs", [](std::size_t width, const FormatTraits& t) { return RandomValues(width, 4, std::ldexp(1.99, t.emax)); }},
    {"subnormal", [](std::size_t width, const FormatTraits& t) { return RandomValues(width, 5, std::ldexp(1.0, t.emin - 1)); }},
    {"exponent ladder", [](std::size_t width, const FormatTraits& t) {
       std::vector<double> x = RandomValues(width, 6);
       for (std::size_t i = 0; i < width; ++i) x[i] = std::ldexp(x[i], static_cast<int>(i) % (t.emax - t.emin) + t.emin);
       return x;
     }},
};

// Largest |got - Y| / ulp(s_i) of the row, s_i = |gamma_i|*max_j|xhat_j| + |beta_i|.
Real RowError(const TestCall& test, const TestOutputs& outputs) {
  const std::vector<double> x = [&] {
    TestArray stored(test.formats.x, test.x);
    std::vector<double> values;
    for (std::size_t i = 0; i < test.x.size(); ++i) values.push_back(stored.Get(i));
    return values;
  }();
  const TestArray gamma(test.formats.params, test.gamma);
  const TestArray beta(test.formats.params, test.beta);
  const std::vector<Real> xhat = ReferenceXhat(test.op, x, test.epsilon);
  const Real largest = std::fabs(*std::ranges::max_element(xhat, {}, [](Real v) { return std::fabs(v); }));
  Real worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real want = gamma.Get(i) * xhat[i] + beta.Get(i);
    const Real scale = std::fabs(gamma.Get(i)) * largest + std::fabs(beta.Get(i));
    const Real error = std::fabs(outputs.y.Get(i) - want) / UlpOf(test.formats.y, scale);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

TEST(Accuracy, HardRowsKeepTheContractOnEveryTarget) {
  for (const Kernel& kernel : ProductionKernels())
    for (const Formats& formats : kernel.formats)
      for (const Family& family : kFamilies)
        for (std::size_t width : {4u, 5u, 64u, 1000u, 5000u})
          for (double epsilon : {0.0, 1e-12, 1e-5, 1.0}) {
            TestCall test = {.op = kernel.ops[0], .formats = formats, .epsilon = epsilon, .x = family.row(width, TraitsOf(formats.x)),
                             .gamma = RandomValues(width, 7, 0.5, 1), .beta = RandomValues(width, 8)};
            for (std::string_view target : Targets()) {
              const bool rounded = kernel.contract.kind == ContractKind::kCorrectlyRounded;
              const TestOutputs outputs = RunOn(target, test, 0, rounded ? &NormalizeOn : &NormalizeFastOn);
              ASSERT_TRUE(outputs.result.ok());
              EXPECT_LE(RowError(test, outputs), rounded ? Real{0.501} : Real{5})
                  << kernel.name << " " << TraitsOf(formats.x).name << " -> " << TraitsOf(formats.y).name << ", " << family.name << ", width " << width << ", epsilon " << epsilon << ", " << target;
            }
          }
}

// Statistics are one rounding of values that are good to 2^-45: within 0.501 ulp, the mean of the row's largest |x|.
TEST(Accuracy, StatisticsOfHardRows) {
  for (const Family& family : kFamilies)
    for (std::size_t width : {5u, 1000u, 5000u})
      for (std::string_view target : Targets()) {
        TestCall test = {.epsilon = 1e-5, .x = family.row(width, TraitsOf(Format::kF32))};
        for (double& value : test.x) value = ToFloat32(value);
        const TestOutputs outputs = RunOn(target, test);
        const Real mean = CompensatedTotal(test.x, [](Real v) { return v; }) / static_cast<Real>(width);
        const Real variance = CompensatedTotal(test.x, [mean](Real v) { return (v - mean) * (v - mean); }) / static_cast<Real>(width);
        const Real inv_std_dev = 1 / std::sqrt(variance + Real{1e-5});
        const double largest = std::fabs(*std::ranges::max_element(test.x, {}, [](double v) { return std::fabs(v); }));
        EXPECT_LE(std::fabs(outputs.inv_std_dev[0] - inv_std_dev) / UlpOf(Format::kF32, inv_std_dev), Real{0.501}) << family.name << target;
        EXPECT_LE(std::fabs(outputs.mean[0] - mean) / UlpOf(Format::kF32, largest), Real{0.501}) << family.name << target;
      }
}

// 2^22 + 1 equal values and one that is an ulp larger: the pivot's own error must not drown a spread of 2^-24/2^11.
TEST(Accuracy, LongNearConstantRow) {
  constexpr std::size_t kWidth = (std::size_t{1} << 22) + 2;
  TestCall test = {.epsilon = 0, .x = Outlier(kWidth, 0.1f, std::nextafter(0.1f, 1.0f)), .gamma = {}, .beta = {}};
  const TestOutputs outputs = RunOn(Targets().front(), test);
  // F11: one outlier among H gives sqrt(H-1) and -1/sqrt(H-1).
  const Real peak = std::sqrt(static_cast<Real>(kWidth - 1));
  EXPECT_LE(std::fabs(outputs.y.Get(kWidth - 1) - peak) / UlpOf(Format::kF32, peak), Real{0.501});
  EXPECT_LE(std::fabs(outputs.y.Get(0) + 1 / peak) / UlpOf(Format::kF32, 1 / peak), Real{0.501});
}

}  // namespace
}  // namespace normcheck::norm
