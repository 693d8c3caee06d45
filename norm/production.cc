// The list of the production kernels and of the formats that they take.
#include <algorithm>

#include "norm/fast_stage.h"
#include "norm/kernel.h"
#include "norm/layer_norm.h"

namespace normcheck::norm {
namespace {

Kernel Production(Op op, std::string about) {
  Kernel kernel;
  kernel.name = NameOf(op);
  kernel.kind = Kind::kProduction;
  kernel.about = std::move(about);
  kernel.ops = {op};
  kernel.formats = ProductionFormats();
  kernel.contract = {.kind = ContractKind::kCorrectlyRounded};
  kernel.run = &Normalize;
  kernel.own_environment = true;
  kernel.targets = Targets();
  kernel.run_on = &NormalizeOn;
  return kernel;
}

// Its bits differ from target to target, so it names none.
Kernel Fast(Op op, std::string about) {
  Kernel kernel = Production(op, std::move(about));
  kernel.name += "_fast";
  kernel.contract = {.kind = ContractKind::kRowUlp, .k = kFastRowUlps};
  kernel.run = &NormalizeFast;
  kernel.targets = {};
  kernel.run_on = nullptr;
  return kernel;
}

}  // namespace

std::vector<Kernel> ProductionKernels() {
  return {Production(Op::kLayerNorm, "LayerNorm, correctly rounded: binary64 with a proved error and a rounding test, then double-double, then exact integers."),
          Production(Op::kRmsNorm, "RMSNorm, correctly rounded: binary64 with a proved error and a rounding test, then double-double, then exact integers."),
          Fast(Op::kLayerNorm, "LayerNorm, fast: elements in binary32 where a guard proves 5 row ulps, else correctly rounded."),
          Fast(Op::kRmsNorm, "RMSNorm, fast: elements in binary32 where a guard proves 5 row ulps, else correctly rounded.")};
}

std::vector<Formats> ProductionFormats() {
  std::vector<Formats> triples;
  for (const Formats& formats : AllFormats()) {
    const auto f32_or_x = [&](Format format) { return format == Format::kF32 || format == formats.x; };
    if (f32_or_x(formats.params) && f32_or_x(formats.y)) triples.push_back(formats);
  }
  return triples;
}

std::vector<Formats> AllFormats() {
  std::vector<Formats> triples;
  for (Format x : kFormats)
    for (Format params : kFormats)
      for (Format y : kFormats) triples.push_back({x, params, y});
  return triples;
}

bool Supports(const Kernel& kernel, Op op, const Formats& formats) {
  return std::ranges::find(kernel.ops, op) != kernel.ops.end() &&
         std::ranges::find(kernel.formats, formats) != kernel.formats.end();
}

}  // namespace normcheck::norm
