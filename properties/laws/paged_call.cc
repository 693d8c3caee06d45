// Lays arrays out between protected pages.
#include "properties/laws/paged_call.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "norm/harness_fault.h"
#include "reference/mxcsr.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using norm::Format;
using reference::Bits;
using reference::Case;

constexpr std::size_t kMaxElements = std::size_t{1} << 24;

// Mappings between two protected pages that go round, since making one costs three system calls and its page faults.
class Mappings {
 public:
  Mappings() = default;
  ~Mappings() {
    for (const auto& [inside, bases] : free_)
      for (std::byte* base : bases) munmap(base, inside + 2 * page_);
  }
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  std::size_t page() const { return page_; }

  // Null where the system has no memory.
  std::byte* Take(std::size_t inside) {
    auto& bases = free_[inside];
    if (!bases.empty()) {
      std::byte* const base = bases.back();
      bases.pop_back();
      return base;
    }
    void* const mapped = mmap(nullptr, inside + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    std::byte* const base = static_cast<std::byte*>(mapped);
    if (mprotect(base + page_, inside, PROT_READ | PROT_WRITE) == 0) return base;
    munmap(base, inside + 2 * page_);
    return nullptr;
  }

  void Give(std::byte* base, std::size_t inside) {
    if (inside <= kMostKept) free_[inside].push_back(base);
    else munmap(base, inside + 2 * page_);
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 18;
  std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::map<std::size_t, std::vector<std::byte*>> free_;
};

thread_local Mappings mappings;

// One array of `count` elements in pages of its own, all of them filled with poison first.
class PagedArray {
 public:
  PagedArray(Format format, std::size_t count, PageEdge edge, std::size_t shift) : format_(format), count_(count) {
    const std::size_t bytes = (count + shift) * width();
    inside_ = std::max<std::size_t>(1, (bytes + mappings.page() - 1) / mappings.page()) * mappings.page();
    base_ = mappings.Take(inside_);
    if (base_ == nullptr) return;
    first_ = base_ + mappings.page();
    data_ = edge == PageEdge::kArrayBegins ? first_ + shift * width() : first_ + inside_ - bytes;
    Put(first_, reference::PoisonBits(format));
    for (std::size_t filled = width(); filled < inside_; filled *= 2) std::memcpy(first_ + filled, first_, std::min(filled, inside_ - filled));
  }
  ~PagedArray() {
    if (base_ != nullptr) mappings.Give(base_, inside_);
  }
  PagedArray(const PagedArray&) = delete;
  PagedArray& operator=(const PagedArray&) = delete;

  void* data() const { return data_; }
  void Set(std::size_t i, Bits bits) { Put(data_ + i * width(), bits); }
  Bits Get(std::size_t i) const { return At(data_ + i * width()); }

  // Where something in its pages outside of the elements does not hold the poison: "before NAME" or "behind NAME".
  std::string Trespass(const std::string& name) const {
    if (!Poisoned(first_, data_)) return "before " + name;
    return Poisoned(data_ + count_ * width(), first_ + inside_) ? "" : "behind " + name;
  }

 private:
  std::size_t width() const { return norm::TraitsOf(format_).bytes; }
  // The first element is poison, and each is its neighbour's equal.
  bool Poisoned(const std::byte* from, const std::byte* to) const {
    if (from == to) return true;
    return At(from) == reference::PoisonBits(format_) && std::memcmp(from, from + width(), static_cast<std::size_t>(to - from) - width()) == 0;
  }

  void Put(std::byte* place, Bits bits) const { std::memcpy(place, &bits, width()); }
  Bits At(const std::byte* place) const {
    Bits bits = 0;
    std::memcpy(&bits, place, width());
    return bits;
  }

  Format format_;
  std::size_t count_;
  std::size_t inside_ = 0;
  std::byte* base_ = nullptr;
  std::byte* first_ = nullptr;
  std::byte* data_ = nullptr;
};

std::size_t Extent(const Case& c, std::size_t pitch) { return c.rows == 0 ? 0 : (c.rows - 1) * pitch + c.width; }

class PagedArrays {
 public:
  PagedArrays(const norm::Kernel& kernel, const Case& c, const PagedLayout& layout) : c_(c) {
    const auto make = [&](std::size_t which, Format format, std::size_t count) {
      arrays_[which].emplace(format, count, layout.edge, layout.shifts[which]);
    };
    make(0, c.formats.x, Extent(c, c.x_pitch));
    if (c.gamma) make(1, c.formats.params, c.width);
    if (c.beta) make(2, c.formats.params, c.width);
    make(3, c.formats.y, Extent(c, c.y_pitch));
    if (kernel.statistics && reference::OperationOf(c.op).Find("mean")) make(4, Format::kF32, c.rows);
    if (kernel.statistics) make(5, Format::kF32, c.rows);
  }

  bool complete() const {
    return std::ranges::all_of(arrays_, [](const auto& array) { return !array || array->data() != nullptr; });
  }

  norm::KernelCall Fill(Bits x_padding) {
    for (std::size_t i = 0; i < Extent(c_, c_.x_pitch); ++i) {
      const std::size_t column = i % c_.x_pitch;
      arrays_[0]->Set(i, column < c_.width ? c_.x[i / c_.x_pitch * c_.width + column] : x_padding);
    }
    for (std::size_t i = 0; i < c_.width; ++i) {
      if (c_.gamma) arrays_[1]->Set(i, (*c_.gamma)[i]);
      if (c_.beta) arrays_[2]->Set(i, (*c_.beta)[i]);
    }
    const auto data = [&](std::size_t which) { return arrays_[which] ? arrays_[which]->data() : nullptr; };
    return {c_.op,     c_.formats, c_.rows, c_.width, c_.x_pitch, c_.y_pitch, c_.epsilon, data(0), data(1), data(2), data(3),
            static_cast<float*>(data(4)), static_cast<float*>(data(5))};
  }

  void Inspect(reference::Outputs& out) const {
    for (std::size_t row = 0; row < c_.rows; ++row)
      for (std::size_t i = 0; i < c_.width; ++i) out.y.push_back(arrays_[3]->Get(row * c_.y_pitch + i));
    out.mean = Floats(4);
    out.inv_std_dev = Floats(5);
    constexpr std::string_view kNames[] = {"x", "gamma", "beta", "y", "mean", "inv_std_dev"};
    for (std::size_t which = 0; which < arrays_.size() && out.trespass.empty(); ++which)
      if (arrays_[which]) out.trespass = arrays_[which]->Trespass(std::string(kNames[which]));
  }

 private:
  std::vector<float> Floats(std::size_t which) const {
    std::vector<float> values;
    for (std::size_t row = 0; arrays_[which] && row < c_.rows; ++row) values.push_back(std::bit_cast<float>(arrays_[which]->Get(row)));
    return values;
  }

  const Case& c_;
  std::array<std::optional<PagedArray>, 6> arrays_;
};

}  // namespace

reference::Outputs RunPaged(const norm::Kernel& kernel, const Case& c, const PagedLayout& layout) {
  reference::Outputs out;
  if (reference::BufferElements(c) > kMaxElements) throw norm::HarnessFault("the case needs more memory than a run may take");
  PagedArrays arrays(kernel, c, layout);
  if (!arrays.complete()) throw norm::HarnessFault("the system gives no memory for arrays between guard pages");
  const norm::KernelCall call = arrays.Fill(layout.x_padding);
  out.mxcsr_before = reference::ReadMxcsr();
  out.result = kernel.run(call);
  out.mxcsr_after = reference::ReadMxcsr();
  reference::RestoreMxcsr(out.mxcsr_before);
  arrays.Inspect(out);
  return out;
}

reference::Outputs RunFarRows(const norm::Kernel& kernel, const Case& c, std::size_t x_pitch) {
  const std::size_t bytes = norm::TraitsOf(c.formats.x).bytes;
  const std::size_t extent = ((c.rows - 1) * x_pitch + c.width) * bytes;
  void* const x = mmap(nullptr, extent, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (x == MAP_FAILED) throw norm::HarnessFault("the system gives no address space for the pitch");
  const std::unique_ptr<void, std::function<void(void*)>> owner(x, [extent](void* mapped) { munmap(mapped, extent); });
  for (std::size_t i = 0; i < c.x.size(); ++i)
    std::memcpy(static_cast<std::byte*>(x) + (i / c.width * x_pitch + i % c.width) * bytes, &c.x[i], bytes);
  norm::Kernel far = kernel;
  far.run = [&](const norm::KernelCall& call) {
    norm::KernelCall moved = call;
    moved.x = x;
    moved.x_pitch = x_pitch;
    return kernel.run(moved);
  };
  return reference::RunKernel(far, c, {});
}

}  // namespace normcheck::properties
