// Every term of the a-priori bounds is needed: a bound without it is broken by an honest kernel.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "properties/honest.h"
#include "properties/tests/bound_sweep.h"

namespace normcheck::properties {
namespace {

using norm::Profile;
using reference::Centre;
using reference::RowBound;
using reference::RowMoments;
using reference::SumErrors;

Case CaseOf(Op op, double epsilon, const std::vector<float>& values) {
  Case c = reference::MakeCase(op, {}, 1, values.size(), epsilon);
  for (std::size_t k = 0; k < values.size(); ++k) c.x[k] = std::bit_cast<Bits>(values[k]);
  return c;
}

std::vector<float> Gaussians(std::size_t width, double scale, double offset, Random& random) {
  std::vector<float> values(width);
  for (float& value : values) value = static_cast<float>(offset + scale * random.Gaussian());
  return values;
}

std::vector<float> Alternating(std::size_t width, float magnitude) {
  std::vector<float> values(width, magnitude);
  for (std::size_t k = 1; k < width; k += 2) values[k] = -magnitude;
  return values;
}

// A one, then numbers that every rounded addition to it loses: the sum is off by (H - 1)u, as far as it can be.
std::vector<float> Absorbed(std::size_t width, float lost) {
  std::vector<float> values(width, lost);
  values[0] = 1;
  return values;
}

Case WithGamma(Case c, float gamma) {
  c.gamma.emplace(c.width, std::bit_cast<Bits>(gamma));
  return c;
}

// Rows on which one source of error stands alone, each with its name; the rest comes from the families.
const std::vector<TrueCase>& Cases() {
  static const std::vector<TrueCase> cases = [] {
    std::vector<TrueCase> all = FamilyCases(4, 600, Seed{5});
    Random random(Seed{7});
    const auto add = [&](const char* name, Case c) { all.push_back(Evaluate(name, std::move(c))); };
    for (const float value : {0.1f, 3.3f, 1e-3f, 0.7f}) {
      add("probe-constant", CaseOf(Op::kLayerNorm, 1e-5, std::vector<float>(4096, value)));
      add("probe-constant", CaseOf(Op::kLayerNorm, 1e-12, std::vector<float>(1000, value)));
      add("probe-constant", CaseOf(Op::kRmsNorm, 1e-12, std::vector<float>(4096, value)));
      add("probe-alternating", CaseOf(Op::kLayerNorm, 1e-12, Alternating(4096, value)));
    }
    add("probe-absorbed", CaseOf(Op::kLayerNorm, 1e-5, Absorbed(1000, 0x1.fcp-25f)));
    add("probe-absorbed", CaseOf(Op::kRmsNorm, 1e-5, Absorbed(1000, 0x1.fep-13f)));
    for (int k = 0; k < 20; ++k) {
      add("probe-plain", CaseOf(Op::kLayerNorm, 1e-5, Gaussians(64, 1, 0, random)));
      add("probe-offset", CaseOf(Op::kLayerNorm, 1e-5, Gaussians(256, 1, 1e4, random)));
      add("probe-squares-underflow", CaseOf(Op::kLayerNorm, 0, Gaussians(16, 0x1p-70, 0, random)));
      add("probe-products-underflow", WithGamma(CaseOf(Op::kRmsNorm, 1e-5, Gaussians(16, 1, 0, random)), 0x1.8p-140f));
      add("probe-tiny-epsilon", CaseOf(Op::kLayerNorm, 1e-5, Gaussians(16, 1e-4, 0, random)));
    }
    return all;
  }();
  return cases;
}

RowBound WithErrors(const RowMoments& row, const Profile& profile, Centre centre, Format y, void (*weaken)(SumErrors&, const RowMoments&)) {
  SumErrors errors = ErrorsOfSums(row, profile, centre);
  weaken(errors, row);
  return BoundRow(row, errors, profile, centre, y);
}

Profile DepthZero(Profile profile) {
  profile.order = norm::Order::kLanes;
  profile.block = 1 << 30;
  return profile;
}

struct Term {
  const char* name;
  const char* kernel;  // the honest kernel that breaks the bound without it
  RowBounder without;
};

std::vector<Term> Terms() {
  const auto errors = [](void (*weaken)(SumErrors&, const RowMoments&)) -> RowBounder {
    return [weaken](const RowMoments& row, const Profile& profile, Centre centre, Format y) { return WithErrors(row, profile, centre, y, weaken); };
  };
  const auto bound = [](void (*weaken)(RowBound&)) -> RowBounder {
    return [weaken](const RowMoments& row, const Profile& profile, Centre centre, Format y) {
      RowBound weak = BoundRow(row, profile, centre, y);
      weaken(weak);
      return weak;
    };
  };
  return {
      {"depth of the sums", "honest:two-pass-recursive-f32",
       [](const RowMoments& row, const Profile& profile, Centre centre, Format y) {
         SumErrors flat = ErrorsOfSums(row, DepthZero(profile), centre);
         return BoundRow(row, flat, profile, centre, y);
       }},
      {"half the depth", "honest:two-pass-recursive-f32",
       [](const RowMoments& row, const Profile& profile, Centre centre, Format y) {
         RowMoments half = row;
         half.width = (row.width + 1) / 2;
         return BoundRow(row, ErrorsOfSums(half, profile, centre), profile, centre, y);
       }},
      {"error of the mean", "honest:two-pass-recursive-f32", errors([](SumErrors& e, const RowMoments&) { e.mean = 0; })},
      {"half the error of the mean", "honest:two-pass-recursive-f32", errors([](SumErrors& e, const RowMoments&) { e.mean /= 2; })},
      {"error of the variance", "honest:two-pass-recursive-f32",
       errors([](SumErrors& e, const RowMoments&) { e.var_below = e.var_above = 0; })},
      {"half the error of the variance", "honest:two-pass-recursive-f32",
       errors([](SumErrors& e, const RowMoments&) {
         e.var_below /= 2;
         e.var_above /= 2;
       })},
      {"variance inflated by the mean's error", "honest:two-pass-recursive-f32",
       errors([](SumErrors& e, const RowMoments&) { e.var_above = e.var_below; })},
      {"cancellation of one pass", "honest:one-pass-recursive-f32",
       [](const RowMoments& row, const Profile& profile, Centre centre, Format y) {
         Profile two_pass = profile;
         two_pass.algorithm = norm::Algorithm::kTwoPass;
         return BoundRow(row, ErrorsOfSums(row, two_pass, centre), profile, centre, y);
       }},
      {"underflow of squares", "honest:two-pass-recursive-f32",
       errors([](SumErrors& e, const RowMoments&) {
         e.var_below = std::max(0.0, e.var_below - 4 * 0x1p-150);
         e.var_above = std::max(0.0, e.var_above - 4 * 0x1p-150);
       })},
      {"error of the root", "honest:two-pass-lanes8-f32", bound([](RowBound& b) { b.inv_std_dev_above = b.inv_std_dev_below = 0; })},
      {"roundings of the element", "honest:two-pass-lanes8-f32", bound([](RowBound& b) { b.elements.u = 0; })},
      {"underflow of products", "honest:two-pass-lanes8-f32", bound([](RowBound& b) { b.elements.eta = 0; })},
      {"terms of scale-bias", "honest:one-pass-lanes8-scale-bias-f64-f32", bound([](RowBound& b) { b.form = norm::Form::kCentred; })},
      {"rounding of the output", "honest:two-pass-lanes8-f32", bound([](RowBound& b) { b.y = Format::kF32; })},
      {"rounding of f64 to f32", "honest:two-pass-lanes8-f64", bound([](RowBound& b) { b.elements.precision = 24; })},
      {"mean rounded to f32", "honest:two-pass-lanes8-f64-f32",
       [](const RowMoments& row, const Profile& profile, Centre centre, Format y) {
         Profile f64 = profile;
         f64.mean = norm::Precision::kF64;
         return BoundRow(row, ErrorsOfSums(row, f64, centre), profile, centre, y);
       }},
  };
}

const norm::Kernel& Named(const std::vector<norm::Kernel>& kernels, std::string_view name) {
  for (const norm::Kernel& kernel : kernels)
    if (kernel.name == name) return kernel;
  throw std::invalid_argument("no honest kernel " + std::string(name));
}

Observed ObserveAll(const norm::Kernel& kernel, const RowBounder& bounder) {
  Observed total;
  for (const TrueCase& truth : Cases()) total.Merge(Observe(kernel, truth, bounder));
  return total;
}

TEST(BoundTerms, EachIsNeeded) {
  const std::vector<norm::Kernel> kernels = HonestKernels();
  for (const Term& term : Terms()) {
    const norm::Kernel& kernel = Named(kernels, term.kernel);
    EXPECT_EQ(ObserveAll(kernel, CertifiedBound).violations, 0U) << term.name;
    const Observed without = ObserveAll(kernel, term.without);
    EXPECT_GT(without.violations, 0U) << term.name << ": no output needed it";
    std::printf("without %-40s violations %7llu worst %.3g at %s\n", term.name, static_cast<unsigned long long>(without.violations),
                without.worst, without.where.c_str());
  }
}

// An honest kernel that gets epsilon in bf16 (1e-5 is off by 2^-9 there).
TEST(BoundTerms, RoundingOfEpsilonIsNeeded) {
  norm::Kernel kernel = Named(HonestKernels(), "honest:two-pass-lanes8-f64");
  constexpr double kRounded = 0x1.5p-17;
  kernel.run = [run = kernel.run](norm::KernelCall call) {
    call.epsilon = kRounded;
    return run(call);
  };
  const auto with = [&](double kernel_epsilon) {
    Observed total;
    for (const TrueCase& truth : Cases())
      if (truth.family == "probe-tiny-epsilon")
        total.Merge(Observe(kernel, truth, [&](RowMoments row, const Profile& profile, Centre centre, Format y) {
          row.kernel_epsilon = kernel_epsilon;
          return BoundRow(row, profile, centre, y);
        }));
    return total.violations;
  };
  EXPECT_EQ(with(kRounded), 0U);
  EXPECT_GT(with(1e-5), 0U);
}

// What each profile attains where nothing but its own arithmetic counts: f32 rows without gamma and beta.
TEST(BoundTerms, AttainedOnPlainRows) {
  for (const norm::Kernel& kernel : HonestKernels()) {
    std::map<std::string, Observed> families;
    for (const TrueCase& truth : Cases())
      if (truth.family.starts_with("probe-") && !truth.c.gamma) families[truth.family].Merge(Observe(kernel, truth, CertifiedBound));
    std::printf("%-44s", kernel.name.c_str());
    for (const auto& [id, observed] : families) {
      EXPECT_EQ(observed.violations, 0U) << observed.where;
      std::printf(" %s %.3f", id.c_str() + 6, observed.worst);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace normcheck::properties
