// The questions, their cases, and the answers in words.
#include "properties/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "properties/probe_cases.h"
#include "properties/probe_numerics.h"
#include "properties/probe_range.h"
#include "properties/standard_sweep.h"
#include "reference/diagnosis/diagnosis.h"
#include "reference/judge.h"
#include "reference/number.h"
#include "reference/wrapped_text.h"

namespace normcheck::properties {
namespace {

using norm::Kernel;
using reference::Verdict;

std::string Ids(const std::vector<reference::Diagnosis>& diagnosis) {
  std::string text;
  for (const auto& d : diagnosis) text += (text.empty() ? "" : ", ") + d.id;
  return text;
}

std::string Numbers(const Verdict& verdict, const Case& c) {
  if (!verdict.worst) return verdict.fault;
  const auto decimal = [&](Bits bits) { return reference::DecimalText(bits, c.formats.y); };
  std::string text = fmt::format("row {}, element {} of {}: got {}, want {}", verdict.worst->row, verdict.worst->index, c.width,
                                 decimal(verdict.worst->got), decimal(verdict.worst->want));
  if (verdict.worst->row_ulp) text += fmt::format(", {:.3g} row ulp", *verdict.worst->row_ulp);
  return text;
}

// What a wrong formula would have given where it differs from the judge's number.
std::string Alternative(const Verdict& verdict, const Case& c, std::string_view id) {
  const std::vector<Bits> wrong = reference::WrongOutputs(id, c);
  if (wrong.empty() || !verdict.worst) return "";
  const std::size_t at = verdict.worst->row * c.width + verdict.worst->index;
  return fmt::format("; {} would give {}", id, reference::DecimalText(wrong[at], c.formats.y));
}

// A kernel may refuse absent parameters by its own answer: it is asked with gamma = 1, then with beta = 0 as well. The outputs stay the same.
Verdict JudgeAsTaken(const Kernel& kernel, Case& c) {
  Verdict verdict = reference::Judge(kernel, c, {});
  const auto retry_with = [&](std::optional<std::vector<Bits>>& parameters, double value) {
    if (!verdict.not_supported || parameters) return;
    parameters.emplace(c.width, reference::BitsOf(value, c.formats.params));
    verdict = reference::Judge(kernel, c, {});
  };
  retry_with(c.gamma, 1);
  if (kernel.beta) retry_with(c.beta, 0);
  return verdict;
}

std::string SizeText(const Case& c) {
  double most = 0;
  for (const Bits bits : c.x) most = std::max(most, std::abs(reference::ValueOf(bits, c.formats.x)));
  return fmt::format("{} x {}, |x| <= {:.3g}", c.rows, c.width, most);
}

ProbeAnswer Ask(const Kernel& kernel, ProbeCase probe, const ProbeRange& range) {
  ProbeAnswer answer;
  answer.op = probe.c.op;
  answer.question = probe.question;
  const bool without_beta = probe.c.beta && !kernel.beta;
  probe.c = reference::DrawnFor(kernel, std::move(probe.c));
  if (without_beta) probe.about += " (gamma alone)";
  const Verdict verdict = JudgeAsTaken(kernel, probe.c);
  answer.evidence = fmt::format("{} ({}); {}", probe.about, SizeText(probe.c), Numbers(verdict, probe.c));
  if (verdict.not_supported) answer.answer = verdict.harness_failed ? "cannot be told: " + verdict.fault : "not supported";
  else if (!verdict.fault.empty()) answer.answer = verdict.fault;
  else if (verdict.kept) answer.answer = probe.as_defined + (range.broken > 0 ? ", on this case; see range" : "");
  else if (verdict.diagnosis.empty()) answer.answer = "not as defined, and no known mistake fits";
  else answer.answer = Ids(verdict.diagnosis);
  if (verdict.kept) answer.evidence += Alternative(verdict, probe.c, probe.alternative);
  return answer;
}

}  // namespace

std::vector<ProbeAnswer> Probe(const Kernel& kernel) {
  std::vector<ProbeAnswer> answers;
  for (const norm::Op op : kernel.ops) {
    const ProbeRange range = RangeOf(kernel, op);
    for (const ProbeCase& probe : ProbeCases(op, PreferredFormats(kernel))) answers.push_back(Ask(kernel, probe, range));
    std::ranges::move(ProbeNumerics(kernel, op), std::back_inserter(answers));
    answers.push_back(range.answer);
  }
  return answers;
}

std::string ProbeText(const Kernel& kernel, const std::vector<ProbeAnswer>& answers) {
  std::string text = kernel.name + "\n" + reference::WrappedText(kernel.about, 2);
  for (const ProbeAnswer& answer : answers)
    text += fmt::format("{:<10} {:<14} {}\n", norm::NameOf(answer.op), answer.question, answer.answer) +
            reference::WrappedText(answer.evidence, 11);
  return text;
}

}  // namespace normcheck::properties
