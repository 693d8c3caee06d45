// Regions in a memory file.
#include "properties/plug_in/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace normcheck::properties::plug_in {
namespace {

using Arrays = std::array<ArrayBytes, kArrays>;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kFirstCapacity = std::size_t{1} << 18;
constexpr std::size_t kLead = 256;  // canaries before an array
constexpr std::size_t kLargeBytes = std::size_t{1} << 24;
constexpr std::size_t kMostBytes = std::size_t{1} << 46;  // half the address space of a process
constexpr std::byte kCanary{0xa7};

// Canaries on both sides of an array: [from, begin) and [end, to) in its region.
struct Canaries {
  std::size_t from, begin, end, to;
};

Canaries CanariesOf(std::uint64_t offset, std::size_t extent, std::size_t capacity) {
  const auto begin = static_cast<std::size_t>(offset);
  return {begin - std::min(begin, kLead), begin, begin + extent, std::min(capacity, begin + extent + kAlignment)};
}

bool HoldsCanaries(const std::byte* region, std::size_t from, std::size_t to) {
  return std::all_of(region + from, region + to, [](std::byte at) { return at == kCanary; });
}

// From `from` on; there is one.
std::size_t FirstOther(const std::byte* region, std::size_t from) {
  while (region[from] == kCanary) ++from;
  return from;
}

std::uintptr_t AddressOf(const ArrayBytes& array) { return reinterpret_cast<std::uintptr_t>(array.data); }

// By chance one array begins a page; all of them do where the caller has put them there.
bool AllBeginAPage(const Arrays& arrays) {
  return std::ranges::all_of(arrays, [](const ArrayBytes& array) { return AddressOf(array) % kPage == 0; });
}

// A caller's array of whole pages stands against both guards; here it takes them in turn.
std::uint64_t OffsetOf(const ArrayBytes& array, std::uint64_t capacity, bool begin, bool odd_call) {
  const std::uintptr_t address = AddressOf(array);
  const bool whole_pages = array.extent() % kPage == 0;
  if (begin && !(whole_pages && odd_call)) return 0;
  const std::uint64_t last = capacity - array.extent();
  return last - (last - address) % kAlignment;
}

std::size_t CapacityFor(std::size_t extent) {
  std::size_t capacity = kFirstCapacity;
  while (capacity < extent + kPage) capacity *= 2;
  return capacity;
}

}  // namespace

reference::Result<SharedMemory> SharedMemory::Make() {
  SharedMemory memory(Descriptor(memfd_create("normcheck", MFD_CLOEXEC)));
  if (!memory.file_.open() || !memory.Grow({})) return reference::Error{"the system gives no shared memory"};
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::move(other.file_)), base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_), starts_(other.starts_),
      capacities_(other.capacities_), offsets_(other.offsets_), layout_(other.layout_), odd_call_(other.odd_call_) {}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

bool SharedMemory::Grow(const Arrays& arrays) {
  bool fits = base_ != nullptr;
  for (std::size_t i = 0; i < kArrays; ++i) fits &= arrays[i].extent() + kPage <= capacities_[i];
  if (fits) return true;
  std::size_t end = kBlockBytes;
  for (std::size_t i = 0; i < kArrays; ++i) {
    if (arrays[i].extent() > kMostBytes) return false;
    capacities_[i] = std::max<std::uint64_t>(capacities_[i], CapacityFor(arrays[i].extent()));
    starts_[i] = end;
    end += capacities_[i];
  }
  if (base_ != nullptr) munmap(base_, bytes_);
  bytes_ = end;
  ++layout_;
  return Map();
}

bool SharedMemory::Map() {
  base_ = nullptr;
  if (ftruncate(file_.number(), static_cast<off_t>(bytes_)) != 0) return false;
  void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.number(), 0);
  if (mapped == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(mapped);
  return true;
}

std::byte* SharedMemory::At(std::size_t array) const { return base_ + starts_[array] + offsets_[array]; }

bool SharedMemory::LayOut(const norm::KernelCall& call) {
  const Arrays arrays = ArraysOf(call);
  if (!Grow(arrays)) return false;
  const bool begin = AllBeginAPage(arrays);
  odd_call_ = !odd_call_;
  for (std::size_t i = 0; i < kArrays; ++i) {
    offsets_[i] = arrays[i].data == nullptr ? kAbsent : OffsetOf(arrays[i], capacities_[i], begin, odd_call_);
    if (offsets_[i] == kAbsent) continue;
    std::byte* const region = base_ + starts_[i];
    const Canaries canaries = CanariesOf(offsets_[i], arrays[i].extent(), capacities_[i]);
    std::fill(region + canaries.from, region + canaries.begin, kCanary);
    std::fill(region + canaries.end, region + canaries.to, kCanary);
    CopyRows(arrays[i], arrays[i].data, At(i));
  }
  SharedBlock& shared = block();
  shared.layout = layout_;
  shared.capacities = capacities_;
  shared.offsets = offsets_;
  shared.op = static_cast<std::int32_t>(call.op);
  shared.x_format = static_cast<std::int32_t>(call.formats.x);
  shared.param_format = static_cast<std::int32_t>(call.formats.params);
  shared.y_format = static_cast<std::int32_t>(call.formats.y);
  shared.rows = call.rows;
  shared.width = call.width;
  shared.x_pitch = call.x_pitch;
  shared.y_pitch = call.y_pitch;
  shared.epsilon = call.epsilon;
  shared.in_place = IsInPlace(call);
  return true;
}

std::optional<std::string> SharedMemory::Trespass(const norm::KernelCall& call) {
  const Arrays arrays = ArraysOf(call);
  for (std::size_t i = 0; i < kArrays; ++i) {
    if (offsets_[i] == kAbsent) continue;
    const std::byte* const region = base_ + starts_[i];
    const Canaries canaries = CanariesOf(offsets_[i], arrays[i].extent(), capacities_[i]);
    if (!HoldsCanaries(region, canaries.from, canaries.begin))
      return fmt::format("wrote before {}: from byte {} before its begin on", kArrayNames[i], canaries.begin - FirstOther(region, canaries.from));
    if (!HoldsCanaries(region, canaries.end, canaries.to))
      return fmt::format("wrote behind {}: from byte {} after its end on", kArrayNames[i], FirstOther(region, canaries.end) - canaries.end);
    const bool input = i == kGamma || i == kBeta || (i == kX && !IsInPlace(call));
    if (input && !SameRows(arrays[i], arrays[i].data, At(i))) return std::string("changed ") + kArrayNames[i];
  }
  return std::nullopt;
}

void SharedMemory::TakeOutputs(const norm::KernelCall& call) {
  const Arrays arrays = ArraysOf(call);
  const auto take = [&](std::size_t array, void* to) {
    if (offsets_[array] != kAbsent) CopyRows(arrays[array], At(array), static_cast<std::byte*>(to));
  };
  take(IsInPlace(call) ? kX : kY, call.y);
  take(kMean, call.mean);
  take(kInvStdDev, call.inv_std_dev);
}

void SharedMemory::Shrink() {
  for (std::size_t i = 0; i < kArrays; ++i)
    if (capacities_[i] >= kLargeBytes)
      fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(starts_[i]), static_cast<off_t>(capacities_[i]));
}

}  // namespace normcheck::properties::plug_in
