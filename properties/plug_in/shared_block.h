// What the worker of a shared library and its owner share: a control block, and behind it one region of memory for each array.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace normcheck::properties::plug_in {

inline constexpr std::size_t kArrays = 6;  // x, gamma, beta, y, mean, inv_std_dev
inline constexpr const char* kArrayNames[kArrays] = {"x", "gamma", "beta", "y", "mean", "inv_std_dev"};
inline constexpr std::size_t kX = 0, kGamma = 1, kBeta = 2, kY = 3, kMean = 4, kInvStdDev = 5;

// File descriptors that a worker finds open.
inline constexpr int kMemoryDescriptor = 3;   // the shared memory
inline constexpr int kChannelDescriptor = 4;  // a socket: one byte each way starts and ends a call

inline constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
inline constexpr std::size_t kTextBytes = 4096;
inline constexpr std::size_t kCoverageBytes = 8192;

// Address space before the first region, between two, and behind the last one in the worker; nobody may touch it.
inline constexpr std::size_t kGuardBytes = std::size_t{1} << 20;

// Bytes of each region; regions follow the block in the file without gaps.
using Capacities = std::array<std::uint64_t, kArrays>;

// At the start of the shared memory. The owner believes nothing of what the worker leaves here.
struct SharedBlock {
  std::uint64_t layout;  // changes with `capacities`: the worker then maps the regions again
  Capacities capacities;

  std::int32_t op, x_format, param_format, y_format;
  std::uint64_t rows, width, x_pitch, y_pitch;
  double epsilon;
  std::array<std::uint64_t, kArrays> offsets;  // of each array's first byte in its region, or kAbsent
  std::uint32_t in_place;                      // y is x
  std::uint32_t mxcsr;                         // to run under

  std::int32_t status;  // what the kernel returned; at the start 0: `text` is its description, else why there is none
  std::uint32_t mxcsr_after;
  std::uint32_t threads;    // of the worker once the call has returned
  std::int32_t bad_access;  // 1 + 2*array, plus 1 behind it, or 0: a guard that the kernel touched
  std::int64_t bad_offset;  // of the touched byte from that array's first one
  std::uint32_t not_called; // the worker had no memory for the arrays
  std::uint32_t watch_lost; // the kernel has set a handler of SIGSEGV or SIGBUS by a system call of its own
  char text[kTextBytes];
  std::uint32_t coverage_bytes;  // of the library: known once it is loaded
  std::uint8_t coverage[kCoverageBytes];
};

inline constexpr std::size_t kBlockBytes = (sizeof(SharedBlock) + 4095) / 4096 * 4096;

}  // namespace normcheck::properties::plug_in
