// Draws the standard sweep.
#include "properties/standard_sweep.h"

namespace normcheck::properties {

std::vector<Case> StandardSweep(Op op, const Formats& formats) {
  constexpr std::size_t kWidths[] = {1, 2, 3, 17, 64, 255, 768};
  constexpr double kEpsilons[] = {1e-12, 1e-5, 1e-3};
  std::vector<Case> cases;
  const Random random(Seed{1});
  for (const Family& family : Families()) {
    for (const std::size_t width : kWidths) {
      for (const double epsilon : kEpsilons) {
        Random own = random.Fork(cases.size());
        Case c = MakeFamilyCase(family, {op, formats, 2, width, epsilon}, own);
        cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

Formats PreferredFormats(const norm::Kernel& kernel) {
  for (const Formats& formats : kernel.formats)
    if (formats == Formats{}) return formats;
  return kernel.formats.front();
}

}  // namespace normcheck::properties
