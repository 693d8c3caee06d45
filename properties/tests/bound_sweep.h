// Runs kernels on cases and compares each output's error with its a-priori bound, or with a bound that a test has weakened.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/families.h"
#include "reference/quad.h"
#include "reference/row_moments.h"

namespace normcheck::properties {

// The exact outputs of one row, shared by all kernels; defined is false for rows that are not finite and for Q = 0.
struct ExactOutputs {
  bool defined = false;
  reference::RowMoments moments;  // kernel_epsilon as in the case
  std::vector<reference::ElementFacts> facts;
  std::vector<reference::Quad> y;
  reference::Quad mean;
  reference::Quad inv_std_dev;
};

struct TrueCase {
  std::string family;
  Case c;
  std::vector<ExactOutputs> rows;
};
TrueCase Evaluate(std::string family, Case c);

// The bound under test.
using reference::Centre;
using RowBounder = std::function<reference::RowBound(const reference::RowMoments&, const norm::Profile&, Centre, Format)>;
reference::RowBound CertifiedBound(const reference::RowMoments& row, const norm::Profile& profile, Centre centre, Format y);

struct Observed {
  std::uint64_t outputs = 0;     // compared with a finite bound
  std::uint64_t no_promise = 0;  // bound infinite
  std::uint64_t violations = 0;
  double worst = 0;              // observed/bound
  std::string where = {};        // of the worst: family, width, formats, element in hex

  void Merge(const Observed& other);
};

// Compares y and both statistics. epsilon_format of the kernel counts as an error of the kernel (kernel_epsilon).
Observed Observe(const norm::Kernel& kernel, const TrueCase& truth, const RowBounder& bounder);

// `draws` cases of every family, op by op, over formats, widths up to max_width and epsilons, one exact value each.
std::vector<TrueCase> FamilyCases(int draws, std::size_t max_width, Seed seed);

}  // namespace normcheck::properties
