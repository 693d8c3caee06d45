// Calls through shared memory; one byte on a socket starts a call, one ends it.
#include "properties/plug_in/library_worker.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include "properties/plug_in/fuzzer_counters.h"
#include "properties/plug_in/process_activity.h"
#include "properties/plug_in/shared_memory.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace normcheck::properties::plug_in {
namespace {

using reference::Error;

enum class Waited { kByte, kClosed, kTooLong };

Waited Await(int channel, CallTimer timer) {
  for (;;) {
    char byte;
    const ssize_t got = recv(channel, &byte, 1, 0);
    if (got == 1) return Waited::kByte;
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return Waited::kClosed;
    if (timer.Over()) return Waited::kTooLong;
  }
}

// A receive then returns at least so often, and one system call is enough for a call that is quicker.
bool LimitWaits(int channel) {
  const timeval often = {0, std::chrono::microseconds(kAskTimerEvery).count()};
  return setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &often, sizeof often) == 0;
}

// The owner believes no number that the worker leaves.
std::span<const std::uint8_t> CoverageIn(const SharedBlock& block) {
  return {block.coverage, std::min<std::size_t>(block.coverage_bytes, kCoverageBytes)};
}

std::string TextIn(const SharedBlock& block) { return {block.text, strnlen(block.text, kTextBytes)}; }

// " before x", " behind y", or nothing.
std::string GuardText(std::int32_t bad_access) {
  if (bad_access < 1 || bad_access > static_cast<std::int32_t>(2 * kArrays)) return "";
  return std::string(bad_access % 2 == 1 ? " before " : " behind ") + kArrayNames[(bad_access - 1) / 2];
}

// The MXCSR that the kernel left, so that a change is seen as it would be of a kernel in this process.
void LeaveMxcsr([[maybe_unused]] unsigned value) {
#if defined(__SSE__)
  constexpr unsigned kDefined = 0xffff;  // other bits would fault
  _mm_setcsr(value & kDefined);
#endif
}

unsigned ReadMxcsr() {
#if defined(__SSE__)
  return _mm_getcsr();
#else
  return 0;
#endif
}

class LibraryWorker : public Worker {
 public:
  LibraryWorker(SharedMemory memory, Descriptor channel, ChildProcess process)
      : memory_(std::move(memory)), channel_(std::move(channel)), process_(std::move(process)) {}

  // Nothing, or why there is no description.
  std::optional<std::string> Greet(Milliseconds limit) {
    switch (Await(channel_.number(), {process_.pid(), limit})) {
      case Waited::kTooLong: return "did not load in time (NORMCHECK_TIME_LIMIT)";
      case Waited::kClosed: return process_.HowItEnded() + " while it was loaded";
      case Waited::kByte: break;
    }
    description_ = TextIn(memory_.block());
    OpenFuzzerCounters(CoverageIn(memory_.block()).size());
    return memory_.block().status == 0 ? std::nullopt : std::optional(description_);
  }

  const std::string& description() const override { return description_; }

  Answer Run(const norm::KernelCall& call, Milliseconds limit) override {
    if (!memory_.LayOut(call)) return Answer::Fault("was not called: the system gives no memory for it");
    memory_.block().mxcsr = ReadMxcsr();
    const char byte = 0;
    const bool sent = send(channel_.number(), &byte, 1, MSG_NOSIGNAL) == 1;
    switch (sent ? Await(channel_.number(), {process_.pid(), limit}) : Waited::kClosed) {
      case Waited::kTooLong: return Answer::Hang();
      case Waited::kClosed: return Answer::Fault(process_.HowItEnded() + GuardText(memory_.block().bad_access));
      case Waited::kByte: break;
    }
    return Finish(call);
  }

 private:
  Answer Finish(const norm::KernelCall& call) {
    const SharedBlock& block = memory_.block();
    AddToFuzzerCounters(CoverageIn(block));
    if (const auto trespass = memory_.Trespass(call)) return Answer::Fault(*trespass);
    Answer answer;
    answer.threads = block.threads;
    answer.status = block.status == 0 ? norm::CallStatus::kOk
                                      : block.status == 1 ? norm::CallStatus::kUnsupported : norm::CallStatus::kBadArgument;
    if (answer.status == norm::CallStatus::kOk) memory_.TakeOutputs(call);
    else answer.text = TextIn(block);
    LeaveMxcsr(block.mxcsr_after);
    memory_.Shrink();
    return answer;
  }

  SharedMemory memory_;
  Descriptor channel_;
  ChildProcess process_;
  std::string description_;
};

// NORMCHECK_WORKER, or the program beside this one, or where it was built or installed.
std::string WorkerProgram() {
  if (const char* given = std::getenv("NORMCHECK_WORKER")) return given;
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const auto beside = here / "normcheck_worker", installed = here / "../libexec/normcheck/normcheck_worker";
  for (const std::string& place : {beside.string(), installed.string(), std::string(NORMCHECK_WORKER_BUILT)})
    if (access(place.c_str(), X_OK) == 0) return place;
  return NORMCHECK_WORKER_INSTALLED;
}

}  // namespace

StartedWorker StartLibraryWorker(const std::string& library, TimeLimit limit) {
  const std::string program = WorkerProgram();
  if (access(program.c_str(), X_OK) != 0) return Error{program + ": the program that loads plug-ins is missing; build normcheck_worker"};
  auto memory = SharedMemory::Make();
  if (!memory.ok()) return Error{memory.error()};
  auto opened = OpenChannel();
  if (!opened.ok()) return Error{opened.error()};
  Channel channel = std::move(opened).value();
  if (!LimitWaits(channel.ours.number())) return Error{"the system gives no timed socket"};
  auto process = ChildProcess::Start(
      {.arguments = {program, library},
       .handed = {{memory.value().descriptor(), kMemoryDescriptor}, {channel.theirs.number(), kChannelDescriptor}}});
  if (!process.ok()) return Error{process.error()};
  channel.theirs = Descriptor();
  auto worker = std::make_unique<LibraryWorker>(std::move(memory).value(), std::move(channel.ours), std::move(process).value());
  if (const auto fault = worker->Greet(limit.OfStart())) return Error{*fault};
  return StartedWorker(std::move(worker));
}

}  // namespace normcheck::properties::plug_in
