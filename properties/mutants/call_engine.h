// The honest row engine with its calls laid open: which element is read or written where, which rows are touched, with which
// statistics. A mutant replaces one part.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/mutants/row_engine.h"

namespace normcheck::properties {

// Row and column of a call.
struct Place {
  std::size_t row = 0;
  std::size_t column = 0;
};

// Offsets in elements from an array's start.
using Offset = std::function<std::size_t(const norm::KernelCall& call, Place place)>;

struct CallParts {
  Offset x = [](const norm::KernelCall& call, Place p) { return p.row * call.x_pitch + p.column; };
  Offset y = [](const norm::KernelCall& call, Place p) { return p.row * call.y_pitch + p.column; };
  Offset gamma = [](const norm::KernelCall&, Place p) { return p.column; };
  Offset beta = [](const norm::KernelCall&, Place p) { return p.column; };
  std::function<RowStatistics(const norm::KernelCall& call, std::size_t row, std::span<const double> x)> statistics =
      [](const norm::KernelCall& call, std::size_t, std::span<const double> values) { return HonestStatistics(call.op, call.epsilon, values); };
  std::function<bool(const norm::KernelCall& call, Place place)> writes = [](const norm::KernelCall&, Place) { return true; };
  std::function<double(const norm::KernelCall& call, double y)> output = [](const norm::KernelCall&, double y_value) { return y_value; };
};

norm::CallResult RunParts(const norm::KernelCall& call, const CallParts& parts);

using Run = std::function<norm::CallResult(const norm::KernelCall&)>;

// A mutant of both ops on the engine's formats and contract.
norm::Kernel CallMutant(std::string name, std::string about, Run run);
norm::Kernel CallMutant(std::string name, std::string about, CallParts parts);

}  // namespace normcheck::properties
