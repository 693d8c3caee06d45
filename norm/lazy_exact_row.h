// The exact row of a call's row, made when first asked for, and the statistics that may need it.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "norm/exact_row.h"
#include "norm/kernel_call.h"
#include "norm/row_stage.h"

namespace normcheck::norm {

// Exact conversion of `count` elements to binary64; the loops of the running target bring it.
using WidenFunction = void (*)(Format format, const void* from, std::size_t count, double* to);

class LazyExactRow {
 public:
  void Reset(const KernelCall& call, const void* x) {
    call_ = &call;
    x_ = x;
    row_.reset();
    last_ = {};
  }

  const ExactRow& Get(WidenFunction widen) {
    if (!row_) Make(widen);
    return *row_;
  }

  // ExactRow::Element of a row that was made; the last answer is kept, since what needs it comes in equal values.
  double Element(double x, double gamma, double beta, Format format);

  // From here on x may be overwritten: it is copied to `room` where it fits, else the exact row is made now.
  void Keep(WidenFunction widen, std::span<std::byte> room);

 private:
  // A question and its answer; NaN equals no question.
  struct Answer {
    double x = std::numeric_limits<double>::quiet_NaN();
    double gamma = 0;
    double beta = 0;
    double y = 0;
  };

  void Make(WidenFunction widen);
  void AddAll(WidenFunction widen, ExactMoments& moments) const;

  const KernelCall* call_ = nullptr;
  const void* x_ = nullptr;
  std::optional<ExactRow> row_;
  Answer last_;
};

// mean and inv_std_dev of a row, correctly rounded, where the call asks for them.
void WriteStatistics(const KernelCall& call, const RowStage& stage, LazyExactRow& exact, WidenFunction widen, std::size_t row);

}  // namespace normcheck::norm
