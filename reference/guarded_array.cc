// Fills and checks guarded arrays.
#include "reference/guarded_array.h"

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
  for (std::size_t row = 0; row < shape_.rows; ++row)
    for (std::size_t i = 0; i < shape_.width; ++i) Store(At(row, i), dense[row * shape_.width + i]);
}

std::vector<Bits> GuardedArray::Dense() const {
  std::vector<Bits> out;
  out.reserve(shape_.rows * shape_.width);
  for (std::size_t row = 0; row < shape_.rows; ++row)
    for (std::size_t i = 0; i < shape_.width; ++i) out.push_back(Load(At(row, i)));
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

Bits GuardedArray::Load(const std::byte* at) const {
  if (element_ == 4) {
    Bits bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return bits;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

void GuardedArray::Store(std::byte* at, Bits bits) {
  const auto low = static_cast<std::uint16_t>(bits & 0xffff);
  if (element_ == 4)
    std::memcpy(at, &bits, sizeof bits);
  else
    std::memcpy(at, &low, sizeof low);
}

std::byte* GuardedArray::At(std::size_t row, std::size_t index) const {
  return data_ + (row * shape_.pitch + index) * element_;
}

void GuardedArray::Poison(std::byte* at, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) Store(at + i * element_, PoisonBits(format_));
}

bool GuardedArray::IsPoison(const std::byte* at, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i)
    if (Load(at + i * element_) != PoisonBits(format_)) return false;
  return true;
}

}  // namespace normcheck::reference
