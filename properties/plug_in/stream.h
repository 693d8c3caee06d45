// Bytes to and from a process over a socket, with a timer for each exchange.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "properties/plug_in/process_activity.h"

namespace normcheck::properties::plug_in {

enum class Streamed { kDone, kClosed, kTooLong };

// Sends all of `out` and at the same time fills `in`: a program may answer before it has read all. `received` says how much of
// `in` is filled, whatever the result.
Streamed Exchange(int channel, std::span<const std::byte> out, std::span<std::byte> in, std::size_t& received, CallTimer& timer);

// Reads until `text` ends in an empty line, or holds `most` bytes (then kDone as well).
Streamed ReadParagraph(int channel, std::size_t most, std::string& text, CallTimer& timer);

}  // namespace normcheck::properties::plug_in
