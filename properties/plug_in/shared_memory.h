// The owner's view of the memory that it shares with a library's worker: lays a call out there and takes its outputs back.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "properties/plug_in/array_bytes.h"
#include "properties/plug_in/child_process.h"
#include "properties/plug_in/shared_block.h"

namespace normcheck::properties::plug_in {

// Placement: each array has the alignment (modulo 64 bytes) that the caller's has, and ends within 63 bytes of the guard behind it,
// exactly there where the caller's ends a page. Where all of the caller's arrays begin a page, each begins its region, against the
// guard before it. Bytes between are canaries.
class SharedMemory {
 public:
  static reference::Result<SharedMemory> Make();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  int descriptor() const { return file_.number(); }
  SharedBlock& block() { return *reinterpret_cast<SharedBlock*>(base_); }

  // Copies inputs and outputs (their poison) to their places. False where the system gives no memory.
  bool LayOut(const norm::KernelCall& call);

  // What the kernel did outside of its outputs: "wrote before y", "changed x"; nothing where all is well.
  std::optional<std::string> Trespass(const norm::KernelCall& call);

  // Copies y and the statistics to the caller's arrays.
  void TakeOutputs(const norm::KernelCall& call);

  // Gives large memory back to the system.
  void Shrink();

 private:
  explicit SharedMemory(Descriptor file) : file_(std::move(file)) {}
  bool Grow(const std::array<ArrayBytes, kArrays>& arrays);
  bool Map();
  std::byte* At(std::size_t array) const;

  Descriptor file_;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::array<std::size_t, kArrays> starts_ = {};  // of the regions, in the file
  Capacities capacities_ = {};
  std::array<std::uint64_t, kArrays> offsets_ = {};
  std::uint64_t layout_ = 0;
  bool odd_call_ = false;
};

}  // namespace normcheck::properties::plug_in
