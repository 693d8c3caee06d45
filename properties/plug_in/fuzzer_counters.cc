// Registers counters as clang's instrumentation does for each module.
#include "properties/plug_in/fuzzer_counters.h"

#include <algorithm>
#include <mutex>
#include <vector>

extern "C" {
__attribute__((weak)) void __sanitizer_cov_8bit_counters_init(std::uint8_t* first, std::uint8_t* last);
__attribute__((weak)) void __sanitizer_cov_pcs_init(const std::uintptr_t* first, const std::uintptr_t* last);
}

namespace normcheck::properties::plug_in {
namespace {

struct Room {
  std::vector<std::uint8_t> counters;
  std::vector<std::uintptr_t> places;  // a pair for each counter: its address, and 0 for no entry of a function
};

// Never destroyed: libFuzzer reads it to the end.
Room& TheRoom() {
  static Room* const room = new Room;
  return *room;
}

}  // namespace

void OpenFuzzerCounters(std::size_t count) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Room& room = TheRoom();
  if (count == 0 || !room.counters.empty() || __sanitizer_cov_8bit_counters_init == nullptr || __sanitizer_cov_pcs_init == nullptr) return;
  room.counters.resize(count);
  for (const std::uint8_t& counter : room.counters) room.places.insert(room.places.end(), {reinterpret_cast<std::uintptr_t>(&counter), 0});
  __sanitizer_cov_8bit_counters_init(room.counters.data(), room.counters.data() + count);
  __sanitizer_cov_pcs_init(room.places.data(), room.places.data() + room.places.size());
}

void AddToFuzzerCounters(std::span<const std::uint8_t> counters) {
  std::vector<std::uint8_t>& own = TheRoom().counters;
  for (std::size_t i = 0; i < std::min(counters.size(), own.size()); ++i) own[i] |= counters[i];
}

}  // namespace normcheck::properties::plug_in
