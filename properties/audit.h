// The audit by null kernels: a configuration that a kernel passes which computes nothing proves nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/random.h"

namespace normcheck::properties {

// What counts as tested, over all families.
struct Configuration {
  norm::Op op = norm::Op::kLayerNorm;
  norm::Formats formats;
  bool gamma = false;
  bool beta = false;
  std::size_t band = 0;  // of 1-3, 4-16, 17-256, 257-4096, 4097+
  double epsilon = 0;
};

struct AuditOptions {
  Seed seed;
  std::size_t bands = 5;    // the first so many
  std::size_t formats = 9;  // the first so many of the production triples
  std::function<void(const Configuration&)> progress;
};

struct Audit {
  struct Pass {
    Configuration configuration;
    std::string null_kernel;
  };
  std::uint64_t configurations = 0;
  std::uint64_t judged_cases = 0;
  std::vector<std::string> null_kernels;
  std::vector<Pass> prove_nothing;
};

// Judges every null kernel on a case of each family of each configuration, until one breaks its contract.
Audit AuditNullKernels(const AuditOptions& options);

std::string AuditMarkdown(const Audit& audit, const AuditOptions& options);

}  // namespace normcheck::properties
