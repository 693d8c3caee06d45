// Bounds: what a contract promises about the error of each output of a row.
#pragma once

#include <memory>

#include "reference/contract.h"
#include "reference/exact_row.h"

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

// Exponents t of the ulps 2^t at an element: of y itself and of |gamma_i|*max_j|xhat_j| + |beta_i|.
struct UlpScale {
  int element = 0;
  int row = 0;
};

class Bounds {
 public:
  virtual ~Bounds() = default;
  // The promise for y_i.
  virtual Promise Of(std::size_t i, const UlpScale& scale) const = 0;
  // The promise for xhat_i, as if gamma were 1 and beta 0; `scale` belongs to xhat_i.
  virtual Promise OfXhat(std::size_t i, const UlpScale& scale) const = 0;
};

// True where BoundsOn knows the contract. Profiles are not among them: their outputs are refused, not passed.
bool HasBounds(const Contract& contract);

// The bounds on one row with exact elements. Requires: HasBounds(contract).
std::unique_ptr<const Bounds> BoundsOn(const Contract& contract, const ExactRow& row);

}  // namespace normcheck::reference
