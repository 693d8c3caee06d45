// Reads reports back: for gates, comparisons and merges. Nothing of a file is trusted.
#pragma once

#include <string>

#include "reference/result.h"
#include "reports/report.h"

namespace normcheck::reports {

enum class ReadAs {
  kFigures,  // keys and figures only: a baseline or a report
  kWhole,    // with the worst rows and texts of a report
};

// A report or baseline (schema normcheck/report/1) with all its fields of the right kind, and no kernel or cell twice.
// Unknown fields are ignored. Errors: "FILE: FIELD: what is wrong; how to mend it", such as "a.json: kernels[0].cells[3].judged: ...".
reference::Result<Json> ReadReport(const std::string& path, ReadAs as);

// "layer_norm f32/f32/f32 outlier 4-16 eps 0x1p-10": a cell for people, unique within its kernel.
std::string CellName(const Json& cell);

// A report without what differs between machines and runs: no environment, no worst rows, no replay lines. A line per cell.
std::string BaselineText(const Json& report);

}  // namespace normcheck::reports
