// Reads and writes contracts as text.
#include "reference/contract.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "reference/decimal.h"
#include "reference/quoted.h"

namespace normcheck::reference {
namespace {

using norm::Algorithm;
using norm::ContractKind;
using norm::Form;
using norm::Order;
using norm::Precision;
using norm::Profile;
using Fault = std::optional<Error>;

constexpr int kMaxBlock = 1 << 20;
constexpr double kMaxUlps = 1e15;  // up to here K is written without "e+", whose '+' would start a suffix
constexpr std::string_view kShapes =
    "write correctly-rounded, ulp:K, row-ulp:K, two-pass, one-pass or welford, then +ftz, +finite-only, +saturates";
constexpr std::pair<std::string_view, Algorithm> kAlgorithms[] = {
    {"two-pass", Algorithm::kTwoPass}, {"one-pass", Algorithm::kOnePass}, {"welford", Algorithm::kWelford}};
constexpr std::pair<std::string_view, Order> kOrders[] = {
    {"recursive", Order::kRecursive}, {"lanes", Order::kLanes}, {"pairwise", Order::kPairwise}};
constexpr std::pair<std::string_view, Precision> kPrecisions[] = {{"f32", Precision::kF32}, {"f64", Precision::kF64}};
constexpr std::pair<std::string_view, Form> kForms[] = {{"centred", Form::kCentred}, {"scale-bias", Form::kScaleBias}};
constexpr std::pair<std::string_view, bool Contract::*> kSuffixes[] = {
    {"ftz", &Contract::flush_to_zero}, {"finite-only", &Contract::finite_only}, {"saturates", &Contract::saturates}};

template <typename T, std::size_t N>
bool Find(const std::pair<std::string_view, T> (&table)[N], std::string_view name, T& out) {
  for (const auto& [known, value] : table)
    if (known == name) {
      out = value;
      return true;
    }
  return false;
}

template <typename T, std::size_t N>
std::string_view NameIn(const std::pair<std::string_view, T> (&table)[N], T value) {
  for (const auto& [name, known] : table)
    if (known == value) return name;
  return {};
}

// The text before and after the first separator; the second is null where there is none.
std::pair<std::string_view, std::optional<std::string_view>> SplitAt(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<std::string_view> PartsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::optional<std::string_view> rest = text; rest;) {
    const auto [head, tail] = SplitAt(*rest, separator);
    parts.push_back(head);
    rest = tail;
  }
  return parts;
}

Fault ReadUlps(std::string_view text, Contract& contract) {
  const auto decimal = ReadDecimal(text);
  const auto k = decimal ? RoundDecimal(*decimal, kBinary64) : std::nullopt;
  if (!k || !(*k > 0 && *k <= kMaxUlps))
    return Error{fmt::format("{} is no number of ulps; write a decimal > 0 and <= 1e15, as 4 or 0.501", Quoted(text))};
  contract.k = *k;
  if (contract.kind != ContractKind::kUlp || *k > 0.5) return std::nullopt;
  if (*k < 0.5) return Error{fmt::format("ulp:{} is below half an ulp, which no rounding can keep; write correctly-rounded", text)};
  return Error{
      "ulp:0.5 is not correctly-rounded: just above a power of two half an ulp also admits the value below it, and at a tie "
      "both neighbours; write correctly-rounded"};
}

Fault ReadOrder(std::string_view text, Profile& profile) {
  const auto [name, block] = SplitAt(text, ':');
  if (!Find(kOrders, name, profile.order) || (profile.order == Order::kRecursive) == block.has_value())
    return Error{fmt::format("order: {} is none; write recursive, lanes:L or pairwise:B", Quoted(text))};
  if (!block) return std::nullopt;
  const char* const end = block->data() + block->size();
  const auto [stop, fault] = std::from_chars(block->data(), end, profile.block);
  if (fault == std::errc{} && stop == end && profile.block >= 1 && profile.block <= kMaxBlock) return std::nullopt;
  return Error{fmt::format("order: {} is no count from 1 to {}; write {}:8", Quoted(*block), kMaxBlock, name)};
}

Fault ReadPrecision(std::string_view key, std::string_view text, Precision& out) {
  if (Find(kPrecisions, text, out)) return std::nullopt;
  return Error{fmt::format("{}: {} is no precision; write f32 or f64", key, Quoted(text))};
}

Fault ReadProfileField(std::string_view key, std::string_view value, Profile& profile) {
  if (key == "order") return ReadOrder(value, profile);
  if (key == "acc") return ReadPrecision(key, value, profile.accumulator);
  if (key == "mean") return ReadPrecision(key, value, profile.mean);
  if (key != "form") return Error{fmt::format("{} is no field of a profile; write order=, acc=, mean= or form=", Quoted(key))};
  if (Find(kForms, value, profile.form)) return std::nullopt;
  return Error{fmt::format("form: {} is none; write centred or scale-bias", Quoted(value))};
}

Fault ReadProfileFields(std::string_view text, Profile& profile) {
  std::vector<std::string_view> seen;
  for (const std::string_view part : PartsOf(text, ',')) {
    const auto [key, value] = SplitAt(part, '=');
    if (!value) return Error{fmt::format("{} is no field of a profile; write NAME=VALUE", Quoted(part))};
    for (const std::string_view other : seen)
      if (other == key) return Error{fmt::format("{} stands twice; write it once", Quoted(key))};
    seen.push_back(key);
    if (Fault fault = ReadProfileField(key, *value, profile)) return fault;
  }
  return std::nullopt;
}

Fault ReadBase(std::string_view text, Contract& contract) {
  const auto [name, ulps] = SplitAt(text, ':');
  const auto [algorithm, fields] = SplitAt(text, ',');
  if (Find(kAlgorithms, algorithm, contract.profile.algorithm)) {
    contract.kind = ContractKind::kProfile;
    return fields ? ReadProfileFields(*fields, contract.profile) : std::nullopt;
  }
  if (text == "correctly-rounded") {
    contract.kind = ContractKind::kCorrectlyRounded;
    return std::nullopt;
  }
  if (!ulps || (name != "ulp" && name != "row-ulp")) return Error{fmt::format("{} is no contract; {}", Quoted(text), kShapes)};
  contract.kind = name == "ulp" ? ContractKind::kUlp : ContractKind::kRowUlp;
  return ReadUlps(*ulps, contract);
}

Fault ReadSuffix(std::string_view text, Contract& contract) {
  bool Contract::* flag = nullptr;
  if (!Find(kSuffixes, text, flag))
    return Error{fmt::format("'+' followed by {} is no suffix; write +ftz, +finite-only or +saturates", Quoted(text))};
  if (contract.*flag) return Error{fmt::format("+{} stands twice; write it once", text)};
  contract.*flag = true;
  return std::nullopt;
}

std::string ProfileText(const Profile& profile) {
  constexpr Profile kDefault;
  std::string text(NameIn(kAlgorithms, profile.algorithm));
  if (profile.order != Order::kRecursive) text += fmt::format(",order={}:{}", NameIn(kOrders, profile.order), profile.block);
  if (profile.accumulator != kDefault.accumulator) text += fmt::format(",acc={}", NameIn(kPrecisions, profile.accumulator));
  if (profile.mean != kDefault.mean) text += fmt::format(",mean={}", NameIn(kPrecisions, profile.mean));
  if (profile.form != kDefault.form) text += fmt::format(",form={}", NameIn(kForms, profile.form));
  return text;
}

std::string BaseText(const Contract& contract) {
  switch (contract.kind) {
    case ContractKind::kCorrectlyRounded: return "correctly-rounded";
    case ContractKind::kUlp: return fmt::format("ulp:{}", contract.k);
    case ContractKind::kRowUlp: return fmt::format("row-ulp:{}", contract.k);
    case ContractKind::kProfile: break;
  }
  return ProfileText(contract.profile);
}

}  // namespace

Result<Contract> ParseContract(std::string_view text) {
  Contract contract;
  const std::vector<std::string_view> parts = PartsOf(text, '+');
  Fault fault = ReadBase(parts[0], contract);
  for (std::size_t i = 1; i < parts.size() && !fault; ++i) fault = ReadSuffix(parts[i], contract);
  if (fault) return Error{"contract: " + fault->message};
  return contract;
}

std::string ContractText(const Contract& contract) {
  std::string text = BaseText(contract);
  for (const auto& [name, flag] : kSuffixes)
    if (contract.*flag) text += fmt::format("+{}", name);
  return text;
}

}  // namespace normcheck::reference
