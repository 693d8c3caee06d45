// Mistakes of memory: touched beyond the row, inputs changed, outputs over inputs, alignment taken for granted.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace normcheck::properties {
namespace {

using norm::Format;
using norm::KernelCall;

// The honest call, then the fault.
template <typename Fault>
Run After(Fault fault) {
  return [fault](const KernelCall& call) {
    const norm::CallResult result = RunParts(call, {});
    if (result.ok() && call.width > 0 && call.rows > 0) fault(call);
    return result;
  };
}

// A load that the compiler keeps, though nothing comes of it.
void Touch(const void* array, Format format, std::size_t i) {
  const auto* byte = static_cast<const unsigned char*>(array) + i * norm::TraitsOf(format).bytes;
  static_cast<void>(*static_cast<const volatile unsigned char*>(byte));
}

void WriteBeyondRow(const KernelCall& call) {
  WriteElement(0, call.y, call.formats.y, (call.rows - 1) * call.y_pitch + call.width);
}

// A 16-bit tail stored as pairs: one element too many where H is odd.
void WriteOddPair(const KernelCall& call) {
  if (call.width % 2 == 1 && call.formats.y != Format::kF32) WriteBeyondRow(call);
}

void ZeroPadding(const KernelCall& call) {
  for (std::size_t row = 0; row + 1 < call.rows; ++row)
    for (std::size_t i = call.width; i < std::min(call.y_pitch, call.width + 64); ++i) WriteElement(0, call.y, call.formats.y, row * call.y_pitch + i);
}

void ReadBeyondRow(const KernelCall& call) { Touch(call.x, call.formats.x, (call.rows - 1) * call.x_pitch + call.width); }

void ReadBeforeRow(const KernelCall& call) {
  Touch(static_cast<const unsigned char*>(call.x) - norm::TraitsOf(call.formats.x).bytes, call.formats.x, 0);
}

void ReadWholeVectors(const KernelCall& call) {
  const std::size_t whole = (call.width + 15) / 16 * 16;
  for (const void* parameter : {call.gamma, call.beta})
    if (parameter != nullptr) Touch(parameter, call.formats.params, whole - 1);
}

// The input buffer serves as scratch.
void NormalizeInput(const KernelCall& call) {
  if (call.y == call.x) return;
  WriteElement(0, const_cast<void*>(call.x), call.formats.x, 0);
}

void SkipLastStatistic(const KernelCall& call) {
  if (call.inv_std_dev != nullptr) call.inv_std_dev[call.rows - 1] = std::numeric_limits<float>::infinity();
}

bool Misaligned(const void* pointer, std::size_t bytes) { return reinterpret_cast<std::uintptr_t>(pointer) % bytes != 0; }

// A wrong count of leading elements where x is not aligned: the first one is taken twice.
RowStatistics WrongPrefix(const KernelCall& call, std::size_t row, std::span<const double> x) {
  const auto* start = static_cast<const unsigned char*>(call.x) + row * call.x_pitch * norm::TraitsOf(call.formats.x).bytes;
  if (!Misaligned(start, 16)) return HonestStatistics(call.op, call.epsilon, x);
  std::vector<double> longer(x.begin(), x.end());
  longer.push_back(x.front());
  return HonestStatistics(call.op, call.epsilon, longer);
}

CallParts PrefixParts() {
  CallParts parts;
  parts.statistics = WrongPrefix;
  return parts;
}

// An aligned 16-byte load of gamma traps elsewhere than on 16 bytes.
void AlignedLoad(const KernelCall& call) {
  if (call.gamma == nullptr || call.width * norm::TraitsOf(call.formats.params).bytes < 16) return;
#if defined(__SSE__)
  __m128 loaded;  // by hand, since a compiler narrows a load of which nothing comes
  asm volatile("movaps %1, %0" : "=x"(loaded) : "m"(*static_cast<const __m128*>(call.gamma)));
#else
  if (Misaligned(call.gamma, 16)) __builtin_trap();
#endif
}

// In place, the first element is stored before the sums are taken.
norm::CallResult StoresBeforeSums(const KernelCall& call) {
  if (call.y != call.x || call.width < 2) return RunParts(call, {});
  CallParts parts;
  parts.statistics = [](const KernelCall& c, std::size_t, std::span<const double> x) {
    std::vector<double> overwritten(x.begin(), x.end());
    overwritten[0] = 0;
    return HonestStatistics(c.op, c.epsilon, overwritten);
  };
  return RunParts(call, parts);
}

// In place, rows are taken for shifted by one: the second row reads what the first one wrote.
norm::CallResult RereadsOutput(const KernelCall& call) {
  const norm::CallResult result = RunParts(call, {});
  return result.ok() && call.y == call.x ? RunParts(call, {}) : result;
}

}  // namespace

std::vector<norm::Kernel> MemoryMutants() {
  return {
      CallMutant("writes-beyond-row", "one element past the last row is written (CASES.md 56)", After(WriteBeyondRow)),
      CallMutant("odd-pair-store", "16-bit tails are stored in pairs, past the end of odd rows (CASES.md 56)", After(WriteOddPair)),
      CallMutant("zeroes-padding", "the padding between y's rows is overwritten (CASES.md 56, 69)", After(ZeroPadding)),
      CallMutant("reads-beyond-row", "one element past x is loaded (CASES.md 57)", After(ReadBeyondRow)),
      CallMutant("reads-before-row", "one element in front of x is loaded (CASES.md 57, 59)", After(ReadBeforeRow)),
      CallMutant("reads-whole-vectors", "gamma and beta are loaded in whole vectors of 16 (CASES.md 57)", After(ReadWholeVectors)),
      CallMutant("input-as-scratch", "x is overwritten (CASES.md 72)", After(NormalizeInput)),
      CallMutant("last-statistic-infinite", "inv_std_dev of the last row is not the row's (CASES.md 86)", After(SkipLastStatistic)),
      CallMutant("wrong-prefix", "a row whose start is not aligned counts its first element twice (CASES.md 59)", PrefixParts()),
      CallMutant("aligned-load", "gamma is loaded by an instruction that needs alignment (CASES.md 58)", After(AlignedLoad)),
      CallMutant("stores-before-sums", "in place, the first element is stored before the sums are taken (KernelCall: aliasing)", StoresBeforeSums),
      CallMutant("rereads-output", "in place, a second pass normalises what the first one wrote (KernelCall: aliasing)", RereadsOutput),
  };
}

}  // namespace normcheck::properties
