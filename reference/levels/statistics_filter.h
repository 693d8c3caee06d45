// Statistics of a row by the filter where it can decide them, else by the exact level.
#pragma once

#include "reference/levels/case_levels.h"

namespace normcheck::reference::levels {

// Adds what `outputs` holds of the row's mean and inv_std_dev. filtered: null where the filter has no row.
void AddStatistics(const Contract& contract, const FilteredRow* filtered, ExactReadings& exact, const Case& c, std::size_t row,
                   const Outputs& outputs, StatisticsJudge& judge);

}  // namespace normcheck::reference::levels
