// Options that several verbs have, read by one reader each: what is no value of theirs is refused with the option's name.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace normcheck::reports {

// --seed: a whole number below 2^64, or "random", which the system draws; verbs print the seed that they used.
CLI::Option* AddSeed(CLI::App& verb, std::uint64_t& seed, const std::string& about);

// A whole number from low to high, in decimal digits alone.
template <typename T>
CLI::Option* AddCount(CLI::App& verb, const std::string& name, T& target, std::uint64_t low, std::uint64_t high,
                      const std::string& about);

// Refuses the empty text as a value of any option of the verb: --shard "" is no whole sweep.
void RefuseEmptyValues(CLI::App& verb);

// Decimal digits of a number from low to high. Throws CLI::ValidationError with the option's name.
std::uint64_t CountOf(const std::string& option, const std::string& text, std::uint64_t low, std::uint64_t high);

template <typename T>
CLI::Option* AddCount(CLI::App& verb, const std::string& name, T& target, std::uint64_t low, std::uint64_t high,
                      const std::string& about) {
  const auto take = [&target, name, low, high](const std::string& text) { target = static_cast<T>(CountOf(name, text, low, high)); };
  return verb.add_option_function<std::string>(name, take, about)->type_name("N");
}

}  // namespace normcheck::reports
