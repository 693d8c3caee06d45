// The list of shipped kernels, and the search by name.
#include "properties/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "properties/honest.h"
#include "properties/mutants/families_of_mistakes.h"
#include "properties/mutants/row_engine.h"
#include "properties/null_kernels.h"
#include "properties/plug_in/plug_in.h"
#include "reference/bounds.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using norm::Kernel;

constexpr std::size_t kSuggestions = 3;

void Append(std::vector<Kernel>& kernels, std::vector<Kernel> more) {
  std::ranges::move(more, std::back_inserter(kernels));
}

// The control of the mutants: what they break is not the engine's doing.
Kernel HonestEngine() {
  return EngineKernel(norm::Kind::kHonest, "honest:two-pass-f64",
                      "two-pass in binary64 with one rounding: the engine of the mutants, without a fault",
                      reference::AllOps(), HonestStatistics);
}

// Levenshtein's edit distance.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> costs(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) costs[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(costs[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = costs[j + 1];
      costs[j + 1] = std::min({replaced, costs[j] + 1, diagonal + 1});
    }
  }
  return costs.back();
}

// A name without its "mutant:" counts as near as its bare form.
std::size_t DistanceOfNames(std::string_view wanted, std::string_view name) {
  const auto bare = [](std::string_view text) { return text.substr(text.find(':') == text.npos ? 0 : text.find(':') + 1); };
  return std::min(Distance(wanted, name), Distance(bare(wanted), bare(name)));
}

std::string Suggestions(std::string_view wanted, const std::vector<Kernel>& kernels) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const Kernel& kernel : kernels) ranked.emplace_back(DistanceOfNames(wanted, kernel.name), kernel.name);
  std::ranges::sort(ranked);
  std::string text;
  for (std::size_t i = 0; i < std::min(kSuggestions, ranked.size()); ++i) text += (i == 0 ? "" : ", ") + ranked[i].second;
  return text;
}

}  // namespace

std::vector<Kernel> Mutants() {
  std::vector<Kernel> kernels;
  for (const auto family : {VarianceMutants, EpsilonMutants, DefinitionMutants, ElementMutants, ParameterMutants, OutputMutants,
                            PrecisionMutants, TailMutants, IndexMutants, MemoryMutants, BatchMutants, StateMutants, MachineMutants, LargeMutants, LongMutants})
    Append(kernels, family());
  return kernels;
}

std::vector<Kernel> AllKernels() {
  std::vector<Kernel> kernels = norm::ProductionKernels();
  kernels.push_back(HonestEngine());
  for (const auto honest : {HonestKernels, FusedHonestKernels}) {
    std::vector<Kernel> profiles = honest();
    std::erase_if(profiles, [](const Kernel& kernel) { return !reference::HasBounds(kernel.contract); });
    Append(kernels, std::move(profiles));
  }
  Append(kernels, Mutants());
  kernels.push_back(BatchNormKernel());
  Append(kernels, NullKernels());
  return kernels;
}

Kernel SoundKernel(norm::Op op) {
  for (Kernel& kernel : norm::ProductionKernels())
    if (kernel.name == NameOf(op)) return std::move(kernel);
  return HonestEngine();
}

reference::Result<Kernel> FindKernel(std::string_view name) {
  if (plug_in::NamesPlugIn(name)) return plug_in::LoadPlugIn(std::string(name));
  const std::vector<Kernel> kernels = AllKernels();
  const auto found = std::ranges::find(kernels, name, &Kernel::name);
  if (found != kernels.end()) return *found;
  return reference::Error{fmt::format("kernel \"{}\": there is none of that name; nearest: {}; \"normcheck kernels\" lists all; your own is ./FILE.so or exec:COMMAND",
                                      name, Suggestions(name, kernels))};
}

}  // namespace normcheck::properties
