// The kill matrix as one HTML file: mutants by laws, coloured by the cases that it took, with the shrunk rows.
#pragma once

#include <string>

#include "reports/report.h"

namespace normcheck::reports {

extern const char* const kKillMatrixTemplate;  // page/kill-matrix.html

// `matrix`: a JSON of schema normcheck/kill-matrix/1, as properties::KillMatrixJson writes it.
// Throws nlohmann's exceptions where a field is missing.
std::string KillMatrixPage(const Json& matrix);

}  // namespace normcheck::reports
