// What a reader wants first: a report's cells added up by kernel, family and formats, and one sentence per kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/report.h"

namespace normcheck::reports {

// Counts and maxima over some cells of one kernel.
struct Totals {
  std::uint64_t judged = 0;
  std::uint64_t correctly_rounded = 0;
  std::uint64_t class_faults = 0;
  std::uint64_t undefined = 0;
  std::uint64_t no_promise = 0;
  std::uint64_t not_checked = 0;
  std::uint64_t broken = 0;
  std::uint64_t beyond_element = 0;
  std::optional<double> max_ulp;
  std::optional<double> max_row_ulp;
  bool kept = true;
  const Json* worst = nullptr;  // the cell with the worst element, broken before kept; it lives in the report

  void Add(const Json& cell);
};

struct NamedTotals {
  std::string name;
  Totals totals;
};

// What a law said of a kernel, for people.
struct LawSummary {
  std::string name;
  std::string state;   // "kept", "broken", "gave up", "not supported"
  std::uint64_t cases = 0;
  std::string seen;    // of a broken one
  std::string file;    // the case that breaks it; empty where there is none
  std::string replay;
};

struct KernelSummary {
  std::string name;
  bool kept = true;                   // the contract on every row, and every law
  std::string contract;
  std::string about;
  bool contract_stated = true;
  Totals all;
  std::vector<NamedTotals> families;  // in the order of the report
  std::vector<NamedTotals> formats;   // "f32", or "f16/f32/f16" for x/params/y
  std::vector<LawSummary> laws;       // in the order of the report
  std::string asked;                  // "90,939 of 356,557 outputs; not: beta"; empty in old reports
  std::string laws_text;              // "8 of 9 laws kept; broken: batch-size; not asked: in-place (not supported)"
  std::string sentence;               // "breaks row-ulp:4: worst 1.2e7 row ulps, on near-constant rows: eps added after the root"
};

// The report must outlive the summaries.
std::vector<KernelSummary> Summarize(const Json& report);

// What the laws of a report leave to `normcheck properties`, in a sentence.
std::string LawsLeftOut(const Json& report);

const Totals* Find(const std::vector<NamedTotals>& list, const std::string& name);

// Names over all kernels, each once, in order of appearance.
std::vector<std::string> FamilyNames(const std::vector<KernelSummary>& kernels);
std::vector<std::string> FormatNames(const std::vector<KernelSummary>& kernels);

// Figures for people: "0.500", "12.3", "1.2e7"; "812", "12.4 M"; "99.98 %", never "100 %" below a full share; "-" for nothing.
std::string UlpText(const std::optional<double>& ulp);
std::string CountText(std::uint64_t count);
std::string ShareText(std::uint64_t part, std::uint64_t whole);

}  // namespace normcheck::reports
