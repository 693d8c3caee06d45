// The ladder of levels, each rung a contract.
#include "reference/placement.h"

#include <algorithm>
#include <cmath>

#include "reference/bounds.h"
#include "reference/case_values.h"
#include "reference/judge.h"
#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reference/tally.h"

namespace normcheck::reference {
namespace {

using norm::Algorithm;
using norm::Form;
using norm::Order;
using norm::Precision;
using norm::Profile;

constexpr std::string_view kLevelNames[] = {"wrong", "unstable", "stable", "accurate", "correctly rounded"};

// y in f32 or f64: 4 row ulps. Narrower: half an ulp and what four row ulps of f32 may add.
Contract AccurateIn(Format y) {
  const int precision = norm::TraitsOf(y).precision;
  const double k = precision >= 24 ? 4 : 0.5 + std::ldexp(4.0, precision - 24);
  return {norm::ContractKind::kRowUlp, k};
}

Contract ContractOf(Level level, const Profile& profile, Format y) {
  if (level == Level::kCorrectlyRounded) return {norm::ContractKind::kCorrectlyRounded, 0};
  if (level == Level::kAccurate) return AccurateIn(y);
  Contract contract;
  contract.kind = norm::ContractKind::kProfile;
  contract.profile = profile;
  return contract;
}

Profile ProfileOf(Algorithm algorithm, Precision accumulator, Precision mean, Order order, int block, Form form) {
  return {algorithm, order, block, accumulator, mean, form};
}

double LargestRowUlp(const Case& c, const Verdict& verdict) {
  if (verdict.tally.class_faults > 0) return INFINITY;
  return std::ldexp(FromQ20(verdict.tally.max_row_ulp), 1 - norm::TraitsOf(c.formats.y).precision);
}

int DigitsOf(double error) {
  if (error == 0) return 9;
  return static_cast<int>(std::clamp(std::floor(-std::log10(error)), 0.0, 9.0));
}

bool IsOrdinary(const std::vector<double>& x, double epsilon, const Operation& operation) {
  double sum = 0;
  for (const double value : x) sum += value;
  const double mean = sum / static_cast<double>(x.size());
  double squares = 0;
  for (const double value : x) squares += operation.centred() ? (value - mean) * (value - mean) : value * value;
  const double variance = squares / CountOf(operation.squares_over, x.size());
  const bool in_range = variance > 0x1p-100 && sum * sum < 0x1p100 && squares < 0x1p100;
  return in_range && variance >= epsilon && (!operation.centred() || std::abs(mean) <= 8 * std::sqrt(variance));
}

bool AllOrdinary(const Case& c) {
  const CaseValues values(c, c.epsilon, Subnormals::kKept);
  for (std::size_t row = 0; row < c.rows && c.width > 0; ++row)
    if (!IsOrdinary(values.Row(row), c.epsilon, OperationOf(c.op))) return false;
  return true;
}

Verdict JudgedUnder(const Contract& contract, const Case& c, const Outputs& outputs, norm::EpsilonFormat format) {
  JudgeOptions options;
  options.diagnose = options.describe = false;
  return JudgeOutputs(c, outputs, contract, format, options);
}

}  // namespace

std::string_view NameOf(Level level) { return kLevelNames[static_cast<std::size_t>(level)]; }

std::optional<Level> LevelNamed(std::string_view name) {
  std::string plain(name);
  std::ranges::replace(plain, '-', ' ');
  const auto* const found = std::ranges::find(kLevelNames, plain);
  if (found == std::end(kLevelNames)) return std::nullopt;
  return static_cast<Level>(found - std::begin(kLevelNames));
}

Placer::Placer() {
  rungs_.push_back({Level::kCorrectlyRounded, "correctly rounded", {}});
  rungs_.push_back({Level::kAccurate, "within a few ulps of the row", {}});
  const auto add = [&](Level level, std::string name, Profile profile) { rungs_.push_back({level, std::move(name), profile}); };
  using enum Precision;
  const auto centred = Form::kCentred;
  add(Level::kStable, "two-pass in f64", ProfileOf(Algorithm::kTwoPass, kF64, kF64, Order::kRecursive, 1, centred));
  add(Level::kStable, "two-pass, sums in f64", ProfileOf(Algorithm::kTwoPass, kF64, kF32, Order::kRecursive, 1, centred));
  add(Level::kStable, "two-pass in f32, pairwise", ProfileOf(Algorithm::kTwoPass, kF32, kF32, Order::kPairwise, 8, centred));
  add(Level::kStable, "two-pass in f32, 8 lanes", ProfileOf(Algorithm::kTwoPass, kF32, kF32, Order::kLanes, 8, centred));
  add(Level::kStable, "two-pass in f32", ProfileOf(Algorithm::kTwoPass, kF32, kF32, Order::kRecursive, 1, centred));
  add(Level::kStable, "Welford in f32", ProfileOf(Algorithm::kWelford, kF32, kF32, Order::kRecursive, 1, centred));
  add(Level::kUnstable, "one-pass variance in f64", ProfileOf(Algorithm::kOnePass, kF64, kF64, Order::kRecursive, 1, centred));
  add(Level::kUnstable, "one-pass variance in f32", ProfileOf(Algorithm::kOnePass, kF32, kF32, Order::kRecursive, 1, centred));
  add(Level::kUnstable, "scale and bias in f32", ProfileOf(Algorithm::kTwoPass, kF32, kF32, Order::kRecursive, 1, Form::kScaleBias));
  add(Level::kUnstable, "one-pass variance, scale and bias in f32",
      ProfileOf(Algorithm::kOnePass, kF32, kF32, Order::kRecursive, 1, Form::kScaleBias));
  std::erase_if(rungs_, [](const Rung& rung) { return !HasBounds(ContractOf(rung.level, rung.profile, Format::kF32)); });
}

bool Placer::Holds(Rung& rung, const Case& c, const Outputs& outputs, const Contract& own, norm::EpsilonFormat format) {
  Contract contract = ContractOf(rung.level, rung.profile, c.formats.y);
  contract.flush_to_zero = own.flush_to_zero;
  contract.finite_only = own.finite_only || rung.profile.algorithm == Algorithm::kWelford;
  contract.saturates = own.saturates;
  const Verdict verdict = JudgedUnder(contract, c, outputs, format);
  rung.no_promise += verdict.tally.no_promise;
  return verdict.kept;
}

void Placer::TakeDigits(const Case& c, const Outputs& outputs, norm::EpsilonFormat format) {
  const Verdict verdict = JudgedUnder(AccurateIn(c.formats.y), c, outputs, format);
  outputs_ += verdict.tally.judged;
  const int digits = DigitsOf(LargestRowUlp(c, verdict));
  digits_.worst = std::min(digits_.worst, digits);
  if (AllOrdinary(c)) digits_.ordinary = std::min(digits_.ordinary, digits);
}

void Placer::Add(const Case& c, const std::vector<Bits>& y, const Contract& own, norm::EpsilonFormat epsilon_format) {
  Outputs outputs;
  outputs.y = y;
  TakeDigits(c, outputs, epsilon_format);
  for (Rung& rung : rungs_)
    if (rung.stands) rung.stands = Holds(rung, c, outputs, own, epsilon_format);
}

std::optional<Placement> Placer::Place() const {
  if (outputs_ == 0 && !faulty_) return std::nullopt;
  Placement placement;
  placement.outputs = outputs_;
  placement.digits = digits_;
  const auto found = std::ranges::find_if(rungs_, &Rung::stands);
  if (faulty_ || found == rungs_.end()) return placement;
  placement.level = found->level;
  placement.rung = found->name;
  placement.no_promise = found->no_promise;
  return placement;
}

}  // namespace normcheck::reference
