// Samples of processor time, interleaved; medians.
#include "reports/bench/interleaved.h"

#include <immintrin.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <thread>

namespace normcheck::reports {
namespace {

constexpr double kLeastSample = 150e-6;
constexpr double kSlow = 10;
constexpr std::size_t kSlowRounds = 3;
constexpr unsigned kDefaultMxcsr = 0x1f80;

double Seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double TimeOf(const Task& task, int repeats, clockid_t clock) {
  _mm_setcsr(kDefaultMxcsr);
  task();
  const double start = Seconds(clock);
  for (int i = 0; i < repeats; ++i) task();
  const double time = (Seconds(clock) - start) / repeats;
  _mm_setcsr(kDefaultMxcsr);
  return time;
}

double MedianOf(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

int RepeatsFor(double seconds) { return seconds >= kLeastSample ? 1 : static_cast<int>(kLeastSample / std::max(seconds, 1e-9)) + 1; }

cpu_set_t AllProcessors() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (unsigned i = 0; i < std::thread::hardware_concurrency() || i < 64; ++i) CPU_SET(i, &all);
  return all;
}

}  // namespace

void PinToOneProcessor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof(one), &one);
}

std::vector<double> MedianSeconds(const std::vector<Task>& tasks, int rounds) {
  std::vector<std::vector<double>> times(tasks.size());
  std::vector<double> first;
  for (const Task& task : tasks) first.push_back(TimeOf(task, 1, CLOCK_PROCESS_CPUTIME_ID));
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (first[i] <= kSlow * first[0] || times[i].size() < kSlowRounds) times[i].push_back(TimeOf(tasks[i], RepeatsFor(first[i]), CLOCK_PROCESS_CPUTIME_ID));
  std::vector<double> medians;
  for (const auto& of_task : times) medians.push_back(MedianOf(of_task));
  return medians;
}

std::vector<double> MedianSecondsOnTwo(const std::vector<std::pair<Task, Task>>& pairs, int rounds) {
  cpu_set_t pinned;
  sched_getaffinity(0, sizeof(pinned), &pinned);
  const cpu_set_t all = AllProcessors();
  sched_setaffinity(0, sizeof(all), &all);
  std::vector<std::vector<double>> mine(pairs.size()), others(pairs.size());
  std::barrier gate(2);
  const auto run = [&](bool other, std::vector<std::vector<double>>& times) {
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        gate.arrive_and_wait();
        times[i].push_back(TimeOf(other ? pairs[i].second : pairs[i].first, 1, CLOCK_THREAD_CPUTIME_ID));
      }
  };
  std::thread second([&] { run(true, others); });
  run(false, mine);
  second.join();
  sched_setaffinity(0, sizeof(pinned), &pinned);
  std::vector<double> medians;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t k = 0; k < mine[i].size(); ++k) mine[i][k] = std::max(mine[i][k], others[i][k]);
    medians.push_back(MedianOf(mine[i]));
  }
  return medians;
}

}  // namespace normcheck::reports
