// The text form of contracts: "correctly-rounded", "ulp:K", "row-ulp:K", "two-pass,order=lanes:8,acc=f32+ftz", ...
#pragma once

#include <string>
#include <string_view>

#include "norm/contract.h"
#include "reference/result.h"

namespace normcheck::reference {

using norm::Contract;

// "ulp:0.5" is refused: it is not "correctly-rounded" at powers of two.
Result<Contract> ParseContract(std::string_view text);

// ParseContract(ContractText(c)) == c.
std::string ContractText(const Contract& contract);

}  // namespace normcheck::reference
