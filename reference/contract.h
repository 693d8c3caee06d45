// The text form of contracts: "correctly-rounded", "ulp:K", "row-ulp:K", "two-pass,order=lanes:8,acc=f64+ftz", ...
#pragma once

#include <string>
#include <string_view>

#include "norm/contract.h"
#include "reference/result.h"

namespace normcheck::reference {

using norm::Contract;

// BASE[+ftz][+finite-only][+saturates], where BASE is
//   correctly-rounded | ulp:K | row-ulp:K                                                        (K decimal, 0 < K <= 1e15)
//   two-pass|one-pass|welford[,order=recursive|lanes:L|pairwise:B][,acc=f32|f64][,mean=f32|f64][,form=centred|scale-bias]
// with the fields of a profile in any order, each once; absent ones are those of norm::Profile. L and B: 1 to 2^20.
// "ulp:0.5" is refused: it is not "correctly-rounded" at powers of two. So is every smaller K of ulp: nothing can keep it.
// +saturates: a value beyond the format becomes its largest finite number of that sign. An infinity there is then a fault; where
// an infinite gamma or beta asks for an infinity, both that and the largest finite number are kept.
Result<Contract> ParseContract(std::string_view text);

// Fields that have their default are left out. ParseContract(ContractText(c)) == c for every c that ParseContract gives.
std::string ContractText(const Contract& contract);

}  // namespace normcheck::reference
