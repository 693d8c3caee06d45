// Reads a description line by line.
#include "properties/plug_in/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "reference/bounds.h"
#include "reference/contract.h"
#include "reference/operations/operations.h"

namespace normcheck::properties::plug_in {
namespace {

using norm::Kernel;
using reference::Error;
using Fault = std::optional<Error>;

constexpr std::string_view kFirstLine = "normcheck 1";
constexpr std::size_t kMaxName = 100;
constexpr std::string_view kKeys[] = {"name", "release", "contract", "ops", "formats", "epsilon", "supports", "traits"};

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

using Lines = std::map<std::string_view, std::string_view>;

reference::Result<Lines> ReadLines(std::string_view text) {
  Lines lines;
  const std::vector<std::string_view> all = SplitAt(text, '\n');
  if (all.empty() || all.front() != kFirstLine)
    return Error{fmt::format("its description begins with \"{}\", not with \"{}\"", all.empty() ? "" : all.front().substr(0, 40), kFirstLine)};
  for (const std::string_view line : std::span(all).subspan(1)) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view key = line.substr(0, space);
    if (std::ranges::find(kKeys, key) == std::end(kKeys)) return Error{fmt::format("its description has an unknown line \"{}\"", key.substr(0, 40))};
    if (!lines.emplace(key, line.substr(std::min(space + 1, line.size()))).second)
      return Error{fmt::format("its description has two lines \"{}\"", key)};
  }
  return lines;
}

Error Impossible(std::string_view key, const std::string& why) { return {fmt::format("impossible description: {}: {}", key, why)}; }

bool IsPlainText(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

Fault ReadName(Lines& lines, Kernel& kernel) {
  for (const std::string_view key : {"name", "release"})
    if (!IsPlainText(lines[key]) || lines[key].size() > kMaxName) return Impossible(key, fmt::format("is no line of at most {} bytes", kMaxName));
  if (lines["name"].empty()) return Impossible("name", "is missing");
  kernel.about = lines["name"];
  if (!lines["release"].empty()) kernel.about.append(" ").append(lines["release"]);
  return std::nullopt;
}

Fault ReadContract(Lines& lines, Kernel& kernel) {
  kernel.contract_stated = lines.contains("contract");
  if (!kernel.contract_stated) return std::nullopt;
  const auto contract = reference::ParseContract(lines["contract"]);
  if (!contract.ok()) return Error{"impossible description: " + contract.error()};
  if (!reference::HasBounds(contract.value())) return Impossible("contract", "there are no bounds for such a profile");
  kernel.contract = contract.value();
  return std::nullopt;
}

Fault ReadOps(Lines& lines, Kernel& kernel) {
  for (const std::string_view word : SplitAt(lines["ops"], ' ')) {
    const std::optional<norm::Op> op = norm::OpNamed(word);
    if (!op) return Impossible("ops", fmt::format("\"{}\" is none of {}", word, reference::OpNames()));
    kernel.ops.push_back(*op);
  }
  return kernel.ops.empty() ? Fault(Impossible("ops", "names none")) : std::nullopt;
}

// "f32/f32/f32", or "f32" for all three.
std::optional<norm::Formats> FormatsNamed(std::string_view word) {
  std::vector<norm::Format> formats;
  for (const std::string_view part : SplitAt(word, '/'))
    if (const auto format = norm::FormatNamed(part)) formats.push_back(*format);
  const auto slashes = std::ranges::count(word, '/');
  if (slashes == 0 && formats.size() == 1) return norm::Formats{formats[0], formats[0], formats[0]};
  if (slashes == 2 && formats.size() == 3) return norm::Formats{formats[0], formats[1], formats[2]};
  return std::nullopt;
}

Fault ReadFormats(Lines& lines, Kernel& kernel) {
  for (const std::string_view word : SplitAt(lines["formats"], ' ')) {
    const auto formats = FormatsNamed(word);
    if (!formats) return Impossible("formats", fmt::format("\"{}\" is no X/PARAMETERS/Y, each f32, f16 or bf16", word));
    if (std::ranges::find(kernel.formats, *formats) == kernel.formats.end()) kernel.formats.push_back(*formats);
  }
  return kernel.formats.empty() ? Fault(Impossible("formats", "names none")) : std::nullopt;
}

Fault ReadEpsilon(Lines& lines, Kernel& kernel) {
  constexpr std::string_view kWords[] = {"f64", "f32", "f16", "bf16"};
  const std::string_view word = lines.contains("epsilon") ? lines["epsilon"] : kWords[0];
  const auto found = std::ranges::find(kWords, word);
  if (found == std::end(kWords)) return Impossible("epsilon", fmt::format("\"{}\" is none of f64, f32, f16, bf16", word));
  kernel.epsilon_format = static_cast<norm::EpsilonFormat>(found - std::begin(kWords));
  return std::nullopt;
}

Fault ReadSupports(Lines& lines, Kernel& kernel) {
  const std::map<std::string_view, bool Kernel::*> known = {{"pitch", &Kernel::pitch},
                                                            {"in-place", &Kernel::in_place},
                                                            {"absent-gamma-beta", &Kernel::absent_params},
                                                            {"statistics", &Kernel::statistics}};
  for (const auto& [word, member] : known) kernel.*member = false;
  for (const std::string_view word : SplitAt(lines["supports"], ' ')) {
    const auto found = known.find(word);
    if (found == known.end()) return Impossible("supports", fmt::format("\"{}\" is none of pitch, in-place, absent-gamma-beta, statistics", word));
    kernel.*found->second = true;
  }
  return std::nullopt;
}

// What a kernel states beside what it supports; an unknown trait would change what its answers mean, so it is refused.
Fault ReadTraits(Lines& lines, Kernel& kernel) {
  for (const std::string_view word : SplitAt(lines["traits"], ' ')) {
    if (word == "no-beta") kernel.beta = false;
    else if (word == "batch-dependent") kernel.batch_dependent = true;
    else return Impossible("traits", fmt::format("\"{}\" is none of no-beta, batch-dependent", word));
  }
  return std::nullopt;
}

}  // namespace

std::string OneLine(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

reference::Result<Kernel> ReadDescription(std::string_view text) {
  reference::Result<Lines> read = ReadLines(text);
  if (!read.ok()) return Error{read.error()};
  Lines lines = std::move(read).value();
  Kernel kernel;
  kernel.kind = norm::Kind::kPlugIn;
  for (const auto part : {ReadName, ReadContract, ReadOps, ReadFormats, ReadEpsilon, ReadSupports, ReadTraits})
    if (const Fault fault = part(lines, kernel)) return *fault;
  return kernel;
}

}  // namespace normcheck::properties::plug_in
