// What plug-ins did that is worth a line to the user and is no finding.
#pragma once

#include <string>
#include <vector>

namespace normcheck::properties::plug_in {

void AddNote(std::string note);

// The notes since the last call, in order. Any thread.
std::vector<std::string> TakeNotes();

}  // namespace normcheck::properties::plug_in
