// Reads a case into groups.
#include "reference/diagnosis/subject.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace normcheck::reference::diagnosis {

Subject::Subject(const Case& c, double epsilon, const Contract& contract, Subnormals reading)
    : values_(c, epsilon, reading), contract_(contract) {
  for (std::size_t row = 0; row < c.rows && c.width > 0; ++row) {
    std::vector<double> x = values_.Row(row);
    const bool finite = std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
    skipped_.push_back(false);
    rows_.push_back(finite ? std::make_unique<Group>(std::move(x), OperationOf(c.op).squares_over) : nullptr);
  }
}

bool Subject::AllFinite() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const auto& row) { return row != nullptr; });
}

}  // namespace normcheck::reference::diagnosis
