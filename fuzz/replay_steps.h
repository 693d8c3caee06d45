// What a finding's replay needs beside its case, on disk beside it: DIR/SIGNATURE.replay.json, and the calls before it.
#pragma once

#include <string>
#include <vector>

#include "properties/reproduce.h"
#include "reference/result.h"

namespace normcheck::fuzz {

// DIR/SIGNATURE.before-N.json, N from 1: what is called before a case on which a kernel fails only after other calls.
std::string BeforePath(const std::string& finding, std::size_t n);

// The files of BeforePath that are there.
std::vector<std::string> BeforeFiles(const std::string& finding);

// {"repeat": N, "restart": true or false, "broken": M, "runs": N}; written only where one run of the case is not enough.
reference::Result<bool> WriteSteps(const std::string& finding, const properties::Reproduction& how);

// The options of judge and properties that the file asks for, with a space behind them; empty where there is none.
std::string StepOptions(const std::string& finding);

// Removes all files of a finding, its case first.
void RemoveFinding(const std::string& finding);

}  // namespace normcheck::fuzz
