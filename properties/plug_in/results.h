// The results that a kernel elsewhere left in a folder of cases.
#pragma once

#include <string>
#include <vector>

#include "properties/plug_in/case_folder.h"
#include "reference/outputs.h"

namespace normcheck::properties::plug_in {

// A case's outputs from its y file, and the statistics where their files are there.
// Errors: "FILE: what is wrong; how to mend it" for a missing y, another type or shape, and what reference/npy.h refuses.
reference::Result<reference::Outputs> ReadResults(const std::string& dir, const ReadFolderCase& read);

// True where y is NaN throughout although a right y is not: it looks like an array that was never written.
bool IsNanFilled(const reference::Case& c, const reference::Outputs& outputs);

// Files of the folder that the manifest does not name, sorted.
std::vector<std::string> ExtraFiles(const std::string& dir, const std::vector<ReadFolderCase>& cases);

}  // namespace normcheck::properties::plug_in
