// One array of a kernel call in memory of its own, between guards, at a chosen alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "reference/case.h"

namespace normcheck::reference {

// Row r holds `width` elements from r*pitch on; the last row has no padding.
struct ArrayShape {
  std::size_t rows = 0;
  std::size_t width = 0;
  std::size_t pitch = 0;

  std::size_t extent() const { return rows == 0 ? 0 : (rows - 1) * pitch + width; }
};

class GuardedArray {
 public:
  // Guards, watched padding and elements hold the poison. Null data() where the system gives no memory.
  GuardedArray(Format format, const ArrayShape& shape, std::size_t misalign);
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  ~GuardedArray();

  void* data() { return data_; }
  void Fill(const std::vector<Bits>& dense);
  std::vector<Bits> Dense() const;
  bool Holds(const std::vector<Bits>& dense) const;
  bool PaddingIntact() const;

  // In words, where the three above and GuardsIntact are false: "row 0 element 3", "2 elements of the padding behind row 0 of y,
  // from element 5 on", "1 element behind y, from 0 after its end on".
  std::string Difference(const std::vector<Bits>& dense) const;
  std::string PaddingFault(const std::string& name) const;
  std::string GuardFault(const std::string& name) const;

  // Under AddressSanitizer, makes every access to the guards a fault, or allows it again; otherwise nothing.
  void LockGuards();
  void UnlockGuards();
  bool GuardsIntact() const;

 private:
  std::byte* At(std::size_t row, std::size_t index) const;
  void Poison(std::byte* at, std::size_t count);
  bool IsPoison(const std::byte* at, std::size_t count) const;

  struct Changed {
    std::size_t first = 0, last = 0, count = 0;  // last: of the changed ones
  };
  Changed ChangedIn(const std::byte* at, std::size_t count) const;

  Format format_;
  ArrayShape shape_;
  std::size_t element_;
  std::size_t front_;  // guard elements before data, those of the misalignment included
  std::unique_ptr<std::byte, decltype(&std::free)> memory_;
  std::byte* data_ = nullptr;
};

}  // namespace normcheck::reference
