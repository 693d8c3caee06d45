// Arrays whose vectors of kLanes elements never straddle a cache line.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "reference/levels/filter_loops.h"

namespace normcheck::reference::levels {

template <typename T>
struct LaneAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{kLanes * sizeof(T)};

  LaneAllocator() = default;
  template <typename U>
  LaneAllocator(const LaneAllocator<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* array, std::size_t) { ::operator delete(array, kAlignment); }
  bool operator==(const LaneAllocator&) const { return true; }
};

template <typename T>
using LaneArray = std::vector<T, LaneAllocator<T>>;

}  // namespace normcheck::reference::levels
