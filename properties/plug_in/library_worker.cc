// Calls through shared memory; one byte on a socket starts a call, one ends it.
#include "properties/plug_in/library_worker.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "properties/plug_in/fuzzer_counters.h"
#include "properties/plug_in/process_activity.h"
#include "properties/plug_in/shared_memory.h"
#include "properties/plug_in/worker_program.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace normcheck::properties::plug_in {
namespace {

using reference::Error;

constexpr const char* kNoMemory = "was not called: the system gives no memory for the arrays";

enum class Waited { kByte, kClosed, kTooLong };

Waited Await(int channel, CallTimer& timer) {
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

// " before x: byte 4 before its begin", " behind y: byte 0 after its end", or nothing.
std::string GuardText(const SharedBlock& block, const norm::KernelCall& call) {
  const std::int32_t touched = block.bad_access;
  if (touched < 1 || touched > static_cast<std::int32_t>(2 * kArrays)) return "";
  const auto array = static_cast<std::size_t>(touched - 1) / 2;
  const std::int64_t offset = block.bad_offset, end = static_cast<std::int64_t>(ArraysOf(call)[array].extent());
  const std::string where = std::string(touched % 2 == 1 ? " before " : " behind ") + kArrayNames[array];
  if (offset < 0) return where + fmt::format(": byte {} before its begin", -offset);
  return offset < end ? where : where + fmt::format(": byte {} after its end", offset - end);
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
    CallTimer timer(process_.pid(), limit);
    switch (Await(channel_.number(), timer)) {
      case Waited::kTooLong: return "did not load in time (NORMCHECK_TIME_LIMIT)";
      case Waited::kClosed: return process_.HowItEnded().how + " while it was loaded";
      case Waited::kByte: break;
    }
    description_ = TextIn(memory_.block());
    OpenFuzzerCounters(CoverageIn(memory_.block()).size());
    return memory_.block().status == 0 ? std::nullopt : std::optional(description_);
  }

  const std::string& description() const override { return description_; }

  Answer Run(const norm::KernelCall& call, Milliseconds limit) override {
    if (!memory_.LayOut(call)) return Answer::NotAsked(kNoMemory);
    memory_.block().mxcsr = ReadMxcsr();
    const char byte = 0;
    const bool sent = send(channel_.number(), &byte, 1, MSG_NOSIGNAL) == 1;
    CallTimer timer(process_.pid(), limit);
    switch (sent ? Await(channel_.number(), timer) : Waited::kClosed) {
      case Waited::kTooLong: return Answer::TooLong(timer);
      case Waited::kClosed: return Crashed(call);
      case Waited::kByte: break;
    }
    if (const auto end = process_.Tampering()) return Answer::Of(*end);
    return Finish(call);
  }

  int End() override {
    process_.Kill();
    return process_.left_behind();
  }

 private:
  Answer Crashed(const norm::KernelCall& call) {
    ChildEnd end = process_.HowItEnded();
    end.how += GuardText(memory_.block(), call);
    return Answer::Of(end);
  }

  // What the kernel touched and survived, or did to the memory that is shared with it.
  std::optional<std::string> Trespass(const norm::KernelCall& call) {
    const SharedBlock& block = memory_.block();
    if (const std::string guard = GuardText(block, call); !guard.empty()) return "caught its own SIGSEGV" + guard;
    if (block.watch_lost != 0) return "replaced the handler of SIGSEGV or SIGBUS by a system call, so that its accesses cannot be watched";
    return memory_.Trespass(call);
  }

  Answer Finish(const norm::KernelCall& call) {
    const SharedBlock& block = memory_.block();
    if (block.not_called != 0) return Answer::NotAsked(kNoMemory);
    AddToFuzzerCounters(CoverageIn(block));
    if (const auto trespass = Trespass(call)) return Answer::Fault(*trespass);
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

}  // namespace

StartedWorker StartLibraryWorker(const std::string& library, TimeLimit limit) {
  const auto program = WorkerProgram();
  if (!program.ok()) return Error{program.error()};
  auto memory = SharedMemory::Make();
  if (!memory.ok()) return Error{memory.error()};
  auto opened = OpenChannel();
  if (!opened.ok()) return Error{opened.error()};
  Channel channel = std::move(opened).value();
  if (!LimitWaits(channel.ours.number())) return Error{"the system gives no timed socket"};
  auto process = ChildProcess::Start(
      {.arguments = {program.value(), library},
       .handed = {{memory.value().descriptor(), kMemoryDescriptor}, {channel.theirs.number(), kChannelDescriptor}}});
  if (!process.ok()) return Error{process.error()};
  channel.theirs = Descriptor();
  auto worker = std::make_unique<LibraryWorker>(std::move(memory).value(), std::move(channel.ours), std::move(process).value());
  if (const auto fault = worker->Greet(limit.OfStart())) return Error{*fault};
  return StartedWorker(std::move(worker));
}

}  // namespace normcheck::properties::plug_in
