// Plug-ins of the tests' folder by name, and the cases that every way of calling a kernel can carry.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "properties/kernels.h"
#include "properties/standard_sweep.h"

namespace normcheck::properties {

inline const std::string kDir = NORMCHECK_TEST_PLUG_INS;

inline std::string Library(const std::string& name) { return kDir + "/" + name + ".so"; }
inline std::string FaultyExec(const std::string& fault) { return "exec:" + kDir + "/faulty_exec " + fault; }

inline norm::Kernel Loaded(const std::string& text) {
  auto kernel = FindKernel(text);
  EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.error());
  return kernel.ok() ? std::move(kernel).value() : norm::Kernel{};
}

inline std::vector<Case> DenseCases(Op op, const Formats& formats) {
  std::vector<Case> cases = StandardSweep(op, formats);
  for (Case& c : cases) c.x_pitch = c.y_pitch = c.width;
  return cases;
}

}  // namespace normcheck::properties
