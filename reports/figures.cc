// The list of figures.
#include "reports/figures.h"

namespace normcheck::reports {

std::span<const CellFigure> CellFigures() {
  using enum FigureKind;
  static constexpr CellFigure kAll[] = {
      {"broken", kCountUp, "More outputs break the contract."},
      {"class_faults", kCountUp, "More outputs are of the wrong class (NaN, infinity, sign)."},
      {"not_checked", kCountUp, "Outputs that were checked are not any more."},
      {"judged", kCountDown, "Fewer outputs are judged."},
      {"undefined", kCountUp, "More outputs are undefined."},
      {"no_promise", kCountUp, "The contract promises nothing for more outputs."},
      {"correctly_rounded", kShare, "A smaller share of the outputs judged is correctly rounded."},
      {"beyond_element", kCountUp, "More outputs are off by more than 0.501 element ulps."},
      {"max_row_ulp", kUlp, "The worst error in row ulps has grown."},
      {"p999_row_ulp", kUlp, "The 99.9 % error in row ulps has grown."},
      {"mean_row_ulp", kUlp, "The mean error in row ulps has grown."},
      {"max_ulp", kUlp, "The worst error in element ulps has grown."},
      {"p999_ulp", kUlp, "The 99.9 % error in element ulps has grown."},
      {"bound_ratio", kUlp, "The worst error as a part of the bound has grown."},
      {"bias_ulp", kSignedUlp, "The mean error leans further away from or towards zero."},
  };
  return kAll;
}

}  // namespace normcheck::reports
