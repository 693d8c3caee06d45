// normcheck_worker --supervise COMMAND...: watches over a kernel's process. normcheck_worker LIBRARY: loads a shared library, tells its description, then runs the calls that its owner lays before it.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include "norm/include/normcheck/kernel.h"
#include "norm/kernel_call.h"
#include "properties/plug_in/fault_watch.h"
#include "properties/plug_in/shared_block.h"
#include "properties/plug_in/supervision.h"
#include "properties/plug_in/supervisor.h"
#include "properties/plug_in/worker_coverage.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace {

using namespace normcheck::properties::plug_in;

SharedBlock* block = nullptr;

using DescribeFunction = decltype(&normcheck_describe_kernel);
using RunFunction = decltype(&normcheck_run_kernel);

// The regions as the kernel sees them, each between guards.
class Regions {
 public:
  bool Follow(const SharedBlock& shared) {
    if (layout_ == shared.layout && base_ != nullptr) return true;
    if (base_ != nullptr) munmap(base_, bytes_);
    base_ = nullptr;
    layout_ = shared.layout;
    capacities_ = shared.capacities;
    bytes_ = kGuardBytes;
    for (const std::uint64_t capacity : capacities_) bytes_ += capacity + kGuardBytes;
    void* const reserved = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return false;
    base_ = static_cast<std::byte*>(reserved);
    if (MapEach()) return true;
    munmap(base_, bytes_);
    base_ = nullptr;
    return false;
  }

  void* At(std::size_t array, std::uint64_t offset) const { return offset == kAbsent ? nullptr : starts_[array] + offset; }

  // SharedBlock::bad_access of an address.
  int GuardAt(const void* address) const {
    const auto* at = static_cast<const std::byte*>(address);
    for (std::size_t i = 0; base_ != nullptr && i < kArrays; ++i) {
      const std::byte* const end = starts_[i] + capacities_[i];
      if (at >= starts_[i] - kGuardBytes / 2 && at < starts_[i]) return static_cast<int>(1 + 2 * i);
      if (at >= end && at < end + kGuardBytes / 2) return static_cast<int>(2 + 2 * i);
    }
    return 0;
  }

 private:
  bool MapEach() {
    std::byte* at = base_ + kGuardBytes;
    auto file_offset = static_cast<off_t>(kBlockBytes);
    for (std::size_t i = 0; i < kArrays; ++i) {
      if (mmap(at, capacities_[i], PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, kMemoryDescriptor, file_offset) == MAP_FAILED) return false;
      starts_[i] = at;
      at += capacities_[i] + kGuardBytes;
      file_offset += static_cast<off_t>(capacities_[i]);
    }
    return true;
  }

  std::uint64_t layout_ = 0;
  Capacities capacities_ = {};
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::byte* starts_[kArrays] = {};
};

Regions regions;

// Notes which guard was touched, the first of a call.
void NoteGuard(const void* address) {
  const int guard = regions.GuardAt(address);
  if (guard == 0 || block->bad_access != 0) return;
  block->bad_access = guard;
  const std::size_t array = static_cast<std::size_t>(guard - 1) / 2;
  const auto* const first = static_cast<const std::byte*>(regions.At(array, block->offsets[array]));
  if (first != nullptr) block->bad_offset = static_cast<const std::byte*>(address) - first;
}

bool Signal() {
  const char byte = 0;
  return send(kChannelDescriptor, &byte, 1, MSG_NOSIGNAL) == 1;
}

bool AwaitCall() {
  char byte;
  ssize_t got;
  do {
    got = recv(kChannelDescriptor, &byte, 1, 0);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

// A word of the list, or the number itself where it has none: the owner refuses it by that.
std::string Word(std::uint32_t value, std::initializer_list<const char*> words) {
  return value < words.size() ? words.begin()[value] : std::to_string(value);
}

std::string Bits(std::uint32_t bits, std::initializer_list<const char*> words) {
  std::string text;
  for (std::uint32_t i = 0; i < 32; ++i)
    if ((bits >> i & 1) != 0) text += " " + (i < words.size() ? Word(i, words) : "bit" + std::to_string(i));
  return text;
}

std::string OpsText(std::uint32_t ops) {
  using normcheck::norm::kOps;
  std::string text;
  for (std::uint32_t i = 0; i < 32; ++i)
    if ((ops >> i & 1) != 0)
      text += " " + (i < std::size(kOps) ? std::string(NameOf(kOps[i])) : "bit" + std::to_string(i));
  return text;
}

std::string Line(const char* key, const char* text) {
  std::string line = std::string(key) + " " + (text == nullptr ? "" : text);
  for (char& c : line)
    if (c == '\n') c = '\v';  // one line; the owner refuses control characters
  return line + "\n";
}

std::string FormatsText(const normcheck_kernel& kernel) {
  constexpr std::size_t kShown = 64;
  std::string text;
  const auto name = [](std::int32_t format) { return Word(static_cast<std::uint32_t>(format), {"f32", "f16", "bf16"}); };
  for (std::size_t i = 0; kernel.formats != nullptr && i < kernel.format_count && i < kShown; ++i)
    text += " " + name(kernel.formats[i].x) + "/" + name(kernel.formats[i].param) + "/" + name(kernel.formats[i].y);
  return text;
}

// Structs of version 1; later ones have these fields first.
constexpr std::uint32_t kKernelBytesOfVersion1 = offsetof(normcheck_kernel, traits);
constexpr std::uint32_t kCallBytesOfVersion1 = sizeof(normcheck_kernel_call);

bool HasTraits(const normcheck_kernel& kernel) { return kernel.kernel_bytes >= sizeof(normcheck_kernel); }

// The text of PROTOCOL.md.
std::string DescriptionText(const normcheck_kernel& kernel) {
  std::string text = "normcheck 1\n" + Line("name", kernel.name);
  if (kernel.release != nullptr) text += Line("release", kernel.release);
  if (kernel.contract != nullptr) text += Line("contract", kernel.contract);
  text += "ops" + OpsText(kernel.ops) + "\n";
  text += "formats" + FormatsText(kernel) + "\n";
  text += "epsilon " + Word(kernel.epsilon_format, {"f64", "f32", "f16", "bf16"}) + "\n";
  text += "supports" + Bits(kernel.supports, {"pitch", "in-place", "absent-gamma-beta", "statistics"}) + "\n";
  const std::uint32_t traits = HasTraits(kernel) ? kernel.traits : 0;
  return text + (traits == 0 ? "" : "traits" + Bits(traits, {"no-beta", "batch-dependent"}) + "\n") + "\n";
}

std::string Mismatch(const char* what, std::uint32_t theirs, std::size_t ours) {
  return std::string("was built with another normcheck/kernel.h: ") + what + " " + std::to_string(theirs) + ", here " + std::to_string(ours) +
         "; build it again with this one";
}

// Empty where the description can be read.
std::string FaultOf(const normcheck_kernel* kernel) {
  if (kernel == nullptr) return "normcheck_describe_kernel returns null";
  if (kernel->version < 1 || kernel->version > NORMCHECK_KERNEL_VERSION)
    return Mismatch("version", kernel->version, NORMCHECK_KERNEL_VERSION);
  const std::uint32_t kernel_bytes = kernel->version == 1 ? kKernelBytesOfVersion1 : std::uint32_t{sizeof(normcheck_kernel)};
  const std::uint32_t call_bytes = kernel->version == 1 ? kCallBytesOfVersion1 : std::uint32_t{sizeof(normcheck_kernel_call)};
  if (kernel->kernel_bytes != kernel_bytes) return Mismatch("kernel_bytes", kernel->kernel_bytes, kernel_bytes);
  if (kernel->call_bytes != call_bytes) return Mismatch("call_bytes", kernel->call_bytes, call_bytes);
  return "";
}

int Tell(int status, const std::string& text) {
  block->status = status;
  std::snprintf(block->text, kTextBytes, "%s", text.c_str());
  return Signal() ? status : 1;
}

template <typename Function>
std::string Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr ? "" : std::string("exports no ") + name + " (see normcheck/kernel.h)";
}

// Threads of this process: the links of its task folder, less "." and "..".
std::uint32_t Threads() {
  static const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat tasks = {};
  return fstat(folder, &tasks) == 0 && tasks.st_nlink > 2 ? static_cast<std::uint32_t>(tasks.st_nlink - 2) : 1;
}

void RunCall(RunFunction run) {
  block->status = NORMCHECK_BAD_ARGUMENT;
  block->text[0] = 0;
  block->bad_access = 0;
  static_cast<void>(WatchAgain());
  const auto at = [](std::size_t array) { return regions.At(array, block->offsets[array]); };
  const normcheck_kernel_call call = {
      block->op,    block->x_format, block->param_format, block->y_format, block->rows, block->width,
      block->x_pitch, block->y_pitch, block->epsilon, at(kX), at(kGamma), at(kBeta), block->in_place != 0 ? at(kX) : at(kY),
      static_cast<float*>(at(kMean)), static_cast<float*>(at(kInvStdDev))};
  ResetCoverage();
#if defined(__SSE__)
  _mm_setcsr(block->mxcsr);
#endif
  block->status = run(&call, block->text, kTextBytes);
#if defined(__SSE__)
  block->mxcsr_after = _mm_getcsr();
  _mm_setcsr(0x1f80);
#endif
  block->watch_lost = WatchAgain() ? 1 : 0;
  block->threads = Threads();
  block->coverage_bytes = TakeCoverage(block->coverage, kCoverageBytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[1], kSupervise) == 0) return Supervise(argv + 2);
  if (argc != 2) return 2;
  void* const shared = mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kMemoryDescriptor, 0);
  if (shared == MAP_FAILED) return 2;
  block = static_cast<SharedBlock*>(shared);
  WatchAccesses(NoteGuard);
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Tell(2, std::string("cannot be loaded: ") + dlerror());
  DescribeFunction describe = nullptr;
  RunFunction run = nullptr;
  for (const std::string& missing : {Find(library, "normcheck_describe_kernel", describe), Find(library, "normcheck_run_kernel", run)})
    if (!missing.empty()) return Tell(2, missing);
  const normcheck_kernel* const kernel = describe();
  if (const std::string fault = FaultOf(kernel); !fault.empty()) return Tell(2, fault);
  block->coverage_bytes = TakeCoverage(block->coverage, kCoverageBytes);
  if (Tell(0, DescriptionText(*kernel)) != 0) return 1;
  while (AwaitCall()) {
    block->not_called = regions.Follow(*block) ? 0 : 1;
    if (block->not_called == 0) RunCall(run);
    if (!Signal()) return 1;
  }
  return 0;
}
