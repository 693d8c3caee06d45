// Operation: what everyone outside of an operation's own folder knows of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "norm/kernel_call.h"

namespace normcheck::reference {

using norm::Op;

enum class Role : std::uint8_t { kInput, kParameter, kOutput, kStatistic };
enum class Extent : std::uint8_t { kElements, kColumns, kRows };  // rows x width, width, rows
enum class FormatSlot : std::uint8_t { kX, kParameters, kY, kF32 };

// One array of a call, in the order in which calls list them.
struct Operand {
  std::string_view name;  // "x", "gamma", "mean"
  Role role = Role::kInput;
  Extent extent = Extent::kElements;
  FormatSlot format = FormatSlot::kX;
  std::optional<double> absent = {};  // what a null pointer stands for; nothing: an input is required
};

// What deviations are taken from: the mean of the row, or zero.
enum class Centre : std::uint8_t { kMean, kZero };

// xhat in a row with an infinity and without a NaN, as IEEE arithmetic evaluates the definition.
enum class InfiniteRow : std::uint8_t {
  kAllNan,      // the mean is infinite or NaN
  kOthersZero,  // 1/sqrt is 0: NaN at the infinity, 0 elsewhere
};

// What the sum of squares is divided by: H (a mean of squares), or nothing.
enum class SquaresOver : std::uint8_t { kWidth, kOne };

constexpr double CountOf(SquaresOver over, std::size_t width) {
  return over == SquaresOver::kWidth ? static_cast<double>(width) : 1.0;
}

struct Operation {
  Op op;
  std::string_view formula;
  std::span<const Operand> operands;
  Centre centre;
  InfiniteRow infinite_row;
  SquaresOver squares_over = SquaresOver::kWidth;

  constexpr bool centred() const { return centre == Centre::kMean; }
  constexpr const Operand* Find(std::string_view name) const {
    for (const Operand& operand : operands)
      if (operand.name == name) return &operand;
    return nullptr;
  }
};

}  // namespace normcheck::reference
