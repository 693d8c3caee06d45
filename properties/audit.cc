// Goes through all configurations with all null kernels.
#include "properties/audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "properties/families.h"
#include "properties/null_kernels.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// A width of each band: no multiple of the lanes, and more than one element.
constexpr std::size_t kWidthOfBand[] = {3, 13, 61, 511, 4097};
constexpr std::string_view kBandNames[] = {"1-3", "4-16", "17-256", "257-4096", "4097+"};
constexpr double kSpread = 0.75;

std::vector<Configuration> Configurations(const AuditOptions& options) {
  std::vector<Configuration> all;
  const auto triples = norm::ProductionFormats();
  for (norm::Op op : norm::kOps)
    for (std::size_t f = 0; f < std::min(options.formats, triples.size()); ++f)
      for (int presence = 0; presence < 4; ++presence)
        for (std::size_t band = 0; band < std::min(options.bands, std::size(kWidthOfBand)); ++band)
          for (double epsilon : Epsilons()) all.push_back({op, triples[f], presence % 2 == 1, presence / 2 == 1, band, epsilon});
  return all;
}

std::vector<Bits> Values(const Case& c, double centre, Random& random) {
  std::vector<Bits> values(c.width);
  for (Bits& bits : values) bits = reference::BitsOf(centre + kSpread * random.Gaussian(), c.formats.params);
  return values;
}

Case CaseOf(const Configuration& configuration, const Family& family, Random& random) {
  const Shape shape = {configuration.op, configuration.formats, 2, kWidthOfBand[configuration.band], configuration.epsilon};
  Case c = MakeFamilyCase(family, shape, random);
  c.gamma.reset();
  c.beta.reset();
  if (configuration.gamma) c.gamma = Values(c, 1, random);
  if (configuration.beta) c.beta = Values(c, 0, random);
  return c;
}

bool Fails(const norm::Kernel& kernel, const Configuration& configuration, Random random, Audit& audit) {
  reference::JudgeOptions judge;
  judge.diagnose = false;
  for (const Family& family : Families()) {
    ++audit.judged_cases;
    if (!reference::Judge(kernel, CaseOf(configuration, family, random), judge).kept) return true;
  }
  return false;
}

std::string Text(const Configuration& c) {
  const auto name = [](norm::Format format) { return norm::TraitsOf(format).name; };
  return fmt::format("{} {},{},{} {}{} width {} epsilon {}", NameOf(c.op), name(c.formats.x), name(c.formats.params), name(c.formats.y),
                     c.gamma ? "gamma " : "", c.beta ? "beta" : "", kBandNames[c.band], c.epsilon);
}

}  // namespace

Audit AuditNullKernels(const AuditOptions& options) {
  Audit audit;
  const auto kernels = NullKernels();
  for (const auto& kernel : kernels) audit.null_kernels.push_back(kernel.name);
  for (const Configuration& configuration : Configurations(options)) {
    if (options.progress) options.progress(configuration);
    const Random random = Random(options.seed).Fork(audit.configurations++);
    for (const auto& kernel : kernels)
      if (!Fails(kernel, configuration, random, audit)) audit.prove_nothing.push_back({configuration, kernel.name});
  }
  return audit;
}

std::string AuditMarkdown(const Audit& audit, const AuditOptions& options) {
  std::string text = fmt::format("# Null-kernel audit\n\n{} configurations (op, formats, parameters present, width band, epsilon), each over all families, "
                                 "seed {}; {} cases judged until each of these failed: ",
                                 audit.configurations, options.seed.value, audit.judged_cases);
  for (const std::string& name : audit.null_kernels) text += name + (name == audit.null_kernels.back() ? ".\n\n" : ", ");
  text += fmt::format("Configurations that prove nothing, since a null kernel passes them: {}.\n", audit.prove_nothing.size());
  if (!audit.prove_nothing.empty()) text += "\n| configuration | passed by |\n|---|---|\n";
  for (const Audit::Pass& pass : audit.prove_nothing) text += fmt::format("| {} | {} |\n", Text(pass.configuration), pass.null_kernel);
  return text;
}

}  // namespace normcheck::properties
