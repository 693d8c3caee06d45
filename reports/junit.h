// Property runs as JUnit XML, for the test tabs of CI systems.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "properties/run_laws.h"

namespace normcheck::reports {

// The laws of one kernel, in the order in which they ran.
using KernelLaws = std::pair<std::string, std::vector<properties::LawRun>>;

// One suite per kernel, one test per law: a broken law is a failure, a law that gave up an error, one that does not apply is skipped.
std::string JUnitXml(std::span<const KernelLaws> kernels);

}  // namespace normcheck::reports
