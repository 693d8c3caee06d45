// The list of production kernels.
#include <gtest/gtest.h>

#include "norm/kernel.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

TEST(ProductionKernels, AreLayerNormAndRmsNormInTwoTiers) {
  const std::vector<Kernel> kernels = ProductionKernels();
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_EQ(kernels[0].name, "layer_norm");
  EXPECT_EQ(kernels[1].name, "rms_norm");
  EXPECT_EQ(kernels[2].name, "layer_norm_fast");
  EXPECT_EQ(kernels[3].name, "rms_norm_fast");
  for (const Kernel& kernel : kernels) {
    EXPECT_EQ(kernel.formats.size(), 9u);
    EXPECT_TRUE(Supports(kernel, kernel.ops[0], {}));
    EXPECT_FALSE(Supports(kernel, kernel.ops[0], {Format::kF16, Format::kBf16, Format::kF16}));
  }
  EXPECT_FALSE(Supports(kernels[0], Op::kRmsNorm, {}));
  EXPECT_EQ(AllFormats().size(), 27u);
}

TEST(ProductionKernels, Run) {
  for (const Kernel& kernel : ProductionKernels()) {
    TestArray x(Format::kF32, {0, 0, 0, 4}), y(Format::kF32, 4);
    KernelCall call = {kernel.ops[0], {}, 1, 4, 4, 4, kernel.ops[0] == Op::kLayerNorm ? 1.0 : 0.0, x.data()};
    call.y = y.data();
    ASSERT_TRUE(kernel.run(call).ok());
    EXPECT_EQ(y.Get(3), kernel.ops[0] == Op::kLayerNorm ? 1.5 : 2);
  }
}

}  // namespace
}  // namespace normcheck::norm
