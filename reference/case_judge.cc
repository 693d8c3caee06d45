// A case's elements, one row at a time.
#include "reference/case_judge.h"

#include <limits>
#include <string>
#include <utility>

namespace normcheck::reference {
std::optional<RowFacts> FactsOf(const ExactRow& row, double epsilon) {
  if (row.row_class() != RowClass::kFinite) return std::nullopt;
  const Quad count = CountOf(row.operation().squares_over, row.values().size());
  const Quad mean = row.Mean().Value();
  const Quad var = ToQuad(row.Variance()) / (count * count);
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

CaseJudge::CaseJudge(const Case& c, double epsilon, const Contract& contract)
    : case_(&c), contract_(contract), kept_(c, epsilon, Subnormals::kKept) {
  if (contract.flush_to_zero) flushed_.emplace(c, epsilon, Subnormals::kFlushed);
}

void CaseJudge::Judge(const Outputs& outputs, Wishes wishes, const levels::LevelOptions& options, Verdict& verdict) const {
  levels::CaseTotals totals(contract_);
  if (case_->width > 0) {
    levels::CaseLevels judge(kept_, flushed_ ? &*flushed_ : nullptr, contract_, options);
    for (std::size_t row = 0; row < case_->rows; ++row) judge.JudgeRow(row, outputs, wishes.want_outputs, totals);
    judge.Finish(totals.tally);
  }
  verdict.tally.Merge(totals.tally);
  verdict.want = std::move(totals.want);
  if (totals.worst.found && wishes.describe) Describe(totals.worst, outputs, verdict);
  else if (totals.worst.found) verdict.worst = PlaceOf(totals.worst, outputs);
  if (totals.statistics.verdict().judged > 0) verdict.statistics = totals.statistics.verdict();
}

WorstElement CaseJudge::PlaceOf(const levels::WorstPlace& place, const Outputs& outputs) const {
  const std::size_t at = place.row * case_->width + place.index;
  WorstElement worst;
  worst.row = place.row;
  worst.index = place.index;
  worst.x = case_->x[at];
  worst.got = outputs.y[at];
  return worst;
}

// Whatever level judged it, the worst element is shown with the figures of the exact one.
void CaseJudge::Describe(const levels::WorstPlace& place, const Outputs& outputs, Verdict& verdict) const {
  levels::ExactReadings exact(kept_, flushed_ ? &*flushed_ : nullptr, place.row, contract_);
  const std::size_t at = place.row * case_->width + place.index;
  const ElementVerdict element = JudgeReadings(exact.kept(), exact.flushed(), place.index, outputs.y[at]);
  WorstElement worst = PlaceOf(place, outputs);
  worst.want = element.want;
  worst.fault = element.fault;
  if (element.sizes) {
    worst.ulp = element.sizes->ulp;
    worst.row_ulp = element.sizes->row_ulp;
    worst.bound_ratio = element.sizes->bound_ratio;
  }
  verdict.worst = std::move(worst);
  verdict.row = FactsOf(exact.kept().row(), kept_.epsilon);
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
