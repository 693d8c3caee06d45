// One of the calls that a law relates: its outputs as exact numbers, and how far the contract lets each lie from the exact one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "properties/laws/checks.h"
#include "reference/bounds.h"
#include "reference/case_values.h"
#include "reference/outputs.h"

namespace normcheck::properties {

class Side {
 public:
  // Runs the kernel on the case as it takes it. The kernel must outlive this.
  Side(const norm::Kernel& kernel, const Case& c);
  ~Side();
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  // Why a law cannot go on: not applicable or refused.
  std::optional<LawResult> Fault() const;

  const Case& c() const { return case_; }
  std::size_t size() const { return case_.x.size(); }
  // Every bit is promised: relations hold without slack.
  bool CorrectlyRounded() const { return kernel_->contract.kind == norm::ContractKind::kCorrectlyRounded; }
  reference::Bits bits(std::size_t j) const { return outputs_.y[j]; }
  double got(std::size_t j) const;

  // The contract's certified bound of |got - Y| at a finite Y: of correctly-rounded half an ulp of Y. Nothing where the
  // contract promises nothing (with +ftz: of such values at all), or the row is undefined.
  std::optional<reference::Dyadic> Error(std::size_t j) const;

  // The exact row; null where it is undefined or not finite.
  const reference::ExactRow* Row(std::size_t row) const;

 private:
  struct RowBounds;
  const RowBounds& BoundsOf(std::size_t row) const;

  const norm::Kernel* kernel_;
  Case case_;
  reference::CaseValues values_;
  bool supported_;
  reference::Outputs outputs_;
  mutable std::vector<std::unique_ptr<RowBounds>> rows_;  // made when first asked for: most laws hold without
};

// |a| <= b and the like, exactly.
bool AtMost(const reference::Dyadic& a, const reference::Dyadic& b);

}  // namespace normcheck::properties
