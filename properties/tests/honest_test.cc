// Honest kernels keep their a-priori bounds on every family, contraction off and on; what each term of the bounds is for.
#include "properties/honest.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "properties/tests/bound_sweep.h"
#include "reference/number.h"
#include "reference/outputs.h"

namespace normcheck::properties {
namespace {

const std::vector<TrueCase>& Cases() {
  static const std::vector<TrueCase> cases = FamilyCases(18, 1100, Seed{3});
  return cases;
}

std::map<std::string, Observed> ByFamily(const norm::Kernel& kernel, const RowBounder& bounder) {
  std::map<std::string, Observed> families;
  for (const TrueCase& truth : Cases()) families[truth.family].Merge(Observe(kernel, truth, bounder));
  return families;
}

Observed Total(const std::map<std::string, Observed>& families) {
  Observed total;
  for (const auto& [id, observed] : families) total.Merge(observed);
  return total;
}

std::uint64_t ExpectKept(const std::vector<norm::Kernel>& kernels) {
  std::uint64_t outputs = 0;
  std::set<std::string> promised;
  for (const norm::Kernel& kernel : kernels) {
    const auto families = ByFamily(kernel, CertifiedBound);
    const Observed total = Total(families);
    EXPECT_EQ(total.violations, 0U) << kernel.name << ": " << total.where;
    outputs += total.outputs;
    std::printf("%-44s outputs %8llu no_promise %7llu observed/bound %.4f  %s\n", kernel.name.c_str(), static_cast<unsigned long long>(total.outputs),
                static_cast<unsigned long long>(total.no_promise), total.worst, total.where.c_str());
    for (const auto& [id, observed] : families)
      if (observed.outputs > 1000) promised.insert(id);
  }
  for (const Family& family : Families())
    EXPECT_TRUE(promised.contains(std::string(family.id)) || family.id == "specials") << family.id << " was never bounded";
  return outputs;
}

TEST(HonestKernels, KeepTheirBoundsOnEveryFamily) { EXPECT_GE(ExpectKept(HonestKernels()), 3'000'000U); }

TEST(HonestKernels, KeepTheirBoundsWithFusedMultiplyAdds) {
  const std::vector<norm::Kernel> kernels = FusedHonestKernels();
  if (kernels.empty()) GTEST_SKIP() << "this machine has no fused multiply-add";
  EXPECT_GE(ExpectKept(kernels), 3'000'000U);
}

TEST(HonestKernels, KeepTheirBoundsOnWideRows) {
  Random random(Seed{9});
  std::vector<norm::Kernel> kernels = HonestKernels();
  for (norm::Kernel& kernel : FusedHonestKernels()) kernels.push_back(std::move(kernel));
  struct Wide {
    const char* family;
    Op op;
    std::size_t width;
  };
  for (const Wide& wide : {Wide{"gaussian", Op::kRmsNorm, 70001}, {"near-constant", Op::kLayerNorm, 16385}, {"offset-1e3", Op::kLayerNorm, 8193}}) {
    const TrueCase truth = Evaluate(wide.family, MakeFamilyCase(*FindFamily(wide.family), {wide.op, {}, 1, wide.width, 1e-5}, random));
    for (const norm::Kernel& kernel : kernels) {
      const Observed observed = Observe(kernel, truth, CertifiedBound);
      EXPECT_EQ(observed.violations, 0U) << kernel.name << ": " << observed.where;
    }
  }
}

TEST(HonestKernels, FusedOnesReallyDiffer) {
  const std::vector<norm::Kernel> plain = HonestKernels(), fused = FusedHonestKernels();
  if (fused.empty()) GTEST_SKIP() << "this machine has no fused multiply-add";
  ASSERT_EQ(plain.size(), fused.size());
  for (std::size_t k = 0; k < plain.size(); ++k) {
    if (plain[k].contract.profile.mean == norm::Precision::kF64) continue;  // one rounding to y hides the difference
    std::size_t different = 0;
    for (const TrueCase& truth : Cases())
      different += reference::RunKernel(plain[k], truth.c, {}).y != reference::RunKernel(fused[k], truth.c, {}).y ? 1 : 0;
    EXPECT_GT(different, 0U) << plain[k].name;
  }
}

bool IsNanAt(const Case& c, const reference::Outputs& got, std::size_t i) { return reference::IsNan(got.y[i], c.formats.y); }

// Two rows: 1, 2, special, 3 and an ordinary one.
Case WithSpecial(Op op, Bits special) {
  Case c = reference::MakeCase(op, {}, 2, 4, 1e-5);
  const float values[] = {1, 2, 0, 3, 4, 6, 5, 7};
  for (std::size_t k = 0; k < 8; ++k) c.x[k] = std::bit_cast<Bits>(values[k]);
  c.x[2] = special;
  c.beta.emplace(4, std::bit_cast<Bits>(0.5f));
  return c;
}

// Row 0 has the special value at 2, row 1 is ordinary.
void ExpectClasses(const norm::Kernel& kernel, Op op, Bits special) {
  const Case c = WithSpecial(op, special);
  const reference::Outputs got = reference::RunKernel(kernel, c, {});
  const bool nan = reference::IsNan(special, Format::kF32);
  const bool all = op == Op::kLayerNorm || nan;
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(IsNanAt(c, got, i), i < 4 && (all || i == 2)) << kernel.name << " " << i;
    if (i < 4 && !all && i != 2) {
      EXPECT_EQ(reference::ValueOf(got.y[i], Format::kF32), 0.5) << kernel.name << " " << i;
    }
  }
  EXPECT_TRUE(all ? std::isnan(got.inv_std_dev[0]) : got.inv_std_dev[0] == 0) << kernel.name;
  if (op != Op::kLayerNorm || kernel.contract.finite_only) return;
  EXPECT_TRUE(nan ? std::isnan(got.mean[0]) : std::isinf(got.mean[0])) << kernel.name;
}

TEST(HonestKernels, GiveTheDocumentedClassesOnSpecialRows) {
  constexpr Bits kInf = 0x7f800000, kMinusInf = 0xff800000, kNan = 0x7fc00000;
  for (const norm::Kernel& kernel : HonestKernels())
    for (const Bits special : {kInf, kMinusInf, kNan})
      for (const Op op : norm::kOps) ExpectClasses(kernel, op, special);
}

TEST(HonestKernels, HaveDifferentNamesAndProfiles) {
  std::set<std::string> names;
  for (const norm::Kernel& kernel : HonestKernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_EQ(kernel.formats.size(), 27U);
    EXPECT_EQ(kernel.contract.kind, norm::ContractKind::kProfile);
  }
  EXPECT_GE(names.size(), 20U);
}

}  // namespace
}  // namespace normcheck::properties
