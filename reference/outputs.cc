// Lays a case out in guarded arrays, runs the kernel on them and looks at what it left.
#include "reference/outputs.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "norm/harness_fault.h"
#include "reference/guarded_array.h"
#include "reference/mxcsr.h"
#include "reference/number.h"
#include "reference/operations/operations.h"

namespace normcheck::reference {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

std::size_t SaturatedSum(std::size_t a, std::size_t b) { return a > kAll - b ? kAll : a + b; }
std::size_t SaturatedProduct(std::size_t a, std::size_t b) { return b != 0 && a > kAll / b ? kAll : a * b; }

std::size_t Span(const Case& c, std::size_t pitch) {
  return c.rows == 0 ? 0 : SaturatedSum(SaturatedProduct(c.rows - 1, pitch), c.width);
}

std::size_t ElementsBesideXAndY(const Case& c) {
  const std::size_t params = (c.gamma ? c.width : 0) + (c.beta ? c.width : 0);
  return SaturatedSum(params, SaturatedProduct(2, c.rows));
}

// Elements that a run fills, so that they cost memory.
std::size_t FilledElements(const Case& c) {
  const auto filled = [&](std::size_t pitch) { return Span(c, std::min(pitch, c.width + 2 * kWatchedPadding)); };
  return SaturatedSum(SaturatedSum(filled(c.x_pitch), filled(c.y_pitch)), ElementsBesideXAndY(c));
}

using Parameters = std::optional<std::vector<Bits>>;

// The arrays of one call; absent ones stay empty.
class Arrays {
 public:
  Arrays(const norm::Kernel& kernel, const Case& c, const RunOptions& options)
      : c_(c), stand_ins_(StandInsFor(kernel, c)), gamma_bits_(c.gamma ? c.gamma : stand_ins_.gamma), beta_bits_(c.beta ? c.beta : stand_ins_.beta) {
    const auto make = [&](std::optional<GuardedArray>& array, Format format, const ArrayShape& shape) {
      array.emplace(format, shape, options.misalign);
    };
    make(x_, c.formats.x, {c.rows, c.width, c.x_pitch});
    if (gamma_bits_) make(gamma_, c.formats.params, {1, c.width, c.width});
    if (beta_bits_) make(beta_, c.formats.params, {1, c.width, c.width});
    if (!options.in_place) make(y_, c.formats.y, {c.rows, c.width, c.y_pitch});
    if (!options.statistics || !kernel.statistics) return;
    make(inv_std_dev_, Format::kF32, {1, c.rows, c.rows});
    if (OperationOf(c.op).Find("mean")) make(mean_, Format::kF32, {1, c.rows, c.rows});
  }

  bool complete() {
    return std::none_of(std::begin(all_), std::end(all_), [](auto* array) { return *array && (*array)->data() == nullptr; });
  }

  norm::KernelCall Fill() {
    x_->Fill(c_.x);
    if (gamma_) gamma_->Fill(*gamma_bits_);
    if (beta_) beta_->Fill(*beta_bits_);
    for (auto* array : all_)
      if (*array) (*array)->LockGuards();
    const auto data = [](std::optional<GuardedArray>& array) { return array ? array->data() : nullptr; };
    return {c_.op,       c_.formats,  c_.rows,     c_.width,
            c_.x_pitch,  c_.y_pitch,  c_.epsilon,  data(x_),
            data(gamma_), data(beta_), y_ ? data(y_) : data(x_),
            static_cast<float*>(data(mean_)), static_cast<float*>(data(inv_std_dev_))};
  }

  void Inspect(Outputs& out) {
    for (auto* array : all_)
      if (*array) (*array)->UnlockGuards();
    GuardedArray& y = y_ ? *y_ : *x_;
    out.y = y.Dense();
    out.mean = Floats(mean_);
    out.inv_std_dev = Floats(inv_std_dev_);
    out.trespass = Trespass(y);
    out.changed_input = ChangedInput();
  }

 private:
  std::string NameOf(const std::optional<GuardedArray>* array) const {
    constexpr std::string_view kNames[] = {"x", "gamma", "beta", "y", "mean", "inv_std_dev"};
    return std::string(kNames[std::find(std::begin(all_), std::end(all_), array) - std::begin(all_)]);
  }

  // Guards before padding: a write behind a row may go through both.
  std::string Trespass(const GuardedArray& y) const {
    for (const auto* array : all_)
      if (*array && !(*array)->GuardsIntact()) return (*array)->GuardFault(NameOf(array));
    return y.PaddingIntact() ? "" : y.PaddingFault("y");
  }

  std::string ChangedInput() const {
    if (y_ && !x_->Holds(c_.x)) return "x, " + x_->Difference(c_.x);
    if (y_ && !x_->PaddingIntact()) return x_->PaddingFault("x");
    if (gamma_ && !gamma_->Holds(*gamma_bits_)) return "gamma, " + gamma_->Difference(*gamma_bits_);
    if (beta_ && !beta_->Holds(*beta_bits_)) return "beta, " + beta_->Difference(*beta_bits_);
    return "";
  }

  static std::vector<float> Floats(const std::optional<GuardedArray>& array) {
    std::vector<float> out;
    if (!array) return out;
    for (const Bits bits : array->Dense()) out.push_back(std::bit_cast<float>(bits));
    return out;
  }

  const Case& c_;
  StandIns stand_ins_;  // given parameters are not copied
  const Parameters& gamma_bits_;
  const Parameters& beta_bits_;
  std::optional<GuardedArray> x_, gamma_, beta_, y_, mean_, inv_std_dev_;
  std::optional<GuardedArray>* all_[6] = {&x_, &gamma_, &beta_, &y_, &mean_, &inv_std_dev_};
};

norm::CallResult BadArgument(std::string_view argument, std::string_view reason) {
  return {norm::CallStatus::kBadArgument, argument, reason};
}

}  // namespace

Bits PoisonBits(Format format) {
  switch (format) {
    case Format::kF16: return 0x7da5;
    case Format::kBf16: return 0x7fa5;
    case Format::kF32: break;
  }
  return 0x7fa5a5a5;
}

StandIns StandInsOf(const Case& c) {
  StandIns absent;
  if (!c.gamma) absent.gamma.emplace(c.width, BitsOf(1, c.formats.params));
  if (!c.beta) absent.beta.emplace(c.width, BitsOf(0, c.formats.params));
  return absent;
}

StandIns StandInsFor(const norm::Kernel& kernel, const Case& c) { return kernel.absent_params ? StandIns() : StandInsOf(c); }

Outputs RunKernel(const norm::Kernel& kernel, const Case& c, const RunOptions& options) {
  Outputs out;
  if (options.in_place && (c.formats.x != c.formats.y || c.x_pitch != c.y_pitch))
    out.result = BadArgument("in_place", "formats or pitches of x and y differ");
  if (!out.result.ok()) return out;
  if (FilledElements(c) > kMaxRunElements) throw norm::HarnessFault("the case needs more memory than a run may take");
  Arrays arrays(kernel, c, options);
  if (!arrays.complete()) throw norm::HarnessFault("the system gives no memory for the arrays of the case");
  const norm::KernelCall call = arrays.Fill();
  out.mxcsr_before = ReadMxcsr();
  out.result = kernel.run(call);
  out.mxcsr_after = ReadMxcsr();
  RestoreMxcsr(out.mxcsr_before);
  arrays.Inspect(out);
  return out;
}

std::size_t BufferElements(const Case& c) {
  return SaturatedSum(SaturatedSum(Span(c, c.x_pitch), Span(c, c.y_pitch)), ElementsBesideXAndY(c));
}

}  // namespace normcheck::reference
