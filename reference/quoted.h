// Shows text from outside inside a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace normcheck::reference {

// Printable ASCII only (other bytes as \xNN), cut after 48 characters with "...".
std::string Printable(std::string_view text);

// Printable between single quotes.
std::string Quoted(std::string_view text);

}  // namespace normcheck::reference
