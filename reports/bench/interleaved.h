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

// The same of pairs of tasks that run at once on two threads: the longer of the two threads' processor times.
std::vector<double> MedianSecondsOnTwo(const std::vector<std::pair<Task, Task>>& pairs, int rounds);

// Keeps the process on the processor that it runs on; libraries loaded from then on make one thread.
void PinToOneProcessor();

}  // namespace normcheck::reports
