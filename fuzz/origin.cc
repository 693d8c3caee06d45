// The list of origins.
#include "fuzz/origin.h"

#include <algorithm>
#include <vector>

namespace normcheck::fuzz {

std::span<const std::string_view> OriginNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const properties::Family& family : properties::Families()) all.push_back(family.id);
    all.insert(all.end(), {"moves", "crossover", "bytes", "corpus"});
    return all;
  }();
  return names;
}

std::size_t OriginNamed(std::string_view name) {
  const auto names = OriginNames();
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? FromTheCorpus() : static_cast<std::size_t>(found - names.begin());
}

}  // namespace normcheck::fuzz
