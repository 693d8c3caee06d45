// Drives the levels: blocks of a row through the filter, what that leaves open through the others.
#include "reference/levels/case_levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/exact_rounding.h"
#include "reference/levels/element_levels.h"
#include "reference/levels/statistics_filter.h"
#include "reference/levels/storage.h"
#include "reference/number.h"
#include "reference/operations/operations.h"

namespace normcheck::reference::levels {
namespace {

using norm::ContractKind;

std::size_t Padded(std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

FilterLimits LimitsOf(const Contract& contract, Format format, Affine affine) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  FilterLimits limits;
  limits.min_normal = std::ldexp(1.0, traits.emin);
  limits.max_finite = std::ldexp(2 - std::ldexp(1.0, 1 - traits.precision), traits.emax);
  limits.precision = traits.precision;
  limits.affine = affine;
  if (contract.kind != ContractKind::kProfile) limits.promised = contract.kind == ContractKind::kRowUlp ? PromisedUnit::kRowUlps : PromisedUnit::kUlps;
  limits.k = contract.kind == ContractKind::kCorrectlyRounded ? 0.5 : contract.k;
  limits.pass_broken = contract.flush_to_zero ? -1 : 0;
  return limits;
}

LaneArray<double> PaddedCopy(const std::vector<double>& values, std::size_t width, double absent) {
  LaneArray<double> padded(Padded(width), absent);
  std::copy(values.begin(), values.end(), padded.begin());
  return padded;
}

}  // namespace

void FilterHistogram::AddTo(UlpHistogram& histogram) const {
  for (std::size_t bin = 0; bin < kUndecidedBin; ++bin) histogram.AddTo(bin, even[bin] + odd[bin]);
}

const RowJudge& ExactReadings::kept() {
  if (!kept_) kept_ = std::make_unique<RowJudge>(*kept_values_, row_, *contract_);
  return *kept_;
}

const RowJudge* ExactReadings::flushed() {
  if (flushed_values_ != nullptr && !flushed_) flushed_ = std::make_unique<RowJudge>(*flushed_values_, row_, *contract_);
  return flushed_.get();
}

const DoubleDoubleRow* ExactReadings::double_double() {
  const ExactRow& row = kept().row();
  if (row.row_class() != RowClass::kFinite || row.Undefined()) return nullptr;
  if (!double_double_) double_double_.emplace(row);
  return &*double_double_;
}

struct CaseLevels::Row {
  std::size_t index;
  std::span<const Bits> got;
  ExactReadings exact;
  std::optional<FilteredRow> filtered = std::nullopt;
  std::optional<DoubleDoubleRow> compensated = std::nullopt;  // made when first asked for
  bool compensated_tried = false;
};

CaseLevels::CaseLevels(const CaseValues& kept, const CaseValues* flushed, const Contract& contract, const LevelOptions& options)
    : kept_(&kept),
      flushed_(flushed),
      contract_(contract),
      options_(options),
      format_(kept.source->formats.y),
      width_(kept.source->width),
      limits_(LimitsOf(contract, format_, kept.plain() ? Affine::kAbsent : Affine::kPresent)),
      x_(Padded(width_)),
      gamma_(PaddedCopy(kept.gammas, width_, 1)),
      beta_(PaddedCopy(kept.betas, width_, 0)),
      got_(kBlock),
      ulp_(kBlock),
      row_ulp_(kBlock),
      ratio_(kBlock),
      bin_(kBlock),
      row_bin_(kBlock) {}

// A row without gamma and beta has one scale; where that lies near a power of two, its ulp is taken from the exact row once.
void CaseLevels::Filter(Row& row) {
  const Case& c = *kept_->source;
  options_.loops->values(c.x.data() + row.index * width_, StorageOf(c.formats.x), width_, x_.data());
  row.filtered = FilterOf(OperationOf(kept_->source->op), std::span(x_).first(width_), kept_->epsilon, *options_.loops);
  if (!row.filtered || !kept_->plain()) return;
  FilterRow& r = row.filtered->row;
  const auto exponent = UlpExponentOf({{r.max_xhat, 0}, 2 * r.max_xhat_doubt}, format_);
  r.inverse_ulp = std::ldexp(1.0, -(exponent ? *exponent : UlpExponent(row.exact.kept().row().Scale(1, 0), format_)));
}

void CaseLevels::JudgeRow(std::size_t index, const Outputs& outputs, bool want_outputs, CaseTotals& totals) {
  Row row = {index, std::span(outputs.y).subspan(index * width_, width_), ExactReadings(*kept_, flushed_, index, contract_)};
  if (options_.filter) Filter(row);
  for (std::size_t first = 0; first < width_; first += kBlock) {
    const std::size_t count = std::min(kBlock, width_ - first);
    if (row.filtered) JudgeBlock(row, first, totals);
    else std::fill(bin_.begin(), bin_.end(), kUndecidedBin);
    for (std::size_t i = 0; i < count && !row.filtered; ++i) JudgeOne(row, first + i, totals);
    if (want_outputs) AddWanted(row, first, count, totals.want);
  }
  AddStatistics(contract_, row.filtered ? &*row.filtered : nullptr, row.exact, *kept_->source, index, outputs,
                totals.statistics);
}

void CaseLevels::JudgeBlock(Row& row, std::size_t first, CaseTotals& totals) {
  const std::size_t count = std::min(kBlock, width_ - first);
  LoadOutputs(row, first, count);
  if (contract_.kind == ContractKind::kProfile) PrepareProfile(row, first);
  const FilterBlock block = {x_.data() + first, gamma_.data() + first, beta_.data() + first, got_.data(),
                             Padded(count),     ulp_.data(),           row_ulp_.data(),      bin_.data(), row_bin_.data()};
  FilterCounts counts;
  options_.loops->elements(row.filtered->row, limits_, block, counts);
  CountBins(Padded(count));
  if (counts.decided > 0) AddCounts(row, first, counts, totals);
  std::size_t left = count - static_cast<std::size_t>(counts.decided);
  for (std::size_t i = 0; left > 0; ++i) {
    if (bin_[i] != kUndecidedBin) continue;
    JudgeOne(row, first + i, totals);
    --left;
  }
}

// Requires: an even count.
void CaseLevels::CountBins(std::size_t count) {
  for (std::size_t i = 0; i < count; i += 2) {
    ++histogram_.even[static_cast<std::size_t>(bin_[i])];
    ++histogram_.odd[static_cast<std::size_t>(bin_[i + 1])];
    ++row_histogram_.even[static_cast<std::size_t>(row_bin_[i])];
    ++row_histogram_.odd[static_cast<std::size_t>(row_bin_[i + 1])];
  }
}

void CaseLevels::AddCounts(const Row& row, std::size_t first, const FilterCounts& counts, CaseTotals& totals) {
  Tally& tally = totals.tally;
  const auto decided = static_cast<std::uint64_t>(counts.decided);
  tally.judged += decided;
  tally.scored += decided;
  tally.levels[static_cast<std::size_t>(Level::kFilter)] += decided;
  tally.correctly_rounded += static_cast<std::uint64_t>(counts.correctly_rounded);
  tally.beyond_element += static_cast<std::uint64_t>(counts.beyond_element);
  tally.broken += static_cast<std::uint64_t>(counts.broken);
  tally.row_ulp_sum += static_cast<std::uint64_t>(counts.row_ulp_sum);
  tally.bias_sum += counts.bias_sum;
  tally.max_ulp = std::max(tally.max_ulp, ToQ20(counts.max_ulp));
  tally.max_row_ulp = std::max(tally.max_row_ulp, ToQ20(counts.max_row_ulp));
  double size = contract_.kind == ContractKind::kRowUlp ? counts.max_row_ulp : counts.max_ulp;
  if (contract_.kind == ContractKind::kProfile) size = AddProfile(std::min(kBlock, width_ - first), tally);
  tally.max_bound_ratio = std::max(tally.max_bound_ratio, ToQ20(size / LimitOnScale()));
  OfferWorst(row, first, size, totals.worst);
}

std::span<const double> CaseLevels::SizesOnScale() const {
  if (contract_.kind == ContractKind::kProfile) return ratio_;
  return contract_.kind == ContractKind::kRowUlp ? row_ulp_ : ulp_;
}

double CaseLevels::LimitOnScale() const {
  if (contract_.kind == ContractKind::kProfile) return 1;
  return contract_.kind == ContractKind::kCorrectlyRounded ? 0.5 : contract_.k;
}

void CaseLevels::OfferWorst(const Row& row, std::size_t first, double size, WorstPlace& worst) const {
  const bool broken = size > LimitOnScale();
  if (!worst.IsWorse(size, broken)) return;
  const std::span<const double> sizes = SizesOnScale();
  for (std::size_t i = 0; i < sizes.size() && first + i < width_; ++i) {
    if (bin_[i] != kUndecidedBin && sizes[i] == size) return worst.Offer(row.index, first + i, size, broken);
  }
}

// Padding is no number, which the filter never decides.
void CaseLevels::LoadOutputs(Row& row, std::size_t first, std::size_t count) {
  options_.loops->values(row.got.data() + first, StorageOf(format_), count, got_.data());
  std::fill(got_.begin() + static_cast<std::ptrdiff_t>(count), got_.end(), std::numeric_limits<double>::quiet_NaN());
}

// Elements that the profile's bound leaves open are passed on by a got that is no number.
void CaseLevels::PrepareProfile(Row& row, std::size_t first) {
  const RowBound* profile = row.exact.kept().profile();
  for (std::size_t i = 0; i < kBlock && first + i < width_; ++i) {
    const std::size_t at = first + i;
    const auto ratio = FilteredRatio(row.filtered->row, *profile, {x_[at], 0, gamma_[at], beta_[at], 0}, got_[i]);
    ratio_[i] = ratio.value_or(0);
    if (!ratio) got_[i] = std::numeric_limits<double>::quiet_NaN();
  }
}

double CaseLevels::AddProfile(std::size_t count, Tally& tally) const {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (bin_[i] == kUndecidedBin) continue;
    if (ratio_[i] > 1) ++tally.broken;
    largest = std::max(largest, ratio_[i]);
  }
  return largest;
}

void CaseLevels::JudgeOne(Row& row, std::size_t i, CaseTotals& totals) const {
  Level level = Level::kFilter;
  std::optional<ElementVerdict> verdict = row.filtered ? JudgeClass(row, i) : std::nullopt;
  if (!verdict) {
    level = Level::kDoubleDouble;
    if (options_.double_double) verdict = JudgeInDoubleDouble(row, i);
  }
  if (!verdict) {
    level = Level::kExact;
    verdict = JudgeReadings(row.exact.kept(), row.exact.flushed(), i, row.got[i]);
  }
  AddTo(totals.tally, *verdict, level);
  if (verdict->standing == ElementVerdict::Standing::kJudged)
    totals.worst.Offer(row.index, i, OnScaleOf(contract_, *verdict), verdict->broken);
}

// What the class of an output decides by itself where something is promised: a NaN where the value is finite is broken, unless
// flushed inputs change it; the NaN or infinity that the parameters ask for, or that a surely overflowing value does, is right.
std::optional<ElementVerdict> CaseLevels::JudgeClass(const Row& row, std::size_t i) const {
  if (contract_.kind == ContractKind::kProfile) return std::nullopt;
  const double gamma = kept_->gamma(i), beta = kept_->beta(i);
  const bool finite = std::isfinite(gamma) && std::isfinite(beta);
  ElementVerdict verdict;
  verdict.broken = verdict.class_fault = finite && flushed_ == nullptr && IsNan(row.got[i], format_);
  if (verdict.broken) return verdict;
  verdict.correctly_rounded = finite ? Overflows(row, i) : !contract_.finite_only && IsAskedFor(row.got[i], gamma, beta);
  if (finite) verdict.sizes = ErrorSizes{};
  return verdict.correctly_rounded ? std::optional(verdict) : std::nullopt;
}

// The integers alone know what saturates.
bool CaseLevels::Overflows(const Row& row, std::size_t i) const {
  if (contract_.saturates || !IsInfinite(row.got[i], format_)) return false;
  return SurelyOverflows(row.filtered->row, {x_[i], 0, kept_->gamma(i), kept_->beta(i), 0}, ValueOf(row.got[i], format_), format_);
}

// Whatever xhat is: NaN for a NaN among gamma and beta, and beta where that alone is infinite.
bool CaseLevels::IsAskedFor(Bits got, double gamma, double beta) const {
  if (std::isnan(gamma) || std::isnan(beta)) return IsNan(got, format_) && got != PoisonBits(format_);
  return std::isfinite(gamma) && IsInfinite(got, format_) && ValueOf(got, format_) == beta;
}

std::optional<ElementVerdict> CaseLevels::JudgeInDoubleDouble(Row& row, std::size_t i) const {
  if (!std::isfinite(kept_->gamma(i)) || !std::isfinite(kept_->beta(i)) || !IsFinite(row.got[i], format_)) return std::nullopt;
  if (row.filtered && !row.compensated_tried) {
    row.compensated = DoubleDoubleRow::Compensated(OperationOf(kept_->source->op), std::span(x_).first(width_), row.filtered->extremes, kept_->epsilon,
                                                   *options_.loops);
    row.compensated_tried = true;
  }
  if (row.compensated) {
    const auto verdict = JudgeBy(*row.compensated, row, i);
    if (verdict) return verdict;
  }
  const DoubleDoubleRow* values = row.exact.double_double();
  return values == nullptr ? std::nullopt : JudgeBy(*values, row, i);
}

std::optional<ElementVerdict> CaseLevels::JudgeBy(const DoubleDoubleRow& values, Row& row, std::size_t i) const {
  const double gamma = kept_->gamma(i), beta = kept_->beta(i);
  const RowBound* profile = contract_.kind == ContractKind::kProfile ? row.exact.kept().profile() : nullptr;
  const ElementEstimates estimates = {values.Xhat(i), values.Element(i, gamma, beta), values.Scale(gamma, beta)};
  const double x = ValueOf(kept_->source->x[row.index * width_ + i], kept_->source->formats.x);
  const auto verdict = JudgeEstimates(contract_, profile, estimates, {x, 0, gamma, beta, 0}, ExtendedSignedValue(row.got[i], format_), format_);
  if (verdict && verdict->broken && flushed_ != nullptr) return std::nullopt;
  return verdict;
}

void CaseLevels::AddWanted(Row& row, std::size_t first, std::size_t count, std::vector<Bits>& want) const {
  for (std::size_t i = 0; i < count; ++i) {
    const Bits got = row.got[first + i];
    const bool known = bin_[i] != kUndecidedBin && ulp_[i] < 0.5;
    const Bits known_bits = ValueOf(got, format_) == 0 ? 0 : got;
    want.push_back(known ? known_bits : row.exact.kept().Want(first + i));
  }
}

void CaseLevels::Finish(Tally& tally) const {
  histogram_.AddTo(tally.ulp);
  row_histogram_.AddTo(tally.row_ulp);
}

}  // namespace normcheck::reference::levels
