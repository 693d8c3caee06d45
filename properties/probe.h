// Probe: what a kernel computes, asked by cases that can tell, each answer with its evidence.
#pragma once

#include <string>
#include <vector>

#include "norm/kernel.h"
#include "reference/case.h"

namespace normcheck::properties {

struct ProbeAnswer {
  norm::Op op = norm::Op::kLayerNorm;
  std::string question;  // "definition", "epsilon", "divisor", "elements", "rows", "accumulation", "order", "parameters",
                         // "output", "special values", "range"
  std::string answer;    // one line
  std::string evidence;  // the case in words, and the numbers that decide
};

// Asks every question of every op at the kernel's preferred formats. Answers name a mistake only by the rule of
// reference/diagnosis; a question that the kernel does not take is answered "not supported". What is kept on its own case and not over the
// range says so. "order" is the honest kernel whose outputs agree in most bits, and is called likely only.
std::vector<ProbeAnswer> Probe(const norm::Kernel& kernel);

std::string ProbeText(const norm::Kernel& kernel, const std::vector<ProbeAnswer>& answers);

}  // namespace normcheck::properties
