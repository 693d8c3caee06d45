// Threads with small stacks (FAULTS F1): from 64 KiB on every call runs; on less it may fault on the guard page, and never writes below it.
#include <gtest/gtest.h>

#if defined(__linux__) && !defined(NORMCHECK_SANITIZED)
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "norm/kernel.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

constexpr std::size_t kKiB = 1024, kGuard = 4 * kKiB, kBelow = 128 * kKiB, kNeeded = 64 * kKiB;
constexpr unsigned char kPoison = 0xab;

// A thread's stack of `bytes`, poisoned, with a guard page under it and poison under that; shared, so that it outlives a child.
class SmallStack {
 public:
  explicit SmallStack(std::size_t bytes) : bytes_(bytes) {
    void* all = mmap(nullptr, Size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::runtime_error("no memory for a stack");
    memory_ = static_cast<unsigned char*>(all);
    std::memset(memory_, kPoison, Size());
    mprotect(memory_ + kBelow, kGuard, PROT_NONE);
  }
  SmallStack(const SmallStack&) = delete;
  SmallStack& operator=(const SmallStack&) = delete;
  ~SmallStack() { munmap(memory_, Size()); }

  bool Run(void* (*body)(void*), void* argument) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    const bool started = pthread_attr_setstack(&attributes, Bottom(), bytes_) == 0 && pthread_create(&thread, &attributes, body, argument) == 0;
    return started && pthread_join(thread, nullptr) == 0;
  }

  std::size_t OverwrittenBelow() const { return kBelow - static_cast<std::size_t>(std::count(memory_, memory_ + kBelow, kPoison)); }

  // From the top down to the lowest byte that was written.
  std::size_t Used() const {
    unsigned char* const end = Bottom() + bytes_;
    return static_cast<std::size_t>(end - std::find_if(Bottom(), end, [](unsigned char byte) { return byte != kPoison; }));
  }

 private:
  std::size_t Size() const { return kBelow + kGuard + bytes_; }
  unsigned char* Bottom() const { return memory_ + kBelow + kGuard; }

  std::size_t bytes_;
  unsigned char* memory_;
};

struct Job {
  std::string_view target;
  RunFunction run;
  const KernelCall* call;
  bool ok = false;
};

void* RunJob(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  job.ok = job.run(job.target, *job.call).ok();
  return nullptr;
}

void* RunNothing(void* argument) { return argument; }

enum class Rows { kOrdinary, kWide, kTies, kSpecial };

constexpr Rows kRows[] = {Rows::kOrdinary, Rows::kWide, Rows::kTies, Rows::kSpecial};

// kWide: the largest and the smallest magnitudes side by side, which no stage but the exact one takes.
std::vector<double> ValuesOf(Rows rows, Format format, std::size_t count) {
  std::vector<double> x = RandomValues(count, 5, 2);
  for (std::size_t i = 0; i < count; ++i) {
    if (rows == Rows::kWide) x[i] = format == Format::kF16 ? (i % 2 == 0 ? 0x1p-24 : 65504) : (i % 2 == 0 ? 1e-38 : 3e38);
    if (rows == Rows::kTies) x[i] = i % 2 == 0 ? 1 : -1;
    if (rows == Rows::kSpecial && i % 3 == 1) x[i] = kInf;
  }
  return x;
}

// A call with everything that it reads and writes.
struct StackCall {
  StackCall(Op op, const Formats& formats, Rows kind, std::size_t rows, std::size_t width, bool in_place, bool params)
      : x(formats.x, ValuesOf(kind, formats.x, rows * width)),
        y(formats.y, rows * width),
        gamma(formats.params, RandomValues(width, 7, 0.5, 1)),
        beta(formats.params, RandomValues(width, 8)),
        statistics(rows),
        call{op, formats, rows, width, width, width, 1e-5} {
    call.x = x.data();
    call.y = in_place ? x.data() : y.data();
    if (!params) return;
    call.gamma = gamma.data();
    call.beta = beta.data();
    call.inv_std_dev = statistics.data();
  }
  StackCall(const StackCall&) = delete;
  StackCall& operator=(const StackCall&) = delete;

  TestArray x, y, gamma, beta;
  std::vector<float> statistics;
  KernelCall call;
};

// Calls visit(call, what it is) for each combination; long rows with the exact stage of one op and format, since they take milliseconds.
template <typename Visit>
void ForEachCall(const Visit& visit) {
  for (Op op : kProductionOps)
    for (const Formats& formats : ProductionFormats())
      for (Rows kind : kRows)
        for (const auto& [rows, width] : {std::pair<std::size_t, std::size_t>{1, 1}, {9, 60}, {1, 768}, {5, 2048}, {3, 4096}, {2, 5000}, {1, 70000}}) {
          if (width == 70000 && kind != Rows::kOrdinary && !(op == Op::kLayerNorm && formats.x == Format::kF32)) continue;
          for (bool in_place : {false, true})
            for (bool params : {false, true}) {
              if (in_place && formats.x != formats.y) continue;
              const StackCall call(op, formats, kind, rows, width, in_place, params);
              visit(call.call, ::testing::Message() << NameOf(op) << ' ' << TraitsOf(formats.x).name << ' ' << TraitsOf(formats.params).name << ' ' << TraitsOf(formats.y).name << " rows " << static_cast<int>(kind)
                                                    << ' ' << rows << " x " << width << (in_place ? " in place" : "") << (params ? " with parameters" : ""));
            }
        }
}

// What a call does on a stack of so many bytes, in a child: its wait status.
int StatusOnStack(SmallStack& stack, Job job) {
  const pid_t child = fork();
  if (child == 0) _exit(stack.Run(&RunJob, &job) && job.ok ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(SmallStacks, NothingBelowTheGuardPageIsWritten) {
  for (std::size_t kib : {16u, 32u, 48u, 64u, 80u, 96u}) {
    std::size_t n = 0, ran = 0;
    ForEachCall([&](const KernelCall& call, const ::testing::Message& what) {
      const auto all = TargetsAndTiers();
      const auto& [target, run] = all[n++ % all.size()];  // the combinations are coprime to the targets and tiers, or nearly
      SmallStack stack(kib * kKiB);
      const int status = StatusOnStack(stack, {target, run, &call});
      const bool finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      const bool faulted = WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
      ran += finished;
      EXPECT_EQ(stack.OverwrittenBelow(), 0u) << kib << " KiB, " << target << ' ' << (run == &NormalizeFastOn) << ' ' << what;
      EXPECT_TRUE(finished || (faulted && kib * kKiB < kNeeded)) << kib << " KiB, " << target << ' ' << (run == &NormalizeFastOn) << ' ' << what << ": status " << status;
    });
    RecordProperty("ran_on_" + std::to_string(kib), static_cast<int>(ran));
    EXPECT_TRUE(kib > 16 || ran < n) << "no stack was too small: the guard page was never reached";
  }
}

// What norm.h, layer_norm.h and README.md say: a thread needs 56 KiB beside what the C library takes of it.
TEST(SmallStacks, NoCallUsesMoreThanIsStated) {
  constexpr std::size_t kStated = 56 * kKiB;
  SmallStack idle(96 * kKiB);
  ASSERT_TRUE(idle.Run(&RunNothing, nullptr));
  std::size_t most = 0, most_out_of_place = 0;
  ForEachCall([&](const KernelCall& call, const ::testing::Message& what) {
    for (const auto& [target, run] : TargetsAndTiers()) {
      SmallStack stack(96 * kKiB);
      Job job = {target, run, &call};
      ASSERT_TRUE(stack.Run(&RunJob, &job) && job.ok);
      const std::size_t used = stack.Used() - idle.Used();
      EXPECT_LE(used, kStated) << target << ' ' << what;
      most = std::max(most, used);
      if (call.x != call.y) most_out_of_place = std::max(most_out_of_place, used);
    }
  });
  std::printf("%zu bytes at most, %zu out of place, beside %zu of an idle thread\n", most, most_out_of_place, idle.Used());
}

}  // namespace
}  // namespace normcheck::norm
#endif
