// The list of kernels: names, kinds, search.
#include "properties/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace normcheck::properties {
namespace {

TEST(Kernels, ProductionOnesStandFirstAndNamesAreUnique) {
  const auto kernels = AllKernels();
  ASSERT_GE(kernels.size(), 6u);
  EXPECT_EQ(kernels[0].name, "layer_norm");
  EXPECT_EQ(kernels[1].name, "rms_norm");
  std::set<std::string> names;
  for (const auto& kernel : kernels) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_FALSE(kernel.about.empty() || kernel.ops.empty() || kernel.formats.empty() || !kernel.run) << kernel.name;
  }
}

TEST(Kernels, EveryMutantIsListedWithTheContractOfItsEngine) {
  const auto honest = FindKernel("honest:two-pass-f64");
  ASSERT_TRUE(honest.ok());
  for (const auto& mutant : Mutants()) {
    const auto found = FindKernel(mutant.name);
    ASSERT_TRUE(found.ok()) << mutant.name;
    EXPECT_TRUE(found.value().kind == norm::Kind::kMutant || found.value().kind == norm::Kind::kMutantLong);
    EXPECT_TRUE(mutant.name.starts_with("mutant:"));
    EXPECT_TRUE(mutant.contract == honest.value().contract);
  }
}

TEST(Kernels, AnUnknownNameIsAnsweredWithTheNearest) {
  const auto found = FindKernel("eps-after-rot");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().find("nearest: mutant:eps-after-root"), std::string::npos) << found.error();
  EXPECT_NE(FindKernel("layernorm").error().find("nearest: layer_norm"), std::string::npos);
  EXPECT_EQ(found.error().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace normcheck::properties
