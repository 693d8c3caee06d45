// A small honest row engine in binary64, into which mutants plant one fault each; it shares no code with the production kernels.
#pragma once

#include <functional>
#include <span>

#include "norm/kernel.h"

namespace normcheck::properties {

// What one row is normalised with: y_i = gamma_i*(x_i - mean)*inv_root + beta_i.
struct RowStatistics {
  double mean = 0;
  double inv_root = 0;
};

using Statistics = std::function<RowStatistics(norm::Op op, double epsilon, std::span<const double> x)>;

// Two-pass in binary64, sums in order; RMSNorm takes mean 0.
RowStatistics HonestStatistics(norm::Op op, double epsilon, std::span<const double> x);
double MeanOf(std::span<const double> x);
double SpreadAround(norm::Op op, double centre, std::span<const double> x);

// Element i of an array, exactly; `absent` where there is no array. And back, in one rounding.
double ReadElement(const void* array, norm::Format format, std::size_t i, double absent);
void WriteElement(double value, void* array, norm::Format format, std::size_t i);

// Runs a call row by row: any triple, loads to binary64, one rounding at the end. Errors as CheckCall.
norm::CallResult RunRows(const norm::KernelCall& call, const Statistics& statistics);

// What an output is made of, parameters that are absent being 1 and 0.
struct Element {
  double x = 0;
  double gamma = 1;
  double beta = 0;
};
using ElementStep = std::function<double(const norm::KernelCall& call, const RowStatistics& statistics, const Element& element)>;

// The same call with honest statistics and another last step: y_i = step(...), rounded once.
norm::CallResult RunElements(const norm::KernelCall& call, const ElementStep& step);

// A kernel on the engine: the production kernels' triples, so that whatever it breaks can be held against them, and contract
// two-pass,acc=f64,mean=f64, which is what the engine computes where no fault is planted.
norm::Kernel EngineKernel(norm::Kind kind, std::string name, std::string about, std::vector<norm::Op> ops, Statistics statistics);

}  // namespace normcheck::properties
