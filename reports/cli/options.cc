// Strict readers of numbers.
#include "reports/cli/options.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <charconv>
#include <limits>

namespace normcheck::reports {
namespace {

constexpr std::uint64_t kMostSeed = std::numeric_limits<std::uint64_t>::max();

std::uint64_t DrawnSeed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed))
    throw CLI::ValidationError("--seed", "the system gives no random numbers; write a number");
  return seed;
}

std::uint64_t SeedOf(const std::string& text) {
  if (text == "random") return DrawnSeed();
  try {
    return CountOf("--seed", text, 0, kMostSeed);
  } catch (const CLI::ValidationError&) {
    throw CLI::ValidationError("--seed", text + ": write a whole number below 2^64, or random");
  }
}

}  // namespace

std::uint64_t CountOf(const std::string& option, const std::string& text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault == std::errc() && stop == end && value >= low && value <= high) return value;
  throw CLI::ValidationError(option, fmt::format("{}: write a whole number from {} to {}", text, low, high));
}

CLI::Option* AddSeed(CLI::App& verb, std::uint64_t& seed, const std::string& about) {
  const auto take = [&seed](const std::string& text) { seed = SeedOf(text); };
  return verb.add_option_function<std::string>("--seed", take, about + ": a number, or random")->type_name("N")->default_str("1");
}

void RefuseEmptyValues(CLI::App& verb) {
  const CLI::Validator not_empty([](const std::string& text) { return text.empty() ? std::string("is empty; write a value") : ""; }, "");
  for (CLI::Option* option : verb.get_options())
    if (option->get_type_size() > 0) option->check(not_empty);
}

}  // namespace normcheck::reports
