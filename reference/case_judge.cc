// A case's elements, one row at a time.
#include "reference/case_judge.h"

#include <algorithm>
#include <limits>
#include <string>

namespace normcheck::reference {
namespace {

using Standing = ElementVerdict::Standing;

constexpr double kBeyondElementUlp = 0.501;

void AddSizes(const ErrorSizes& sizes, bool finite, Tally& tally) {
  const UlpQ20 ulp = ToQ20(sizes.ulp);
  const UlpQ20 row_ulp = ToQ20(sizes.row_ulp);
  ++tally.scored;
  if (finite && sizes.ulp > kBeyondElementUlp) ++tally.beyond_element;
  tally.max_ulp = std::max(tally.max_ulp, ulp);
  tally.max_row_ulp = std::max(tally.max_row_ulp, row_ulp);
  tally.max_bound_ratio = std::max(tally.max_bound_ratio, ToQ20(sizes.bound_ratio));
  tally.row_ulp_sum += row_ulp;
  tally.bias_sum += sizes.bias_sign * static_cast<__int128>(std::min(ulp, UlpQ20{1} << 40));
  tally.ulp.Add(ulp);
  tally.row_ulp.Add(row_ulp);
}

void AddTo(Tally& tally, const ElementVerdict& element) {
  if (element.broken) ++tally.broken;
  if (element.class_fault) ++tally.class_faults;
  if (element.standing == Standing::kUndefined) ++tally.undefined;
  if (element.standing == Standing::kNoPromise) ++tally.no_promise;
  if (element.standing != Standing::kJudged) return;
  ++tally.judged;
  ++tally.levels[2];
  if (element.correctly_rounded) ++tally.correctly_rounded;
  if (element.sizes) AddSizes(*element.sizes, element.finite, tally);
}

// The size on the contract's own scale; outputs without one (the right NaN) come last.
double OnScaleOf(const Contract& contract, const ElementVerdict& element) {
  if (element.class_fault) return std::numeric_limits<double>::infinity();
  if (!element.sizes) return -1;
  switch (contract.kind) {
    case norm::ContractKind::kRowUlp: return element.sizes->row_ulp;
    case norm::ContractKind::kProfile: return element.sizes->bound_ratio;
    default: return element.sizes->ulp;
  }
}

}  // namespace

std::optional<RowFacts> FactsOf(const ExactRow& row, double epsilon) {
  if (row.row_class() != RowClass::kFinite) return std::nullopt;
  const Quad width = static_cast<double>(row.values().size());
  const Quad mean = row.Mean().Value();
  const Quad var = ToQuad(row.Variance()) / (width * width);
  const auto in_double = [](const Quad& value) { return static_cast<double>(value); };
  const auto quotient = [&](const Quad& a, const Quad& b) {
    return b == 0 ? std::numeric_limits<double>::infinity() : in_double(Quad(a / b));
  };
  RowFacts facts;
  facts.mean = in_double(mean);
  facts.var = in_double(var);
  facts.inv_std_dev = row.Undefined() ? std::numeric_limits<double>::infinity() : in_double(row.InvStdDev().Value());
  facts.mean_over_sigma = quotient(abs(mean), sqrt(var));
  facts.var_over_eps = quotient(var, Quad(epsilon));
  return facts;
}

// The first of the worst elements seen so far.
struct CaseJudge::Worst {
  std::size_t row = 0;
  std::size_t index = 0;
  double size = 0;
  std::optional<ElementVerdict> element;

  void Offer(std::size_t r, std::size_t i, double offered, const ElementVerdict& verdict) {
    if (verdict.standing != Standing::kJudged) return;
    const bool worse = !element || (verdict.broken != element->broken ? verdict.broken : offered > size);
    if (!worse) return;
    row = r;
    index = i;
    size = offered;
    element = verdict;
  }

  WorstElement Described(const Case& c, const Outputs& outputs) const {
    const std::size_t at = row * c.width + index;
    WorstElement worst{row, index, c.x[at], outputs.y[at], element->want, {}, {}, {}, std::string(element->fault)};
    if (!element->sizes) return worst;
    worst.ulp = element->sizes->ulp;
    worst.row_ulp = element->sizes->row_ulp;
    worst.bound_ratio = element->sizes->bound_ratio;
    return worst;
  }
};

CaseJudge::CaseJudge(const Case& c, double epsilon, const Contract& contract)
    : case_(&c), contract_(contract), kept_(c, epsilon, Subnormals::kKept) {
  if (contract.flush_to_zero) flushed_.emplace(c, epsilon, Subnormals::kFlushed);
}

void CaseJudge::Judge(const Outputs& outputs, bool want_outputs, Verdict& verdict) const {
  Worst worst;
  StatisticsJudge statistics(contract_);
  for (std::size_t row = 0; row < case_->rows && case_->width > 0; ++row)
    JudgeRow(row, outputs, want_outputs, worst, statistics, verdict);
  if (worst.element) {
    verdict.worst = worst.Described(*case_, outputs);
    verdict.row = FactsOf(ExactRow(case_->op, kept_.Row(worst.row), kept_.epsilon), kept_.epsilon);
  }
  if (statistics.verdict().judged > 0) verdict.statistics = statistics.verdict();
}

void CaseJudge::JudgeRow(std::size_t row, const Outputs& outputs, bool want_outputs, Worst& worst,
                         StatisticsJudge& statistics, Verdict& verdict) const {
  const RowJudge kept(kept_, row, contract_);
  std::optional<RowJudge> flushed;
  if (flushed_) flushed.emplace(*flushed_, row, contract_);
  const RowJudge* second = flushed ? &*flushed : nullptr;
  for (std::size_t i = 0; i < case_->width; ++i) {
    const ElementVerdict element = JudgeReadings(kept, second, i, outputs.y[row * case_->width + i]);
    AddTo(verdict.tally, element);
    worst.Offer(row, i, OnScaleOf(contract_, element), element);
    if (want_outputs) verdict.want.push_back(element.want);
  }
  JudgeStatistics(row, outputs, kept, second, statistics);
}

void CaseJudge::JudgeStatistics(std::size_t row, const Outputs& outputs, const RowJudge& kept, const RowJudge* flushed,
                                StatisticsJudge& judge) const {
  const ExactRow* second = flushed ? &flushed->row() : nullptr;
  if (row < outputs.mean.size() && case_->op == Op::kLayerNorm) judge.AddMean(kept.row(), second, outputs.mean[row]);
  if (row < outputs.inv_std_dev.size()) judge.AddInvStdDev(kept.row(), second, outputs.inv_std_dev[row]);
}

std::vector<Bits> CaseJudge::CorrectlyRounded() const {
  std::vector<Bits> want;
  want.reserve(case_->rows * case_->width);
  for (std::size_t row = 0; row < case_->rows && case_->width > 0; ++row) {
    const RowJudge judge(kept_, row, contract_);
    for (std::size_t i = 0; i < case_->width; ++i) want.push_back(judge.Want(i));
  }
  return want;
}

}  // namespace normcheck::reference
