// A Verdict: what the judge found on one case, as data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/case.h"
#include "reference/contract.h"
#include "reference/tally.h"

namespace normcheck::reference {

// The worst element: a broken promise before a kept one, then by error on the contract's own scale.
struct WorstElement {
  std::size_t row = 0;
  std::size_t index = 0;
  Bits x = 0;
  Bits got = 0;
  Bits want = 0;                      // correctly rounded
  std::optional<double> ulp;          // nothing for class faults
  std::optional<double> row_ulp;
  std::optional<double> bound_ratio;  // observed / promised
  std::string fault;                  // "", "nan where the reference has none", "missing nan", "infinity out of reach", "wrong sign", ...
};

// The row of the worst element, for people: exact values rounded to double.
struct RowFacts {
  double mean = 0;
  double var = 0;
  double inv_std_dev = 0;
  double mean_over_sigma = 0;
  double var_over_eps = 0;
};

// mean and inv_std_dev over the case's rows; errors in ulps (mean: ulps of max|x|, see DESIGN: Statistics).
struct StatisticsVerdict {
  std::uint64_t judged = 0;
  std::uint64_t broken = 0;
  double max_mean_ulp = 0;
  double max_inv_std_dev_ulp = 0;
};

// One hypothesis about the mistake that the outputs are consistent with, nearest first.
struct Diagnosis {
  std::string id;
  std::string text;
  double distance_ulp = 0;
};

struct Verdict {
  std::string kernel;
  Contract contract;
  bool kept = true;           // nothing broken: elements, classes, statistics, memory, MXCSR, call result
  bool not_supported = false;  // nothing was judged, `fault` says why
  std::string unasked;         // where not_supported, in a word or two: "op", "format", "pitch", "epsilon", ...
  bool harness_failed = false; // where not_supported: not the kernel, but this program could not; accuses nobody, is no answer
  std::string fault;           // a fault of the whole call: refused, padding written, inputs changed, MXCSR changed
  Tally tally;
  std::optional<WorstElement> worst;
  std::optional<RowFacts> row;
  std::optional<StatisticsVerdict> statistics;
  std::vector<Diagnosis> diagnosis;
  std::vector<Bits> got;      // y, dense
  std::vector<Bits> want;     // correctly rounded, filled where asked for
};

}  // namespace normcheck::reference
