// What a kernel is: a name, what it supports, what it promises, and one function.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "norm/contract.h"
#include "norm/kernel_call.h"

namespace normcheck::norm {

enum class Kind : std::uint8_t { kProduction, kHonest, kMutant, kMutantLong, kContrast, kNull, kPlugIn };

constexpr std::string_view NameOf(Kind kind) {
  constexpr std::string_view kNames[] = {"production", "honest", "mutant", "mutant-long", "contrast", "null", "plug-in"};
  return kNames[static_cast<int>(kind)];
}

// The format in which a kernel takes epsilon; the judge rounds the case's binary64 epsilon to it, once, and says so.
enum class EpsilonFormat : std::uint8_t { kF64, kF32, kF16, kBf16 };

// Lists of kernels are passed as arguments; nothing registers itself.
struct Kernel {
  std::string name;
  Kind kind = Kind::kProduction;
  std::string about;              // one sentence
  std::vector<Op> ops;            // supported ops
  std::vector<Formats> formats;   // supported triples
  Contract contract;
  bool contract_stated = true;    // false: the default row-ulp:4 stands in, and is said to
  EpsilonFormat epsilon_format = EpsilonFormat::kF64;
  bool pitch = true;              // x_pitch, y_pitch > width
  bool in_place = true;
  bool absent_params = true;      // null gamma or beta
  bool statistics = true;         // mean, inv_std_dev
  bool beta = true;               // false: there is no beta; calls pass none, or zeros
  bool batch_dependent = false;   // the order of a row's sums depends on the batch: a row agrees within the contract, not bit for bit
  std::function<CallResult(const KernelCall&)> run;
  bool own_environment = false;   // neither the caller's MXCSR nor its flags reach the results, and it is left as found
  std::vector<std::string_view> targets;  // instruction sets that run_on takes, best first; empty: there is one path only
  std::function<CallResult(std::string_view target, const KernelCall&)> run_on;
};

// The production kernels, in the order in which they are shown: layer_norm, rms_norm (correctly rounded), layer_norm_fast, rms_norm_fast.
std::vector<Kernel> ProductionKernels();

// The nine triples that the production kernels take: x any; gamma, beta in f32 or x's format; y in x's format or f32.
std::vector<Formats> ProductionFormats();

// All 27 triples.
std::vector<Formats> AllFormats();

// True where the kernel's lists hold op and formats.
bool Supports(const Kernel& kernel, Op op, const Formats& formats);

}  // namespace normcheck::norm
