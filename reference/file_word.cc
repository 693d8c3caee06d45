// Replaces what no file's name should hold.
#include "reference/file_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace normcheck::reference {
namespace {

bool Stays(char c) {
  constexpr std::string_view kOthers = "_-.,+=@%";
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || kOthers.find(c) != std::string_view::npos;
}

std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

std::string FileWord(std::string_view name) {
  std::string word(name);
  std::ranges::replace_if(word, [](char c) { return !Stays(c); }, '-');
  word.erase(0, std::min(word.find_first_not_of(".-"), word.size()));
  if (word.empty()) return "kernel";
  if (word.size() <= kMostFileWord) return word;
  return fmt::format("{}-{:016x}", word.substr(0, kMostFileWord - 17), HashOf(name));
}

}  // namespace normcheck::reference
