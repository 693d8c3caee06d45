// Subject: a case under diagnosis, with the exact sums of its rows made once.
#pragma once

#include <memory>
#include <vector>

#include "reference/case_values.h"
#include "reference/contract.h"
#include "reference/diagnosis/group.h"
#include "reference/operations/operations.h"

namespace normcheck::reference::diagnosis {

class Subject {
 public:
  // epsilon: as the kernel takes it, finite. The case must outlive this.
  Subject(const Case& c, double epsilon, const Contract& contract, Subnormals reading);

  const Case& source() const { return *values_.source; }
  const CaseValues& values() const { return values_; }
  const Contract& contract() const { return contract_; }
  Op op() const { return source().op; }
  Centre centre() const { return OperationOf(op()).centre; }
  bool centred() const { return OperationOf(op()).centred(); }
  SquaresOver squares_over() const { return OperationOf(op()).squares_over; }
  std::size_t rows() const { return rows_.size(); }
  std::size_t width() const { return source().width; }
  Format format() const { return source().formats.y; }
  double epsilon() const { return values_.epsilon; }
  double gamma(std::size_t i) const { return values_.gamma(i); }
  double beta(std::size_t i) const { return values_.beta(i); }
  bool has_gamma() const { return source().gamma.has_value(); }
  bool has_beta() const { return source().beta.has_value(); }

  bool Finite(std::size_t row) const { return rows_[row] != nullptr; }
  // A row of which nothing is asked: its outputs neither carry nor block a diagnosis.
  void Skip(std::size_t row) { skipped_[row] = true; }
  bool Skipped(std::size_t row) const { return skipped_[row]; }
  bool AllFinite() const;
  const Group& Row(std::size_t row) const { return *rows_[row]; }  // Requires: Finite(row)

 private:
  CaseValues values_;
  Contract contract_;
  std::vector<std::unique_ptr<Group>> rows_;  // null where a row has a NaN or an infinity
  std::vector<bool> skipped_;
};

}  // namespace normcheck::reference::diagnosis
