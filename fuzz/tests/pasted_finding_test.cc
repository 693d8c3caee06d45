// What a finding's note offers to paste, as GoogleTestOf writes it: compiled and run here, compared in finding_files_test.cc.
#include <gtest/gtest.h>

#include "properties/kernels.h"
#include "reference/case_json.h"
#include "reference/judge.h"
#include "reference/verdict_json.h"

TEST(CampaignFinding, LayerNormF32Crash) {
  const auto kernel = normcheck::properties::FindKernel(R"(layer_norm)");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  const auto c = normcheck::reference::ParseCase(R"case({"schema": "normcheck/case/1", "op": "layer_norm",
  "x_format": "f32", "param_format": "f32", "y_format": "f32",
  "rows": 1, "width": 3, "epsilon": "0x1p-17",
  "source": "normcheck fuzz: layer_norm, layer_norm-f32-crash",
  "x": [
    "0x1p+0", "0x1p+1", "0x1.8p+1"]}
)case", "layer_norm-f32-crash");
  ASSERT_TRUE(c.ok()) << c.error();
  const auto verdict = normcheck::reference::Judge(kernel.value(), c.value(), {});
  EXPECT_TRUE(verdict.kept) << normcheck::reference::VerdictText(verdict, c.value(), "layer_norm-f32-crash");
}
