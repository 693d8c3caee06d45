// The levels of the judge over one case: double filter, double-double, exact integers. Each decides or passes on.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "reference/levels/double_double_row.h"
#include "reference/levels/filter_row.h"
#include "reference/levels/lane_array.h"
#include "reference/levels/totals.h"
#include "reference/outputs.h"

namespace normcheck::reference::levels {

// Which levels may answer, and the filter's loops.
struct LevelOptions {
  bool filter = true;
  bool double_double = true;
  const FilterLoops* loops = AllFilterLoops().loops[0];
};

// Both readings of one row (the second under +ftz) at the exact level, made when first asked for.
class ExactReadings {
 public:
  ExactReadings(const CaseValues& kept, const CaseValues* flushed, std::size_t row, const Contract& contract)
      : kept_values_(&kept), flushed_values_(flushed), row_(row), contract_(&contract) {}
  const RowJudge& kept();
  const RowJudge* flushed();
  const DoubleDoubleRow* double_double();  // null where the row is not finite or undefined

 private:
  const CaseValues* kept_values_;
  const CaseValues* flushed_values_;
  std::size_t row_;
  const Contract* contract_;
  std::unique_ptr<RowJudge> kept_;
  std::unique_ptr<RowJudge> flushed_;
  std::optional<DoubleDoubleRow> double_double_;
};

// Counts of bins. Neighbours often fall into one bin and would wait for each other, so odd places are counted apart.
struct FilterHistogram {
  std::array<std::uint64_t, kUndecidedBin + 1> even{};
  std::array<std::uint64_t, kUndecidedBin + 1> odd{};
  void AddTo(UlpHistogram& histogram) const;
};

// Judges rows of one case. The values must outlive it. Memory: a few arrays of the row's width.
class CaseLevels {
 public:
  CaseLevels(const CaseValues& kept, const CaseValues* flushed, const Contract& contract, const LevelOptions& options);
  void JudgeRow(std::size_t row, const Outputs& outputs, bool want_outputs, CaseTotals& totals);

  // To be called once, after the last row: the filter's histograms join the tally.
  void Finish(Tally& tally) const;

 private:
  struct Row;
  void Filter(Row& row);
  void JudgeBlock(Row& row, std::size_t first, CaseTotals& totals);
  void AddCounts(const Row& row, std::size_t first, const FilterCounts& counts, CaseTotals& totals);
  void LoadOutputs(Row& row, std::size_t first, std::size_t count);
  void CountBins(std::size_t count);
  void PrepareProfile(Row& row, std::size_t first);
  double AddProfile(std::size_t count, Tally& tally) const;
  void OfferWorst(const Row& row, std::size_t first, double size, WorstPlace& worst) const;
  void JudgeOne(Row& row, std::size_t i, CaseTotals& totals) const;
  std::optional<ElementVerdict> JudgeClass(const Row& row, std::size_t i) const;
  bool Overflows(const Row& row, std::size_t i) const;
  bool IsAskedFor(Bits got, double gamma, double beta) const;
  std::optional<ElementVerdict> JudgeInDoubleDouble(Row& row, std::size_t i) const;
  std::optional<ElementVerdict> JudgeBy(const DoubleDoubleRow& values, Row& row, std::size_t i) const;
  void AddWanted(Row& row, std::size_t first, std::size_t count, std::vector<Bits>& want) const;
  std::span<const double> SizesOnScale() const;
  double LimitOnScale() const;

  const CaseValues* kept_;
  const CaseValues* flushed_;
  Contract contract_;
  LevelOptions options_;
  Format format_;
  std::size_t width_;
  FilterLimits limits_;
  LaneArray<double> x_, gamma_, beta_;              // padded to a multiple of kLanes
  LaneArray<double> got_, ulp_, row_ulp_, ratio_;   // of a block; ratio: observed/promised of a profile
  LaneArray<std::int64_t> bin_, row_bin_;
  FilterHistogram histogram_, row_histogram_;
};

}  // namespace normcheck::reference::levels
