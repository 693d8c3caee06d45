// Bisects rows and columns in turn until neither shrinks any more.
#include "properties/shrink_size.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "properties/shrink.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Case;

// Up to here every neighbour of a case is cheap.
constexpr std::size_t kFewElements = 1024;
constexpr int kMostRounds = 4;

std::vector<Bits> ColumnRange(const std::vector<Bits>& values, std::size_t width, std::size_t first, std::size_t count) {
  std::vector<Bits> kept;
  kept.reserve(values.size() / width * count);
  for (std::size_t row = 0; row < values.size(); row += width) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(row + first);
    kept.insert(kept.end(), from, from + static_cast<std::ptrdiff_t>(count));
  }
  return kept;
}

Case WithColumns(const Case& c, std::size_t first, std::size_t count) {
  Case part = c;
  part.x = ColumnRange(c.x, c.width, first, count);
  if (c.gamma) part.gamma = ColumnRange(*c.gamma, c.width, first, count);
  if (c.beta) part.beta = ColumnRange(*c.beta, c.width, first, count);
  part.width = part.x_pitch = part.y_pitch = count;
  return part;
}

Case WithRows(const Case& c, std::size_t first, std::size_t count) {
  Case part = c;
  const auto from = c.x.begin() + static_cast<std::ptrdiff_t>(first * c.width);
  part.x.assign(from, from + static_cast<std::ptrdiff_t>(count * c.width));
  part.rows = count;
  return part;
}

class SizeShrinker {
 public:
  SizeShrinker(Case c, const std::function<bool(const Case&)>& fails, int max_steps) : c_(std::move(c)), fails_(fails), left_(max_steps) {
    c_.expected.clear();
  }

  Case Run() {
    std::size_t before = 0;
    for (int round = 0; round < kMostRounds && c_.x.size() != before && left_ > 0; ++round) {
      before = c_.x.size();
      Bisect(&Case::rows, WithRows);
      Bisect(&Case::width, WithColumns);
    }
    Plainer();
    return c_.x.size() > kFewElements ? c_ : Shrink(c_, fails_, left_);
  }

 private:
  using Part = Case (*)(const Case& c, std::size_t first, std::size_t count);

  bool Take(Case candidate) {
    if (left_-- <= 0 || !fails_(candidate)) return false;
    c_ = std::move(candidate);
    return true;
  }

  // The first rows (columns) that fail by themselves, then the last of those.
  void Bisect(std::size_t Case::* size, Part part) {
    for (std::size_t kept = 0; c_.*size - kept > 1;) {
      const std::size_t count = kept + (c_.*size - kept) / 2;
      if (!Take(part(c_, 0, count))) kept = count;
    }
    for (std::size_t kept = 0; c_.*size - kept > 1;) {
      const std::size_t count = kept + (c_.*size - kept) / 2;
      if (!Take(part(c_, c_.*size - count, count))) kept = count;
    }
  }

  void Plainer() {
    for (const auto parameter : {&Case::gamma, &Case::beta}) {
      Case without = c_;
      (without.*parameter).reset();
      if (c_.*parameter) Take(std::move(without));
    }
    for (const double unit : {0.0, 1.0, 0x1p-6}) {
      Case cut = c_;
      for (Bits& bits : cut.x) bits = Cut(bits, unit);
      if (cut != c_ && Take(std::move(cut))) return;
    }
  }

  Bits Cut(Bits bits, double unit) const {
    const double value = reference::ValueOf(bits, c_.formats.x);
    if (unit == 0 || !std::isfinite(value)) return std::isfinite(value) ? Bits{0} : bits;
    return reference::BitsOf(std::trunc(value / unit) * unit, c_.formats.x);
  }

  Case c_;
  const std::function<bool(const Case&)>& fails_;
  int left_;
};

}  // namespace

Case ShrinkSize(Case c, const std::function<bool(const Case&)>& fails, int max_steps) { return SizeShrinker(std::move(c), fails, max_steps).Run(); }

}  // namespace normcheck::properties
