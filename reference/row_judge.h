// RowJudge: the exact level. Judges outputs of one row, one by one, with every decision made on integers.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "reference/bounds.h"
#include "reference/case_values.h"
#include "reference/exact_rounding.h"
#include "reference/special_values.h"
#include "reference/verdict.h"

namespace normcheck::reference {

// Sizes of an error; present for outputs that count in the ulp figures.
struct ErrorSizes {
  double ulp = 0;
  double row_ulp = 0;
  double bound_ratio = 0;
  int bias_sign = 0;  // sign(Y)*sign(got - Y)
};

struct ElementVerdict {
  enum class Standing : std::uint8_t { kJudged, kUndefined, kNoPromise };
  Standing standing = Standing::kJudged;
  Bits want = 0;
  bool correctly_rounded = false;
  bool broken = false;
  bool class_fault = false;
  bool finite = false;  // got is finite
  std::optional<ErrorSizes> sizes;
  std::string_view fault = "";
};

// One reading of one row (CaseValues::subnormals), with the bounds of a contract on it. The values must outlive it.
class RowJudge {
 public:
  // Requires: width >= 1, HasBounds(contract).
  RowJudge(const CaseValues& values, std::size_t row, const Contract& contract);

  Ideal IdealAt(std::size_t i) const;
  Bits Want(std::size_t i) const;
  std::optional<ExactElement> Element(std::size_t i) const;  // where the ideal is kFinite
  ElementVerdict Judge(std::size_t i, Bits got) const;

  // True where got is a zero and Y, within the promise, lies below the smallest normal number: what flushing gives.
  bool IsFlushedResult(std::size_t i, Bits got) const;

  const ExactRow& row() const { return row_; }
  const RowBound* profile() const { return bounds_ ? bounds_->profile() : nullptr; }

 private:
  ElementVerdict JudgeSpecial(std::size_t i, Ideal ideal, Bits got) const;
  ElementVerdict JudgeFinite(std::size_t i, Bits got) const;
  ErrorSizes SizesOf(const ExactElement& y, double got, const UlpScale& scale, const Promise& promise) const;
  Bits Rounded(const ExactElement& y) const;
  bool IsSaturated(Ideal ideal, Bits got) const;
  Promise UncappedPromise(std::size_t i, const ExactElement& y) const;
  bool IsAllowed(std::size_t i, const ExactElement& y, double got, const Promise& promise) const;
  bool LiesBeyond(std::size_t i, const ExactElement& y) const;
  std::string_view FaultBeyond(std::size_t i, const ExactElement& y, Bits want, Bits got) const;
  UlpScale ScaleOf(std::size_t i, const ExactElement& y) const;
  bool ReachesZeroXhat(std::size_t i) const;
  bool ProductCanOverflow(std::size_t i) const;
  bool NothingPromised(std::size_t i) const;

  const CaseValues* values_;
  Contract contract_;
  Format format_;
  Beyond beyond_;
  ExactRow row_;
  std::unique_ptr<const Bounds> bounds_;  // of a finite, defined row
  std::optional<int> plain_row_exponent_;  // without gamma and beta
};

// Judges under `kept`, and under +ftz also under `flushed` (null where the contract has none): either may be met.
ElementVerdict JudgeReadings(const RowJudge& kept, const RowJudge* flushed, std::size_t i, Bits got);

}  // namespace normcheck::reference
