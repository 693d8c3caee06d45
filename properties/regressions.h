// The committed case files: public bug reports, recorded activations, and findings of campaigns (fuzz --export).
#pragma once

#include <string>
#include <vector>

#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::properties {

struct Regression {
  std::string file;    // path as given
  std::string family;  // "public-bugs", "activations" or "campaigns"
  reference::Case c;
};

// Reads every *.case.json of dir, sorted by name; the family is the name up to the number or site:
// public-bugs-001-onnxruntime-28463.case.json, activations-use_lite-layer0-ffn_prenorm-typical.case.json.
reference::Result<std::vector<Regression>> ReadRegressions(const std::string& dir);

// properties/regressions of the source tree, or where it was installed; NORMCHECK_REGRESSIONS overrides.
std::string RegressionsDir();

}  // namespace normcheck::properties
