// The mutants by family of mistakes; kernels.cc lists them.
#pragma once

#include <vector>

#include "norm/kernel.h"

namespace normcheck::properties {

std::vector<norm::Kernel> VarianceMutants();
std::vector<norm::Kernel> EpsilonMutants();
std::vector<norm::Kernel> DefinitionMutants();
std::vector<norm::Kernel> ElementMutants();
std::vector<norm::Kernel> ParameterMutants();
std::vector<norm::Kernel> OutputMutants();
std::vector<norm::Kernel> PrecisionMutants();
std::vector<norm::Kernel> TailMutants();
std::vector<norm::Kernel> IndexMutants();
std::vector<norm::Kernel> MemoryMutants();
std::vector<norm::Kernel> BatchMutants();
std::vector<norm::Kernel> StateMutants();
std::vector<norm::Kernel> MachineMutants();
std::vector<norm::Kernel> LargeMutants();
std::vector<norm::Kernel> LongMutants();  // of kind mutant-long: outside the totals

}  // namespace normcheck::properties
