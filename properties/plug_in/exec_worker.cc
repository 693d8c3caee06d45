// Calls as frames: a header and the arrays there, a header and the outputs back.
#include "properties/plug_in/exec_worker.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "properties/plug_in/child_process.h"
#include "properties/plug_in/array_bytes.h"
#include "properties/plug_in/stream.h"

namespace normcheck::properties::plug_in {
namespace {

using reference::Error;

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

constexpr std::size_t kMostText = 4096;

struct RequestHeader {
  std::array<char, 4> magic = {'N', 'C', 'R', 'Q'};
  std::uint32_t number = 0;
  std::uint8_t op = 0, x_format = 0, param_format = 0, y_format = 0;
  std::uint8_t flags = 0;
  std::uint8_t zero[3] = {};
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  double epsilon = 0;
  std::uint64_t bytes = 0;
};
static_assert(sizeof(RequestHeader) == 48);

enum : std::uint8_t { kGammaFollows = 1, kBetaFollows = 2, kMeanWanted = 4, kInvStdDevWanted = 8 };

struct ReplyHeader {
  std::array<char, 4> magic = {};
  std::uint32_t number = 0;
  std::uint32_t status = 0;
  std::uint32_t zero = 0;
  std::uint64_t bytes = 0;
};
static_assert(sizeof(ReplyHeader) == 24);
constexpr std::array<char, 4> kReplyMagic = {'N', 'C', 'R', 'P'};

void AppendRows(std::vector<std::byte>& frame, const ArrayBytes& array) {
  for (std::size_t row = 0; array.data != nullptr && row < array.rows; ++row) {
    const std::byte* const first = array.data + row * array.pitch_bytes;
    frame.insert(frame.end(), first, first + array.row_bytes);
  }
}

std::vector<std::byte> RequestOf(const norm::KernelCall& call, std::uint32_t number) {
  const auto arrays = ArraysOf(call);
  RequestHeader header;
  header.number = number;
  header.op = static_cast<std::uint8_t>(call.op);
  header.x_format = static_cast<std::uint8_t>(call.formats.x);
  header.param_format = static_cast<std::uint8_t>(call.formats.params);
  header.y_format = static_cast<std::uint8_t>(call.formats.y);
  header.flags = static_cast<std::uint8_t>((call.gamma ? kGammaFollows : 0) | (call.beta ? kBetaFollows : 0) |
                                           (call.mean ? kMeanWanted : 0) | (call.inv_std_dev ? kInvStdDevWanted : 0));
  header.rows = call.rows;
  header.width = call.width;
  header.epsilon = call.epsilon;
  std::vector<std::byte> frame(sizeof header);
  for (const std::size_t input : {kX, kGamma, kBeta}) AppendRows(frame, arrays[input]);
  header.bytes = frame.size() - sizeof header;
  std::memcpy(frame.data(), &header, sizeof header);
  return frame;
}

// Of no elements there are none, and nothing may be written.
norm::KernelCall WithoutEmptyStatistics(norm::KernelCall call) {
  if (call.width == 0) call.mean = call.inv_std_dev = nullptr;
  return call;
}

// The arrays that a reply fills, in its order.
std::array<ArrayBytes, 3> OutputsOf(const norm::KernelCall& call) {
  const std::size_t row_bytes = call.width * norm::TraitsOf(call.formats.y).bytes;
  const auto arrays = ArraysOf(call);
  return {ArrayBytes{static_cast<const std::byte*>(call.y), call.rows, row_bytes, call.y_pitch * norm::TraitsOf(call.formats.y).bytes},
          arrays[kMean], arrays[kInvStdDev]};
}

std::size_t BytesOf(const ArrayBytes& array) { return array.data == nullptr ? 0 : array.rows * array.row_bytes; }

void Spread(const std::vector<std::byte>& payload, const norm::KernelCall& call) {
  void* const places[] = {call.y, call.mean, call.inv_std_dev};
  const auto outputs = OutputsOf(call);
  const std::byte* from = payload.data();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t row = 0; outputs[i].data != nullptr && row < outputs[i].rows; ++row, from += outputs[i].row_bytes)
      std::memcpy(static_cast<std::byte*>(places[i]) + row * outputs[i].pitch_bytes, from, outputs[i].row_bytes);
}

class ExecWorker : public Worker {
 public:
  ExecWorker(Descriptor channel, ChildProcess process) : channel_(std::move(channel)), process_(std::move(process)) {}

  std::optional<std::string> Greet(Milliseconds limit) {
    CallTimer timer(process_.pid(), limit);
    switch (ReadParagraph(channel_.number(), kMostText, description_, timer)) {
      case Streamed::kTooLong: return "wrote no description that ends in an empty line in time (NORMCHECK_TIME_LIMIT)";
      case Streamed::kClosed: return process_.HowItEnded().how + " before its description was complete";
      case Streamed::kDone: return std::nullopt;
    }
    return std::nullopt;
  }

  const std::string& description() const override { return description_; }

  Answer Run(const norm::KernelCall& asked, Milliseconds limit) override {
    CallTimer timer(process_.pid(), limit);
    const norm::KernelCall call = WithoutEmptyStatistics(asked);
    ReplyHeader header;
    const std::vector<std::byte> request = RequestOf(call, ++number_);
    if (auto fault = Read(request, std::as_writable_bytes(std::span(&header, 1)), timer)) return *fault;
    if (auto fault = Check(header, call)) return *fault;
    std::vector<std::byte> payload(header.bytes);
    if (auto fault = Read({}, payload, timer)) return *fault;
    if (const auto end = process_.Tampering()) return Answer::Of(*end);
    if (header.status == 0) {
      Spread(payload, call);
      return {};
    }
    const auto* const text = reinterpret_cast<const char*>(payload.data());
    return Answer::Returned(header.status == 1 ? norm::CallStatus::kUnsupported : norm::CallStatus::kBadArgument, {text, payload.size()});
  }

  // A shell and its program may be several processes, all of which end here: only what outlived the program was left behind.
  int End() override {
    process_.Kill();
    return ended_by_itself_ ? process_.left_behind() : 0;
  }

 private:
  std::optional<Answer> Read(std::span<const std::byte> request, std::span<std::byte> into, CallTimer& timer) {
    std::size_t received = 0;
    switch (Exchange(channel_.number(), request, into, received, timer)) {
      case Streamed::kDone: return std::nullopt;
      case Streamed::kTooLong: return received == 0 ? Answer::TooLong(timer) : Cut(Answer::TooLong(timer), received, into.size());
      case Streamed::kClosed: break;
    }
    ended_by_itself_ = true;
    Answer ended = Answer::Of(process_.HowItEnded());
    return received == 0 ? ended : Cut(ended, received, into.size());
  }

  static Answer Cut(Answer answer, std::size_t received, std::size_t wanted) {
    answer.text += fmt::format(": a reply was cut after {} of {} bytes", received, wanted);
    return answer;
  }

  std::optional<Answer> Check(const ReplyHeader& header, const norm::KernelCall& call) const {
    if (header.magic != kReplyMagic) return Answer::Fault("wrote garbage: a reply begins with other bytes than NCRP");
    if (header.number != number_) return Answer::Fault(fmt::format("wrote garbage: a reply has number {}, not {}", header.number, number_));
    std::size_t wanted = 0;
    for (const ArrayBytes& output : OutputsOf(call)) wanted += BytesOf(output);
    if (header.status == 0 && header.bytes != wanted)
      return Answer::Fault(fmt::format("wrote garbage: a reply of {} bytes, not {}", header.bytes, wanted));
    if (header.status != 0 && header.bytes > kMostText)
      return Answer::Fault(fmt::format("wrote garbage: an error text of {} bytes, more than {}", header.bytes, kMostText));
    return std::nullopt;
  }

  Descriptor channel_;
  ChildProcess process_;
  std::string description_;
  std::uint32_t number_ = 0;
  bool ended_by_itself_ = false;
};

}  // namespace

StartedWorker StartExecWorker(const std::string& command, TimeLimit limit) {
  auto opened = OpenChannel();
  if (!opened.ok()) return Error{opened.error()};
  Channel channel = std::move(opened).value();
  auto process = ChildProcess::Start({.arguments = {"/bin/sh", "-c", command}, .handed = {{channel.theirs.number(), 0}, {channel.theirs.number(), 1}}});
  if (!process.ok()) return Error{process.error()};
  channel.theirs = Descriptor();
  auto worker = std::make_unique<ExecWorker>(std::move(channel.ours), std::move(process).value());
  if (const auto fault = worker->Greet(limit.OfStart())) return Error{*fault};
  return StartedWorker(std::move(worker));
}

}  // namespace normcheck::properties::plug_in
