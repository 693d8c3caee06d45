// Classes of condition: what kind of row a kernel was worst on, so that a campaign can keep a worst row of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "reference/case.h"

namespace normcheck::fuzz {

// A partition: the first that holds. mu and sigma^2 are the row's mean and variance (RMSNorm: 0 and the mean square).
enum class RowClass : std::uint8_t {
  kNotFinite,     // a NaN or an infinity in the row
  kConstant,      // sigma = 0
  kSubnormal,     // every element subnormal or zero
  kNearOverflow,  // max|x| at least 1/16 of the largest finite value
  kOffset1e6,     // |mu| >= 1e6 sigma
  kOffset1e3,     // |mu| >= 1e3 sigma
  kVarBelowEps,   // sigma^2 < eps/16
  kVarNearEps,    // sigma^2 <= 16 eps
  kOutlier,       // 8 elements or more, one of which holds nine tenths of the variance
  kPlain,
};

inline constexpr RowClass kRowClasses[] = {RowClass::kNotFinite,   RowClass::kConstant,  RowClass::kSubnormal,  RowClass::kNearOverflow,
                                           RowClass::kOffset1e6,   RowClass::kOffset1e3, RowClass::kVarBelowEps, RowClass::kVarNearEps,
                                           RowClass::kOutlier,     RowClass::kPlain};

constexpr std::string_view NameOf(RowClass row_class) {
  constexpr std::string_view kNames[] = {"not-finite", "constant",      "subnormal",    "near-overflow", "offset-1e6",
                                         "offset-1e3", "var-below-eps", "var-near-eps", "outlier",       "plain"};
  return kNames[static_cast<int>(row_class)];
}

std::optional<RowClass> RowClassNamed(std::string_view name);

// In binary64 arithmetic, which is near enough for a class. Requires: row < c.rows, or a case without elements (kConstant).
RowClass ClassOfRow(const reference::Case& c, std::size_t row);

}  // namespace normcheck::fuzz
