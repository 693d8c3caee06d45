// Fills and checks guarded arrays.
#include "reference/guarded_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "reference/outputs.h"

#if defined(__SANITIZE_ADDRESS__)
#define NORMCHECK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NORMCHECK_ASAN 1
#endif
#endif
#ifdef NORMCHECK_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace normcheck::reference {
namespace {

constexpr std::size_t kGuard = 64;
constexpr std::size_t kAlignment = 64;

std::byte* Allocate(std::size_t bytes) {
  return static_cast<std::byte*>(std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
}

// Loops of plain loads and stores without a way out in between, which compilers make vectors of. Element: an unsigned integer.
template <typename Element>
void StoreAll(const Bits* bits, std::size_t count, std::byte* at) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = static_cast<Element>(bits[i]);
    std::memcpy(at + i * sizeof element, &element, sizeof element);
  }
}

template <typename Element>
void StoreSame(Bits bits, std::size_t count, std::byte* at) {
  const auto element = static_cast<Element>(bits);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(at + i * sizeof element, &element, sizeof element);
}

template <typename Element>
void LoadAll(const std::byte* at, std::size_t count, Bits* bits) {
  for (std::size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, at + i * sizeof element, sizeof element);
    bits[i] = element;
  }
}

template <typename Element>
bool AllSame(const std::byte* at, std::size_t count, Bits bits) {
  Bits difference = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, at + i * sizeof element, sizeof element);
    difference |= element ^ bits;
  }
  return difference == 0;
}

std::string Elements(std::size_t count) { return fmt::format("{} element{}", count, count == 1 ? "" : "s"); }

}  // namespace

GuardedArray::GuardedArray(Format format, const ArrayShape& shape, std::size_t misalign)
    : format_(format),
      shape_(shape),
      element_(norm::TraitsOf(format).bytes),
      front_(kGuard + misalign),
      memory_(Allocate((front_ + shape.extent() + kGuard) * element_), &std::free) {
  if (!memory_) return;
  data_ = memory_.get() + front_ * element_;
  Poison(memory_.get(), front_);
  Poison(data_ + shape_.extent() * element_, kGuard);
  for (std::size_t row = 0; row < shape_.rows; ++row) {
    Poison(At(row, 0), shape_.width);
    if (row + 1 == shape_.rows) break;
    const std::size_t watched = std::min(shape_.pitch - shape_.width, kWatchedPadding);
    Poison(At(row, shape_.width), watched);
    Poison(At(row + 1, 0) - watched * element_, watched);
  }
}

GuardedArray::~GuardedArray() { UnlockGuards(); }

void GuardedArray::Fill(const std::vector<Bits>& dense) {
  for (std::size_t row = 0; row < shape_.rows; ++row) {
    const auto store = element_ == 4 ? StoreAll<std::uint32_t> : StoreAll<std::uint16_t>;
    store(dense.data() + row * shape_.width, shape_.width, At(row, 0));
  }
}

std::vector<Bits> GuardedArray::Dense() const {
  std::vector<Bits> out(shape_.rows * shape_.width);
  for (std::size_t row = 0; row < shape_.rows; ++row) {
    const auto load = element_ == 4 ? LoadAll<std::uint32_t> : LoadAll<std::uint16_t>;
    load(At(row, 0), shape_.width, out.data() + row * shape_.width);
  }
  return out;
}

bool GuardedArray::Holds(const std::vector<Bits>& dense) const { return Dense() == dense; }

bool GuardedArray::PaddingIntact() const {
  const std::size_t watched = std::min(shape_.pitch - shape_.width, kWatchedPadding);
  for (std::size_t row = 0; row + 1 < shape_.rows; ++row)
    if (!IsPoison(At(row, shape_.width), watched) || !IsPoison(At(row + 1, 0) - watched * element_, watched)) return false;
  return true;
}

void GuardedArray::LockGuards() {
#ifdef NORMCHECK_ASAN
  __asan_poison_memory_region(memory_.get(), front_ * element_);
  __asan_poison_memory_region(data_ + shape_.extent() * element_, kGuard * element_);
#endif
}

void GuardedArray::UnlockGuards() {
#ifdef NORMCHECK_ASAN
  if (!memory_) return;
  __asan_unpoison_memory_region(memory_.get(), front_ * element_);
  __asan_unpoison_memory_region(data_ + shape_.extent() * element_, kGuard * element_);
#endif
}

bool GuardedArray::GuardsIntact() const {
  return IsPoison(memory_.get(), front_) && IsPoison(data_ + shape_.extent() * element_, kGuard);
}

std::string GuardedArray::Difference(const std::vector<Bits>& dense) const {
  const std::vector<Bits> now = Dense();
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(now, dense).in1 - now.begin());
  return fmt::format("row {} element {}", at / shape_.width, at % shape_.width);
}

std::string GuardedArray::PaddingFault(const std::string& name) const {
  const std::size_t gap = shape_.pitch - shape_.width, watched = std::min(gap, kWatchedPadding);
  for (std::size_t row = 0; row + 1 < shape_.rows; ++row)
    for (const std::size_t from : {std::size_t{0}, gap - watched}) {
      const Changed changed = ChangedIn(At(row, shape_.width + from), watched);
      if (changed.count == 0) continue;
      return fmt::format("{} of the padding behind row {} of {}, from element {} on", Elements(changed.count), row, name,
                         shape_.width + from + changed.first);
    }
  return "";
}

std::string GuardedArray::GuardFault(const std::string& name) const {
  const Changed before = ChangedIn(memory_.get(), front_);
  if (before.count > 0)
    return fmt::format("{} before {}, from {} before its begin on", Elements(before.count), name, front_ - before.first);
  const Changed behind = ChangedIn(data_ + shape_.extent() * element_, kGuard);
  return fmt::format("{} behind {}, from {} after its end on", Elements(behind.count), name, behind.first);
}

GuardedArray::Changed GuardedArray::ChangedIn(const std::byte* at, std::size_t count) const {
  Changed changed;
  for (std::size_t i = 0; i < count; ++i) {
    if (IsPoison(at + i * element_, 1)) continue;
    if (changed.count++ == 0) changed.first = i;
    changed.last = i;
  }
  return changed;
}

std::byte* GuardedArray::At(std::size_t row, std::size_t index) const {
  return data_ + (row * shape_.pitch + index) * element_;
}

void GuardedArray::Poison(std::byte* at, std::size_t count) {
  const auto store = element_ == 4 ? StoreSame<std::uint32_t> : StoreSame<std::uint16_t>;
  store(PoisonBits(format_), count, at);
}

bool GuardedArray::IsPoison(const std::byte* at, std::size_t count) const {
  const auto same = element_ == 4 ? AllSame<std::uint32_t> : AllSame<std::uint16_t>;
  return same(at, count, PoisonBits(format_));
}

}  // namespace normcheck::reference
