// Bounds: what a contract promises about the error of each output of a row.
#pragma once

#include <memory>

#include "reference/case_values.h"
#include "reference/contract.h"
#include "reference/exact_row.h"
#include "reference/profile_bounds.h"

namespace normcheck::reference {

struct Promise {
  enum class Kind : std::uint8_t {
    kCorrectlyRounded,  // got is the exact value rounded once
    kWithin,            // |got - y| <= max_error
    kNothing,
  };
  Kind kind = Kind::kNothing;
  Dyadic max_error = {};
};

// What a promise may be scaled by. Exponents t of the ulps 2^t at an element: of y itself and of
// |gamma_i|*max_j|xhat_j| + |beta_i|; and y in double, which the bounds of profiles take.
struct UlpScale {
  int element = 0;
  int row = 0;
  double value = 0;
};

class Bounds {
 public:
  virtual ~Bounds() = default;
  // The promise for y_i.
  virtual Promise Of(std::size_t i, const UlpScale& scale) const = 0;
  // The promise for xhat_i, as if gamma were 1 and beta 0; `scale` belongs to xhat_i.
  virtual Promise OfXhat(std::size_t i, const UlpScale& scale) const = 0;
  // The row's terms of a profile; null for the other contracts.
  virtual const RowBound* profile() const { return nullptr; }
};

// True where BoundsOn knows the contract. A profile with +ftz is not among them and refused: the bounds hold for subnormals
// kept, since each addition whose result is flushed would add an error that they do not count.
bool HasBounds(const Contract& contract);

// The bounds on one row with exact elements; both must outlive them. Requires: HasBounds(contract).
std::unique_ptr<const Bounds> BoundsOn(const Contract& contract, const ExactRow& row, const CaseValues& values);

// The same without gamma, beta and y's format: a profile, whose bounds depend on them, then promises nothing.
std::unique_ptr<const Bounds> BoundsOn(const Contract& contract, const ExactRow& row);

}  // namespace normcheck::reference
