// The judge: a case and a kernel's outputs become a verdict under the kernel's contract.
#pragma once

#include "norm/kernel.h"
#include "reference/outputs.h"
#include "reference/result.h"
#include "reference/verdict.h"

namespace normcheck::reference {

struct JudgeOptions {
  std::optional<Contract> contract;  // instead of the kernel's own
  bool want_outputs = false;         // fill Verdict::want
  bool diagnose = true;              // name the mistake where the contract failed
  bool exact_only = false;           // the integer level alone, as referee of the faster levels
  bool describe = true;              // Verdict::worst with its exact figures, and Verdict::row; else worst is a place alone
};

// Why the kernel is not asked a case, as a report counts it ("beta"); empty: it takes the case.
std::string WhyNotAsked(const norm::Kernel& kernel, const Case& c);

// A drawn case as the kernel can be asked it: without beta where the kernel has none.
Case DrawnFor(const norm::Kernel& kernel, Case c);

// Runs the kernel on the case and judges what it wrote. A case that the kernel does not support gives not_supported, as does one
// for which there was no memory, process or time (harness_failed).
Verdict Judge(const norm::Kernel& kernel, const Case& c, const JudgeOptions& options);

// Judges outputs that come from elsewhere. epsilon_format: the format in which the kernel took epsilon.
Verdict JudgeOutputs(const Case& c, const Outputs& outputs, const Contract& contract, norm::EpsilonFormat epsilon_format,
                     const JudgeOptions& options);

// The case as the kernel really gets it: epsilon rounded to the kernel's format.
Case WithEpsilonOf(const norm::Kernel& kernel, Case c);

// The correctly rounded outputs of a case, dense, by the exact level; undefined elements are NaN.
std::vector<Bits> CorrectlyRounded(const Case& c);

// Checks c.expected against `want`; the message names the element that disagrees.
Result<bool> CheckExpected(const Case& c);

// Nothing when the tool's own MXCSR is the default one, else why it refuses to judge (exit 3).
std::optional<std::string> FloatEnvironmentFault();

}  // namespace normcheck::reference
