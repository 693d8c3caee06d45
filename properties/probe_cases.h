// The cases that tell one definition from another.
#pragma once

#include <string>
#include <vector>

#include "properties/families.h"

namespace normcheck::properties {

struct ProbeCase {
  std::string question;
  std::string about;        // the case in words
  std::string as_defined;   // the answer where the contract is kept
  std::string alternative;  // id of the mistake that is shown beside, or ""
  Case c;
};

// Small widths, variance near epsilon, no offset, H off the lanes, mean not 0, several rows, uneven gamma and beta.
std::vector<ProbeCase> ProbeCases(Op op, const Formats& formats);

}  // namespace normcheck::properties
