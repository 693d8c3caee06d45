// The production kernels: LayerNorm and RMSNorm forward over rows, and the instruction sets that they can run on.
#pragma once

#include <string_view>
#include <vector>

#include "norm/kernel_call.h"

namespace normcheck::norm {

// y = gamma*(x - mu)/sqrt(var + epsilon) + beta row by row, or RMSNorm, as call.op says.
// Shapes, null pointers, aliasing: KernelCall. Formats: ProductionFormats().
// Requires: nothing of the caller's MXCSR; it is set for the call and restored, flags included.
// Special values: LayerNorm row with NaN or infinity: all NaN. RMSNorm row with NaN: all NaN; with an infinity: NaN there,
//   gamma_i*0 + beta_i elsewhere. gamma, beta not finite: gamma_i*xhat_i + beta_i as IEEE evaluates it on the exact xhat_i.
//   var + epsilon = 0: NaN. Constant LayerNorm row, epsilon > 0: exactly beta. rows or width 0: nothing is written
//   (width 0 with rows > 0 writes no statistics either). An exact zero is +0; every NaN the canonical quiet one. Subnormals are kept.
// Accuracy: correctly rounded: every finite result, y, mean and inv_std_dev, is the exact value rounded once to nearest, ties to even;
//   non-zero values that round to zero keep their sign. So the bits are the same on every target, batch, alignment, pitch and MXCSR.
// Statistics: f32. NaN row: NaN, NaN. LayerNorm with an infinity: IEEE sum, NaN. RMSNorm with an infinity: inv_std_dev 0. var + epsilon = 0: inv_std_dev +inf.
// Errors: CheckCall's faults, unsupported formats; nothing is written then.
// Stack: at most 56 KiB, both tiers (README.md); a thread of 64 KiB is enough, a smaller one may fault on its guard page.
CallResult Normalize(const KernelCall& call);

// The same within 5 row ulps: |y - Y| <= 5 ulp(|gamma_i|*max_j|xhat_j| + |beta_i|), on every finite row (proof: fast_stage.h); rows
// that the proof does not cover, calls whose gamma or beta is not finite or overflows y, and targets without fused multiply-add
// are correctly rounded. Special values as above; a zero may be -0.
// Statistics: mean within an ulp of max|x|, inv_std_dev within 1.1 ulp. Bits do not depend on batch, alignment, pitch, earlier
// calls or MXCSR; they do on the target.
CallResult NormalizeFast(const KernelCall& call);

// Instruction sets compiled in that this machine runs, best first; the last is scalar ("SCALAR" or "EMU128").
std::vector<std::string_view> Targets();

// Normalize and NormalizeFast on one of Targets(), for tests and benchmarks; kBadArgument for another name.
CallResult NormalizeOn(std::string_view target, const KernelCall& call);
CallResult NormalizeFastOn(std::string_view target, const KernelCall& call);

}  // namespace normcheck::norm
