// A user's kernel, gated; the planted fault must be found.
#include "my_rms_norm.h"
#include "properties/keeps_laws.h"

namespace {

TEST(MyKernel, KeepsEveryLaw) { EXPECT_TRUE(normcheck::properties::KeepsEveryLaw(MyKernel(RmsNorm<false>))); }

TEST(MyKernel, WithAFaultDoesNot) { EXPECT_FALSE(normcheck::properties::KeepsEveryLaw(MyKernel(RmsNorm<true>))); }

}  // namespace
