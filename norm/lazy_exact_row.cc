// The cold path from a row in its format to its exact sums.
#include "norm/lazy_exact_row.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "norm/rounding.h"

namespace normcheck::norm {
namespace {

bool RoundsAlike(double value, double error) {
  return std::bit_cast<std::uint32_t>(ToFloat32(value - error)) == std::bit_cast<std::uint32_t>(ToFloat32(value + error));
}

}  // namespace

// Not inline: what it has on the stack is gone before the exact row is made.
[[gnu::noinline]] void LazyExactRow::AddAll(WidenFunction widen, ExactMoments& moments) const {
  const std::size_t bytes = TraitsOf(call_->formats.x).bytes;
  double values[256];
  for (std::size_t offset = 0; offset < call_->width; offset += std::size(values)) {
    const std::size_t count = std::min(std::size(values), call_->width - offset);
    widen(call_->formats.x, static_cast<const char*>(x_) + offset * bytes, count, values);
    moments.Add({values, count});
  }
}

void LazyExactRow::Make(WidenFunction widen) {
  ExactMoments moments;
  AddAll(widen, moments);
  row_.emplace(call_->op, call_->width, call_->epsilon, moments);
}

double LazyExactRow::Element(double x, double gamma, double beta, Format format) {
  if (!(x == last_.x && gamma == last_.gamma && beta == last_.beta)) last_ = {x, gamma, beta, row_->Element(x, gamma, beta, format)};
  return last_.y;
}

void LazyExactRow::Keep(WidenFunction widen, std::span<std::byte> room) {
  const std::size_t bytes = TraitsOf(call_->formats.x).bytes;
  if (call_->width > room.size() / bytes) {
    Get(widen);
    return;
  }
  std::memcpy(room.data(), x_, call_->width * bytes);
  x_ = room.data();
}

void WriteStatistics(const KernelCall& call, const RowStage& stage, LazyExactRow& exact, WidenFunction widen, std::size_t row) {
  const bool unknown = stage.kind == RowKind::kExact;
  if (call.mean != nullptr) {
    const bool safe = !unknown && RoundsAlike(stage.mean, stage.mean_error);
    call.mean[row] = ToFloat32(safe ? stage.mean + 0.0 : exact.Get(widen).Mean());
  }
  if (call.inv_std_dev != nullptr) {
    const bool safe = !unknown && RoundsAlike(stage.inv_std_dev, stage.inv_std_dev_error);
    call.inv_std_dev[row] = ToFloat32(safe ? stage.inv_std_dev : exact.Get(widen).InvStdDev());
  }
}

}  // namespace normcheck::norm
