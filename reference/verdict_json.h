// Verdicts as JSON (schema normcheck/verdict/1) and as the few lines that a terminal shows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reference/verdict.h"

namespace normcheck::reference {

nlohmann::ordered_json VerdictJson(const Verdict& verdict, const Case& c, const std::string& file, bool outputs);

// One line when the contract is kept; else the worst element in hex and decimal (x, got, want, ulps, bound), the row's
// facts, the diagnosis and the line that replays it. At most 80 columns wide where the values allow.
// replay: that line's command; empty: judge of verdict.kernel on file.
std::string VerdictText(const Verdict& verdict, const Case& c, const std::string& file, const std::string& replay = {});

}  // namespace normcheck::reference
