// Measures tasks against each other: in turn, round after round, in one process.
#pragma once

#include <vector>

#include "reports/bench/work.h"

namespace normcheck::reports {

// Median seconds of a run of each task: samples of at least 150 us of repeated runs, `rounds` of them, at most three of a task that
// is more than ten times slower than the first. Time is the processor time of the process (a library may use threads of its
// own), which is pinned to one processor meanwhile. Each sample follows a run of the same task that is not timed: a task finds in the
// caches what it left there itself, not what the one before it drove out. MXCSR is set to its default before every sample, whatever a library left there.
std::vector<double> MedianSeconds(const std::vector<Task>& tasks, int rounds);

// A task, and its two halves.
struct Halved {
  Task whole, first, second;
};

// What two threads gain: the median over the rounds of the time that one thread takes for the whole, times that of the longer half
// when both run at once, the second on another processor. Both are measured in the same round: speeds of shared caches drift.
std::vector<double> MedianGainsOfTwo(const std::vector<Halved>& tasks, int rounds);

// Keeps the process on the processor that it runs on; libraries loaded from then on make one thread.
void PinToOneProcessor();

}  // namespace normcheck::reports
