// The judge's front: epsilon as the kernel takes it, the call's own faults, then the case.
#include "reference/judge.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "norm/harness_fault.h"
#include "norm/kernel_fault.h"
#include "reference/case_judge.h"
#include "reference/diagnosis/diagnosis.h"
#include "reference/number.h"

namespace normcheck::reference {
namespace {

// Sticky exception flags are no fault: every kernel raises some.
constexpr unsigned kMxcsrControl = 0xffc0;

constexpr Contract kExactContract{norm::ContractKind::kCorrectlyRounded, 0};

double RoundedEpsilon(double epsilon, norm::EpsilonFormat format) {
  const auto through = [&](Format f) { return ValueOf(BitsOf(epsilon, f), f); };
  switch (format) {
    case norm::EpsilonFormat::kF32: return through(Format::kF32);
    case norm::EpsilonFormat::kF16: return through(Format::kF16);
    case norm::EpsilonFormat::kBf16: return through(Format::kBf16);
    case norm::EpsilonFormat::kF64: break;
  }
  return epsilon;
}

levels::LevelOptions LevelsOf(const JudgeOptions& options) {
  levels::LevelOptions levels;
  levels.filter = levels.double_double = !options.exact_only;
  return levels;
}

std::string CallFault(const Case& c, const Outputs& outputs) {
  if (!outputs.result.ok())
    return "refused: " + std::string(outputs.result.argument) + ": " + std::string(outputs.result.reason);
  if (outputs.y.size() != c.rows * c.width) return "y has not rows*width elements";
  if (!outputs.trespass.empty()) return "wrote outside its outputs: " + outputs.trespass;
  if (!outputs.changed_input.empty()) return "changed its inputs: " + outputs.changed_input;
  if (((outputs.mxcsr_before ^ outputs.mxcsr_after) & kMxcsrControl) != 0) return "changed MXCSR";
  return "";
}

Verdict NotChecked(Verdict verdict, const Case& c, std::string unasked, std::string why) {
  verdict.not_supported = true;
  verdict.unasked = std::move(unasked);
  verdict.tally.not_checked = c.rows * c.width;
  verdict.fault = std::move(why);
  return verdict;
}

// Neither kept nor broken: the kernel was not asked, or its answer could not be judged.
Verdict HarnessFailed(const Contract& contract, const Case& c, std::string unasked, const std::string& why) {
  Verdict verdict;
  verdict.contract = contract;
  verdict.kept = false;
  verdict.harness_failed = true;
  return NotChecked(std::move(verdict), c, std::move(unasked), why);
}

Verdict OutOfMemory(const Contract& contract, const Case& c) {
  return HarnessFailed(contract, c, "no memory, process or time", "the system gives no memory to run and judge the case");
}

bool NothingBroken(const Verdict& verdict) {
  return verdict.fault.empty() && verdict.tally.broken == 0 && (!verdict.statistics || verdict.statistics->broken == 0);
}

Verdict JudgeThem(const Case& c, const Outputs& outputs, const Contract& contract, norm::EpsilonFormat epsilon_format,
                  const JudgeOptions& options) {
  Verdict verdict;
  verdict.contract = options.contract.value_or(contract);
  verdict.got = outputs.y;
  if (!HasBounds(verdict.contract)) {
    verdict.kept = false;
    return NotChecked(std::move(verdict), c, "contract", "this judge has no bounds for contract " + ContractText(verdict.contract));
  }
  if (outputs.result.status == norm::CallStatus::kUnsupported)
    return NotChecked(std::move(verdict), c, "by its own answer", "not supported by the kernel: by its own answer");
  const double epsilon = RoundedEpsilon(c.epsilon, epsilon_format);
  if (!std::isfinite(epsilon))
    return NotChecked(std::move(verdict), c, "epsilon", "epsilon is infinite in the kernel's format");
  verdict.fault = CallFault(c, outputs);
  if (outputs.result.ok() && outputs.y.size() == c.rows * c.width)
    CaseJudge(c, epsilon, verdict.contract).Judge(outputs, {options.want_outputs, options.describe}, LevelsOf(options), verdict);
  else
    verdict.tally.not_checked = c.rows * c.width;
  verdict.kept = NothingBroken(verdict);
  if (!verdict.kept && options.diagnose && outputs.y.size() == c.rows * c.width)
    verdict.diagnosis = Diagnose(c, outputs.y, verdict.contract, epsilon);
  return verdict;
}

// Every output counts as unwritten. The first element stands for the case where one is shown, with what it should have been.
Verdict VerdictOfFault(const Case& c, double epsilon, const Contract& contract, const std::string& fault, bool want_outputs) {
  Verdict verdict;
  verdict.contract = contract;
  verdict.kept = false;
  verdict.fault = fault;
  verdict.tally.not_checked = c.x.size();
  verdict.got.assign(c.x.size(), PoisonBits(c.formats.y));
  if (c.x.empty()) return verdict;
  Contract exact = kExactContract;
  exact.saturates = contract.saturates;
  if (want_outputs) verdict.want = CaseJudge(c, epsilon, exact).CorrectlyRounded();
  const CaseValues values(c, epsilon, Subnormals::kKept);
  const RowJudge row(values, 0, exact);
  verdict.worst = WorstElement{0, 0, c.x[0], PoisonBits(c.formats.y), row.Want(0), {}, {}, {}, fault};
  verdict.row = FactsOf(row.row(), epsilon);
  return verdict;
}

Verdict JudgeRun(const norm::Kernel& kernel, const Case& c, const Contract& contract, const JudgeOptions& options) {
  RunOptions run;
  run.statistics = kernel.statistics;
  try {
    return JudgeThem(c, RunKernel(kernel, c, run), contract, kernel.epsilon_format, options);
  } catch (const norm::KernelFault& fault) {
    return VerdictOfFault(c, RoundedEpsilon(c.epsilon, kernel.epsilon_format), contract, fault.what(), options.want_outputs);
  } catch (const norm::HarnessFault& fault) {
    return HarnessFailed(contract, c, "no memory, process or time", fault.what());
  }
}

}  // namespace

Verdict JudgeOutputs(const Case& c, const Outputs& outputs, const Contract& contract, norm::EpsilonFormat epsilon_format,
                     const JudgeOptions& options) {
  try {
    return JudgeThem(c, outputs, contract, epsilon_format, options);
  } catch (const std::bad_alloc&) {
    return OutOfMemory(options.contract.value_or(contract), c);
  }
}

std::string WhyNotAsked(const norm::Kernel& kernel, const Case& c) {
  if (std::ranges::find(kernel.ops, c.op) == kernel.ops.end()) return "op";
  if (!norm::Supports(kernel, c.op, c.formats)) return "format";
  if (!kernel.pitch && (c.x_pitch != c.width || c.y_pitch != c.width)) return "pitch";
  if (!kernel.beta && c.beta) return "beta";
  return std::isfinite(RoundedEpsilon(c.epsilon, kernel.epsilon_format)) ? "" : "epsilon";
}

Case DrawnFor(const norm::Kernel& kernel, Case c) {
  if (!kernel.beta) c.beta.reset();
  return c;
}

Verdict Judge(const norm::Kernel& kernel, const Case& c, const JudgeOptions& options) {
  const Contract contract = options.contract.value_or(kernel.contract);
  Verdict verdict;
  verdict.contract = contract;
  const std::string why = WhyNotAsked(kernel, c);
  try {
    verdict = why.empty() ? JudgeRun(kernel, c, contract, options)
                          : NotChecked(std::move(verdict), c, why, "not supported by the kernel: " + why);
  } catch (const std::bad_alloc&) {
    verdict = OutOfMemory(contract, c);
  }
  verdict.kernel = kernel.name;
  return verdict;
}

Case WithEpsilonOf(const norm::Kernel& kernel, Case c) {
  c.epsilon = RoundedEpsilon(c.epsilon, kernel.epsilon_format);
  return c;
}

std::vector<Bits> CorrectlyRounded(const Case& c) { return CaseJudge(c, c.epsilon, kExactContract).CorrectlyRounded(); }

}  // namespace normcheck::reference
