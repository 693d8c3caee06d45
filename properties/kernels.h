// Every kernel that normcheck ships: the production ones first, then test kernels (honest, mutants, contrast, null).
#pragma once

#include <string_view>
#include <vector>

#include "norm/kernel.h"
#include "reference/result.h"

namespace normcheck::properties {

std::vector<norm::Kernel> AllKernels();

// Mutants: correct double kernels with one planted, named, cited fault each. id = the diagnosis that they should get.
std::vector<norm::Kernel> Mutants();

// One that computes `op` right: the production kernel or, where there is none, the mutants' engine without a fault.
norm::Kernel SoundKernel(norm::Op op);

// A kernel by name, or a plug-in (plug_in/plug_in.h): "./libmine.so", "exec:COMMAND". The error lists the nearest names.
reference::Result<norm::Kernel> FindKernel(std::string_view name);

}  // namespace normcheck::properties
