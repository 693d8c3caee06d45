// What several laws ask of a kernel and its outputs.
#pragma once

#include "properties/laws.h"

namespace normcheck::properties {

LawResult Broken(std::string seen);
LawResult NotApplicable();
LawResult NotAsked(std::string why);

bool AppliesToAll(const norm::Kernel& kernel);
bool HasCentredOp(const norm::Kernel& kernel);

// False where a row's bits may depend on the batch; the law of large calls then holds such a kernel to its contract.
bool IgnoresBatch(const norm::Kernel& kernel);

// The contract is so tight that a representable value must come out exactly: correctly rounded, or below one ulp, no ftz.
bool PromisesExactValues(const norm::Kernel& kernel);

// Broken where y of a finite row is not beta_i rounded to y's format (zeros of either sign), for finite gamma_i and beta_i.
LawResult CheckRowsAreBeta(const Case& c, const reference::Outputs& outputs);

// What a broken verdict saw, in one line.
std::string Seen(const reference::Verdict& verdict, const Case& c);

// The judge's verdict on the case as the result of a law.
LawResult CheckJudged(const LawContext& context, const Case& c);

}  // namespace normcheck::properties
