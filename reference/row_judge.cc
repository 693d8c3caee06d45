// Every element of a row against the exact value: class, rounding, distance, promise.
#include "reference/row_judge.h"

#include <cmath>

#include "reference/exact_rounding.h"
#include "reference/number.h"
#include "reference/outputs.h"

namespace normcheck::reference {
namespace {

using Standing = ElementVerdict::Standing;

ElementVerdict ClassFault(Bits want, std::string_view fault) {
  ElementVerdict verdict;
  verdict.want = want;
  verdict.broken = verdict.class_fault = true;
  verdict.fault = fault;
  return verdict;
}

ElementVerdict Unscored(Standing standing, Bits want) {
  ElementVerdict verdict;
  verdict.standing = standing;
  verdict.want = want;
  return verdict;
}

std::string_view SpecialFault(Ideal ideal, Bits got, Format format) {
  if (ideal == Ideal::kNan) return "missing nan";
  if (IsNan(got, format)) return "nan where the reference has none";
  return IsInfinite(got, format) ? "wrong sign" : "missing infinity";
}

bool SameClass(Ideal ideal, Bits got, Format format) {
  if (ideal == Ideal::kNan) return IsNan(got, format);
  return got == BitsOf(ideal, format);
}

bool IsZero(Bits got, Format format) { return ValueOf(got, format) == 0; }

// What is wrong with the class of an output that a promise of correct rounding does not keep; "" where only its value is.
std::string_view RoundedClassFault(Bits want, Bits got, Format format) {
  if (IsInfinite(got, format)) return IsInfinite(want, format) ? "wrong sign" : "infinity where the value rounds to a finite number";
  if (IsInfinite(want, format)) return "missing infinity";
  return IsZero(got, format) && IsZero(want, format) ? "wrong sign" : "";
}

std::string_view FiniteClassFault(const Promise& promise, Bits want, Bits got, Format format) {
  if (promise.kind == Promise::Kind::kCorrectlyRounded) return RoundedClassFault(want, got, format);
  return IsInfinite(got, format) ? "infinity out of reach" : "";
}

double Ratio(const Quad& error, const Quad& promised) {
  return error == 0 ? 0 : static_cast<double>(Quad(error / promised));
}

bool HasExactElements(const ExactRow& row) {
  if (row.row_class() == RowClass::kInfinity) return row.operation().infinite_row == InfiniteRow::kOthersZero;
  return row.row_class() == RowClass::kFinite && !row.Undefined();
}

}  // namespace

RowJudge::RowJudge(const CaseValues& values, std::size_t row, const Contract& contract)
    : values_(&values),
      contract_(contract),
      format_(values.source->formats.y),
      beyond_(contract.saturates ? Beyond::kLargestFinite : Beyond::kInfinity),
      row_(values.source->op, values.Row(row), values.epsilon) {
  if (!HasExactElements(row_)) return;
  bounds_ = BoundsOn(contract, row_, values);
  if (values.plain()) plain_row_exponent_ = UlpExponent(row_.Scale(1, 0), format_);
}

Ideal RowJudge::IdealAt(std::size_t i) const { return IdealOf(row_, i, values_->gamma(i), values_->beta(i)); }

std::optional<ExactElement> RowJudge::Element(std::size_t i) const {
  if (IdealAt(i) != Ideal::kFinite) return std::nullopt;
  return row_.Element(i, values_->gamma(i), values_->beta(i));
}

Bits RowJudge::Want(std::size_t i) const {
  const std::optional<ExactElement> y = Element(i);
  return y ? Rounded(*y) : BitsOf(IdealAt(i), format_);
}

Bits RowJudge::Rounded(const ExactElement& y) const {
  const Bits rounded = RoundTo(y, format_);
  return contract_.saturates && IsInfinite(rounded, format_) ? rounded - 1 : rounded;
}

bool RowJudge::NothingPromised(std::size_t i) const {
  if (profile() != nullptr && !profile()->promised) return true;
  const bool finite = row_.row_class() == RowClass::kFinite && std::isfinite(values_->gamma(i)) && std::isfinite(values_->beta(i));
  return contract_.finite_only && !finite;
}

ElementVerdict RowJudge::Judge(std::size_t i, Bits got) const {
  if (got == PoisonBits(format_)) return ClassFault(Want(i), "not written");
  if (NothingPromised(i)) return Unscored(Standing::kNoPromise, Want(i));
  const Ideal ideal = IdealAt(i);
  if (ideal == Ideal::kUndefined) return Unscored(Standing::kUndefined, BitsOf(ideal, format_));
  ElementVerdict verdict = ideal == Ideal::kFinite ? JudgeFinite(i, got) : JudgeSpecial(i, ideal, got);
  verdict.finite = IsFinite(got, format_);
  return verdict;
}

ElementVerdict RowJudge::JudgeSpecial(std::size_t i, Ideal ideal, Bits got) const {
  ElementVerdict verdict;
  verdict.want = BitsOf(ideal, format_);
  verdict.correctly_rounded = SameClass(ideal, got, format_);
  const bool kept = verdict.correctly_rounded || IsSaturated(ideal, got) || (!IsFinite(got, format_) && ReachesZeroXhat(i)) || (IsNan(got, format_) && ProductCanOverflow(i));
  return kept ? verdict : ClassFault(verdict.want, SpecialFault(ideal, got, format_));
}

// Conversions that saturate differ in what they make of an infinity: kept as it is, or as the largest finite number of its sign.
bool RowJudge::IsSaturated(Ideal ideal, Bits got) const {
  const bool infinite = ideal == Ideal::kPositiveInfinity || ideal == Ideal::kNegativeInfinity;
  return contract_.saturates && infinite && got + 1 == BitsOf(ideal, format_);
}

// An infinite gamma makes y_i +inf, NaN or -inf by the sign of xhat_i alone, which a rounding kernel cannot know where
// xhat_i lies within its error of zero.
bool RowJudge::ReachesZeroXhat(std::size_t i) const {
  if (!bounds_ || !std::isinf(values_->gamma(i)) || !std::isfinite(row_.values()[i])) return false;
  const ExactElement xhat = row_.Element(i, 1, 0);
  const UlpScale scale = {UlpExponent(xhat, format_), UlpExponent(row_.Scale(1, 0), format_), static_cast<double>(xhat.Value())};
  const Promise promise = bounds_->OfXhat(i, scale);
  if (promise.kind == Promise::Kind::kCorrectlyRounded) return false;
  return promise.kind == Promise::Kind::kNothing || xhat.CompareMagnitude(promise.max_error) <= 0;
}

// A profile rounds gamma_i*xhat_i before it adds an infinite beta_i: a product that leaves the range on the other side makes a NaN of it.
bool RowJudge::ProductCanOverflow(std::size_t i) const {
  const double gamma = values_->gamma(i);
  if (profile() == nullptr || !std::isfinite(gamma) || !std::isinf(values_->beta(i)) || !std::isfinite(row_.values()[i])) return false;
  const double xhat = static_cast<double>(row_.Element(i, 1, 0).Value());
  if (std::signbit(gamma * xhat) == std::signbit(values_->beta(i))) return false;
  return std::isinf(Promised(*profile(), {row_.values()[i], xhat, gamma, 0, gamma * xhat}));
}

UlpScale RowJudge::ScaleOf(std::size_t i, const ExactElement& y) const {
  const int element = UlpExponent(y, format_);
  const double value = static_cast<double>(y.Value());
  if (plain_row_exponent_) return {element, *plain_row_exponent_, value};
  return {element, UlpExponent(row_.Scale(values_->gamma(i), values_->beta(i)), format_), value};
}

ElementVerdict RowJudge::JudgeFinite(std::size_t i, Bits got) const {
  const ExactElement y = row_.Element(i, values_->gamma(i), values_->beta(i));
  ElementVerdict verdict;
  verdict.want = Rounded(y);
  const UlpScale scale = ScaleOf(i, y);
  const Promise promise = bounds_->Of(i, scale);
  if (promise.kind == Promise::Kind::kNothing) return Unscored(Standing::kNoPromise, verdict.want);
  if (IsNan(got, format_)) return ClassFault(verdict.want, "nan where the reference has none");
  verdict.correctly_rounded = got == verdict.want || (y.Sign() == 0 && IsZero(got, format_));
  const double value = ExtendedSignedValue(got, format_);
  verdict.broken = promise.kind == Promise::Kind::kCorrectlyRounded ? !verdict.correctly_rounded
                                                                   : !IsAllowed(i, y, value, promise);
  if (const std::string_view fault = FaultBeyond(i, y, verdict.want, got); !fault.empty()) return ClassFault(verdict.want, fault);
  if (verdict.broken) {
    const std::string_view fault = FiniteClassFault(promise, verdict.want, got, format_);
    if (!fault.empty()) return ClassFault(verdict.want, fault);
  }
  verdict.sizes = SizesOf(y, value, scale, promise);
  return verdict;
}

// What the contract allows as if the format's exponents went on.
Promise RowJudge::UncappedPromise(std::size_t i, const ExactElement& y) const {
  const ExactElement row = row_.Scale(values_->gamma(i), values_->beta(i));
  return bounds_->Of(i, {UncappedUlpExponent(y, format_), UncappedUlpExponent(row, format_), static_cast<double>(y.Value())});
}

// A value beyond the format counts as its end, or as it is where the row's scale reaches back from it.
bool RowJudge::IsAllowed(std::size_t i, const ExactElement& y, double got, const Promise& promise) const {
  if (IsWithin(y, got, promise.max_error, format_, beyond_)) return true;
  if (!IsCapped(y, format_, beyond_)) return false;
  const Promise uncapped = UncappedPromise(i, y);
  return uncapped.kind == Promise::Kind::kWithin && y.Compare(Dyadic(got) - uncapped.max_error) >= 0 &&
         y.Compare(Dyadic(got) + uncapped.max_error) <= 0;
}

// The whole interval that the contract allows lies at 2^(emax+1) or beyond.
bool RowJudge::LiesBeyond(std::size_t i, const ExactElement& y) const {
  if (!IsCapped(y, format_)) return false;
  const Promise promise = UncappedPromise(i, y);
  const Dyadic end = Dyadic::PowerOfTwo(norm::TraitsOf(format_).emax + 1);
  return promise.kind == Promise::Kind::kWithin && y.CompareMagnitude(end + promise.max_error) >= 0;
}

// What is wrong with an output of a finite value because of how values beyond the format are to come out; "" where nothing is.
std::string_view RowJudge::FaultBeyond(std::size_t i, const ExactElement& y, Bits want, Bits got) const {
  if (contract_.saturates && IsInfinite(got, format_)) return "infinity where the contract saturates";
  if (got == want || !(contract_.saturates || IsFinite(got, format_)) || !LiesBeyond(i, y)) return "";
  return contract_.saturates ? "not the largest finite number where the value lies beyond" : "missing infinity";
}

ErrorSizes RowJudge::SizesOf(const ExactElement& y, double got, const UlpScale& scale, const Promise& promise) const {
  const Quad error = CappedError(y, got, format_, beyond_);
  const Quad size = abs(error);
  const Quad promised = promise.kind == Promise::Kind::kWithin ? ToQuad(promise.max_error) : Scaled(Quad(1), scale.element - 1);
  ErrorSizes sizes;
  sizes.ulp = static_cast<double>(Scaled(size, -scale.element));
  sizes.row_ulp = static_cast<double>(Scaled(size, -scale.row));
  sizes.bound_ratio = Ratio(size, promised);
  sizes.bias_sign = y.Sign() * error.sign();
  return sizes;
}

bool RowJudge::IsFlushedResult(std::size_t i, Bits got) const {
  const std::optional<ExactElement> y = Element(i);
  if (!y || got == PoisonBits(format_) || !IsZero(got, format_)) return false;
  const Promise promise = bounds_->Of(i, ScaleOf(i, *y));
  const Dyadic reach = Dyadic::PowerOfTwo(norm::TraitsOf(format_).emin) + promise.max_error;
  return y->CompareMagnitude(reach) < 0;
}

ElementVerdict JudgeReadings(const RowJudge& kept, const RowJudge* flushed, std::size_t i, Bits got) {
  ElementVerdict verdict = kept.Judge(i, got);
  if (!verdict.broken || !flushed) return verdict;
  ElementVerdict other = flushed->Judge(i, got);
  if (kept.IsFlushedResult(i, got) || flushed->IsFlushedResult(i, got)) {
    other.broken = other.class_fault = false;
    other.fault = "";
    other.sizes = ErrorSizes{};
    other.standing = Standing::kJudged;
  }
  if (other.broken) return verdict;
  other.want = verdict.want;
  other.correctly_rounded = false;
  return other;
}

}  // namespace normcheck::reference
