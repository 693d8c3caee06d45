// The grid of shapes, its data, and the measurement of one shape as one benchmark.
#include "reports/bench/speed_bench.h"

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "properties/random.h"
#include "reference/judge.h"
#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reports/bench/interleaved.h"
#include "reports/bench/work.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kTwoThreadBytes = std::size_t{8} << 20;
constexpr std::size_t kWidths[] = {64, 256, 768, 1024, 4096, 8192, 16384};

struct WorkingSet {
  std::size_t bytes;
  const char* name;
};
constexpr WorkingSet kSets[] = {{16 << 10, "16KiB"}, {512 << 10, "512KiB"}, {8 << 20, "8MiB"}, {256 << 20, "256MiB"}};

// Memory of its own pages, large ones where the system has them.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_((bytes + kHugePage - 1) / kHugePage * kHugePage), data_(std::aligned_alloc(kHugePage, bytes_), &std::free) {
    madvise(data_.get(), bytes_, MADV_HUGEPAGE);
    std::memset(data_.get(), 0, bytes_);
  }
  void* data() const { return data_.get(); }

 private:
  std::size_t bytes_;
  std::unique_ptr<void, void (*)(void*)> data_;
};

// N(mean, 1) in the format's storage: 2^16 values, over and over, a step on each time.
void FillNormal(norm::Format format, double mean, std::size_t count, void* to) {
  constexpr std::size_t kDrawn = (std::size_t{1} << 16) - 1;
  static properties::Random random(properties::Seed{1});
  static const std::vector<double> drawn = [] {
    std::vector<double> values(kDrawn);
    for (double& value : values) value = random.Gaussian();
    return values;
  }();
  std::vector<reference::Bits> bits;
  for (std::size_t i = 0; i < std::min(count, kDrawn); ++i) bits.push_back(reference::BitsOf(mean + drawn[i], format));
  const std::size_t bytes = norm::TraitsOf(format).bytes;
  for (std::size_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(to) + i * bytes, &bits[i % bits.size()], bytes);
}

struct Arrays {
  Arrays(norm::Op op, norm::Format format, std::size_t rows, std::size_t width, double mean)
      : x(rows * width * norm::TraitsOf(format).bytes), y(rows * width * norm::TraitsOf(format).bytes), gamma(width), beta(width) {
    FillNormal(format, mean, rows * width, x.data());
    properties::Random random(properties::Seed{2});
    for (std::size_t i = 0; i < width; ++i) {
      gamma[i] = static_cast<float>(1 + 0.1 * random.Gaussian());
      beta[i] = static_cast<float>(0.1 * random.Gaussian());
    }
    work = {op, format, rows, width, x.data(), gamma.data(), beta.data(), y.data()};
  }

  Pages x, y;
  std::vector<float> gamma, beta;
  Work work;
};

// The rows of one half.
Work HalfOf(const Work& work, bool second) {
  Work half = work;
  half.rows = second ? work.rows - work.rows / 2 : work.rows / 2;
  const std::size_t skipped = second ? work.rows / 2 * work.width * norm::TraitsOf(work.format).bytes : 0;
  half.x = static_cast<const char*>(work.x) + skipped;
  half.y = static_cast<char*>(work.y) + skipped;
  return half;
}

int RoundsOf(std::size_t bytes) { return bytes >= kTwoThreadBytes * 8 ? 5 : bytes >= kTwoThreadBytes ? 11 : 21; }

void MeasureTwo(const std::vector<Contestant>& all, const Work& work, benchmark::State& state) {
  std::vector<Halved> tasks;
  std::vector<std::string> names;
  for (const Contestant& one : all) {
    if (one.name != "rounded" && one.name != "fast" && one.is_kernel) continue;
    tasks.push_back({*one.prepare(work), *one.prepare(HalfOf(work, false)), *one.prepare(HalfOf(work, true))});
    names.push_back(one.name);
  }
  const std::vector<double> gains = MedianGainsOfTwo(tasks, RoundsOf(2 * work.bytes_one_way()));
  for (std::size_t i = 0; i < names.size(); ++i) state.counters[names[i] + "_two"] = gains[i];
}

void Measure(benchmark::State& state, const std::vector<Contestant>& all, norm::Op op, norm::Format format, std::size_t width, std::size_t bytes) {
  const std::size_t rows = std::max<std::size_t>(1, bytes / (2 * width * norm::TraitsOf(format).bytes));
  const Arrays arrays(op, format, rows, width, 0.25);
  const Work& work = arrays.work;
  std::vector<Task> tasks;
  std::vector<std::string> names;
  for (const Contestant& one : all)
    if (auto task = one.prepare(work)) {
      tasks.push_back(std::move(*task));
      names.push_back(one.name);
    }
  for (auto _ : state) {
    const std::vector<double> seconds = MedianSeconds(tasks, RoundsOf(bytes));
    state.SetIterationTime(seconds[0]);
    for (std::size_t i = 0; i < names.size(); ++i) state.counters[names[i]] = 2e-9 * static_cast<double>(work.bytes_one_way()) / seconds[i];
    if (bytes >= kTwoThreadBytes && rows > 1) MeasureTwo(all, work, state);
  }
}

// A quarter of the grid.
bool IsQuick(norm::Op op, norm::Format format, std::size_t width, std::size_t bytes) {
  const bool f32 = format == norm::Format::kF32, small = width <= 1024;
  const bool centred = reference::OperationOf(op).centred();
  if (f32 && centred) return width != 768 && width != 8192;
  if (f32) return (width == 64 || width == 1024 || width == 4096) && bytes != kSets[2].bytes;
  if (!centred) return width == 1024 && bytes == kSets[1].bytes;
  return (width == 64 || width == 1024 || width == 16384) && (bytes == kSets[1].bytes || (small && bytes == kSets[2].bytes));
}

// The worst error in row ulps on rows of N(1e3, 1) in f32, judged exactly; nothing where the contestant refuses.
std::string RowUlpsAtOffset(const Contestant& one) {
  constexpr std::size_t kRows = 16, kWidth = 1024;
  Arrays arrays(norm::Op::kLayerNorm, norm::Format::kF32, kRows, kWidth, 1e3);
  const auto task = one.prepare(arrays.work);
  if (!task) return "not measured";
  (*task)();
  reference::Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, kRows, kWidth, kBenchEpsilon);
  reference::Outputs outputs;
  const auto bits = [](const void* from, std::size_t count) {
    std::vector<reference::Bits> all(count);
    std::memcpy(all.data(), from, count * sizeof(float));
    return all;
  };
  static_assert(sizeof(reference::Bits) == sizeof(float));
  c.x = bits(arrays.work.x, kRows * kWidth);
  c.gamma = bits(arrays.work.gamma, kWidth);
  c.beta = bits(arrays.work.beta, kWidth);
  outputs.y = bits(arrays.work.y, kRows * kWidth);
  const reference::Verdict verdict = JudgeOutputs(c, outputs, {}, norm::EpsilonFormat::kF64, {.contract = {}, .diagnose = false});
  if (verdict.tally.class_faults > 0) return "not finite";
  return std::to_string(verdict.worst && verdict.worst->row_ulp ? *verdict.worst->row_ulp : 0.0);
}

}  // namespace

void RegisterSpeed(Grid grid) {
  PinToOneProcessor();
  static const std::vector<Contestant> all = Contestants();
  for (const Contestant& one : all)
    if (one.is_kernel) benchmark::AddCustomContext("row_ulps_at_1e3_" + one.name, RowUlpsAtOffset(one));
  for (norm::Op op : norm::kProductionOps)
    for (norm::Format format : norm::kFormats)
      for (const WorkingSet& set : kSets)
        for (std::size_t width : kWidths) {
          if (grid == Grid::kQuick && !IsQuick(op, format, width, set.bytes)) continue;
          const std::string name = "speed/" + std::string(norm::NameOf(op)) + "/" + std::string(norm::TraitsOf(format).name) + "/" + std::to_string(width) + "/" + set.name;
          benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { Measure(state, all, op, format, width, set.bytes); })->UseManualTime()->Iterations(1);
        }
}

}  // namespace normcheck::reports
