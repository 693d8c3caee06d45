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

void Warm(const Task& task) {
  _mm_setcsr(kDefaultMxcsr);
  task();
  _mm_setcsr(kDefaultMxcsr);
}

double TimeOf(const Task& task, int repeats, clockid_t clock) {
  const double start = Seconds(clock);
  for (int i = 0; i < repeats; ++i) task();
  const double time = (Seconds(clock) - start) / repeats;
  _mm_setcsr(kDefaultMxcsr);
  return time;
}

double WarmTimeOf(const Task& task, int repeats, clockid_t clock) {
  Warm(task);
  return TimeOf(task, repeats, clock);
}

double MedianOf(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

int RepeatsFor(double seconds) { return seconds >= kLeastSample ? 1 : static_cast<int>(kLeastSample / std::max(seconds, 1e-9)) + 1; }

// The calling thread off the processor that the process is pinned to.
void LeavePinned(const cpu_set_t& pinned) {
  cpu_set_t others;
  CPU_ZERO(&others);
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
    if (!CPU_ISSET(i, &pinned)) CPU_SET(i, &others);
  sched_setaffinity(0, sizeof(others), &others);
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
  const auto sample = [](const Task& task, int repeats) { return WarmTimeOf(task, repeats, CLOCK_PROCESS_CPUTIME_ID); };
  for (const Task& task : tasks) first.push_back(sample(task, 1));
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (first[i] <= kSlow * first[0] || times[i].size() < kSlowRounds) times[i].push_back(sample(tasks[i], RepeatsFor(first[i])));
  std::vector<double> medians;
  for (const auto& of_task : times) medians.push_back(MedianOf(of_task));
  return medians;
}

std::vector<double> MedianGainsOfTwo(const std::vector<Halved>& tasks, int rounds) {
  cpu_set_t pinned;
  sched_getaffinity(0, sizeof(pinned), &pinned);
  const std::size_t samples = tasks.size() * static_cast<std::size_t>(rounds);
  std::vector<double> whole, first, second;
  std::barrier gate(2);
  const auto at_once = [&](const Task& half) {
    gate.arrive_and_wait();
    Warm(half);
    gate.arrive_and_wait();
    return TimeOf(half, 1, CLOCK_THREAD_CPUTIME_ID);
  };
  std::thread other([&] {
    LeavePinned(pinned);
    for (std::size_t i = 0; i < samples; ++i) second.push_back(at_once(tasks[i % tasks.size()].second));
  });
  for (std::size_t i = 0; i < samples; ++i) {
    const Halved& task = tasks[i % tasks.size()];
    whole.push_back(WarmTimeOf(task.whole, 1, CLOCK_THREAD_CPUTIME_ID));
    first.push_back(at_once(task.first));
  }
  other.join();
  std::vector<std::vector<double>> gains(tasks.size());
  for (std::size_t i = 0; i < samples; ++i) gains[i % tasks.size()].push_back(whole[i] / std::max(first[i], second[i]));
  std::vector<double> medians;
  for (const auto& of_task : gains) medians.push_back(MedianOf(of_task));
  return medians;
}

}  // namespace normcheck::reports
