// Non-blocking sends and receives around poll.
#include "properties/plug_in/stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace normcheck::properties::plug_in {
namespace {

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// False once the time is over.
bool AwaitEvents(int channel, short events, CallTimer& timer) {
  pollfd wait = {channel, events, 0};
  return poll(&wait, 1, static_cast<int>(kAskTimerEvery.count())) != 0 || !timer.Over();
}

}  // namespace

Streamed Exchange(int channel, std::span<const std::byte> out, std::span<std::byte> in, std::size_t& received, CallTimer& timer) {
  std::size_t sent = 0;
  received = 0;
  while (sent < out.size() || received < in.size()) {
    bool moved = false;
    if (sent < out.size()) {
      const ssize_t count = send(channel, out.data() + sent, out.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count < 0 && !WouldBlock()) return Streamed::kClosed;
      if (count > 0) sent += static_cast<std::size_t>(count), moved = true;
    }
    if (received < in.size()) {
      const ssize_t count = recv(channel, in.data() + received, in.size() - received, MSG_DONTWAIT);
      if (count == 0 || (count < 0 && !WouldBlock())) return Streamed::kClosed;
      if (count > 0) received += static_cast<std::size_t>(count), moved = true;
    }
    const short events = static_cast<short>((sent < out.size() ? POLLOUT : 0) | (received < in.size() ? POLLIN : 0));
    if (!moved && !AwaitEvents(channel, events, timer)) return Streamed::kTooLong;
  }
  return Streamed::kDone;
}

Streamed ReadParagraph(int channel, std::size_t most, std::string& text, CallTimer& timer) {
  while (text.size() < most && !text.ends_with("\n\n")) {
    std::byte byte;
    std::size_t received = 0;
    const Streamed streamed = Exchange(channel, {}, {&byte, 1}, received, timer);
    if (streamed != Streamed::kDone) return streamed;
    text += static_cast<char>(byte);
  }
  return Streamed::kDone;
}

}  // namespace normcheck::properties::plug_in
