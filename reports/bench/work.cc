// The contestants of the speed benchmark.
#include "reports/bench/work.h"

#include <cstring>
#include <immintrin.h>

#include <algorithm>

#include "norm/layer_norm.h"
#include "reference/operations/operations.h"
#include "reports/bench/onednn_peer.h"
#include "reports/bench/plain_loops.h"

namespace normcheck::reports {
namespace {

using RunOn = norm::CallResult (*)(std::string_view, const norm::KernelCall&);

Contestant KernelOn(std::string name, std::string_view target, RunOn run) {
  return {std::move(name), true, [=](const Work& work) -> std::optional<Task> {
            const norm::KernelCall call = CallOf(work);
            if (!run(target, call).ok()) return std::nullopt;
            return [=] { run(target, call); };
          }};
}

// Past the caches, 64 bytes at a time; what is left is copied as usual.
void StreamingCopy(void* to, const void* from, std::size_t bytes) {
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  std::size_t i = 0;
  for (; i + 64 <= bytes; i += 64)
    for (std::size_t k = 0; k < 64; k += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + i + k), _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i + k)));
  std::memcpy(target + i, source + i, bytes - i);
  _mm_sfence();
}

Contestant Copy(std::string name, void (*copy)(void*, const void*, std::size_t)) {
  return {std::move(name), false, [=](const Work& work) -> std::optional<Task> {
            return [=] { copy(work.y, work.x, work.bytes_one_way()); };
          }};
}

Contestant Loops(std::string name, decltype(&normcheck_plain_gcc) loops) {
  return {std::move(name), true, [=](const Work& work) -> std::optional<Task> {
            return [=] {
              loops(!reference::OperationOf(work.op).centred(), static_cast<int>(work.format), work.x, work.gamma, work.beta, work.y, work.rows, work.width, kBenchEpsilon);
            };
          }};
}

}  // namespace

norm::KernelCall CallOf(const Work& work) {
  norm::KernelCall call = {.op = work.op, .formats = {work.format, norm::Format::kF32, work.format}, .rows = work.rows, .width = work.width};
  call.x_pitch = call.y_pitch = work.width;
  call.epsilon = kBenchEpsilon;
  call.x = work.x;
  call.gamma = work.gamma;
  call.beta = work.beta;
  call.y = work.y;
  return call;
}

std::vector<Contestant> Contestants() {
  const std::vector<std::string_view> targets = norm::Targets();
  std::vector<Contestant> all = {KernelOn("rounded", targets.front(), &norm::NormalizeOn), KernelOn("fast", targets.front(), &norm::NormalizeFastOn)};
  if (targets.front() != "AVX2" && std::ranges::find(targets, "AVX2") != targets.end()) {
    all.push_back(KernelOn("rounded_avx2", "AVX2", &norm::NormalizeOn));
    all.push_back(KernelOn("fast_avx2", "AVX2", &norm::NormalizeFastOn));
  }
  all.push_back(Copy("memcpy", [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }));
  all.push_back(Copy("stream_copy", &StreamingCopy));
  all.push_back(Loops("loops_gcc", &normcheck_plain_gcc));
#ifdef NORMCHECK_PLAIN_CLANG
  all.push_back(Loops("loops_clang", &normcheck_plain_clang));
#endif
  for (const auto& found : FindOneDnn())
    all.push_back({found.first, true, [library = found.second](const Work& work) { return library->Prepare(work); }});
  return all;
}

}  // namespace normcheck::reports
