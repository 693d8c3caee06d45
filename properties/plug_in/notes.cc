// A list of lines behind a lock.
#include "properties/plug_in/notes.h"

#include <mutex>
#include <utility>

namespace normcheck::properties::plug_in {
namespace {

struct Notes {
  std::mutex mutex;
  std::vector<std::string> lines;
};

Notes& TheNotes() {
  static Notes* const notes = new Notes;
  return *notes;
}

}  // namespace

void AddNote(std::string note) {
  const std::lock_guard lock(TheNotes().mutex);
  TheNotes().lines.push_back(std::move(note));
}

std::vector<std::string> TakeNotes() {
  const std::lock_guard lock(TheNotes().mutex);
  return std::exchange(TheNotes().lines, {});
}

}  // namespace normcheck::properties::plug_in
