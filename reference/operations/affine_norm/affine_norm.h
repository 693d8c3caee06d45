// LayerNorm, RMSNorm and L2 norm: y_i = gamma_i*xhat_i + beta_i with the statistics of the whole row.
#pragma once

#include "reference/operations/operation.h"

namespace normcheck::reference::affine_norm {

inline constexpr Operand kX = {"x"};
inline constexpr Operand kGamma = {"gamma", Role::kParameter, Extent::kColumns, FormatSlot::kParameters, 1};
inline constexpr Operand kBeta = {"beta", Role::kParameter, Extent::kColumns, FormatSlot::kParameters, 0};
inline constexpr Operand kY = {"y", Role::kOutput, Extent::kElements, FormatSlot::kY};
inline constexpr Operand kMean = {"mean", Role::kStatistic, Extent::kRows, FormatSlot::kF32};
inline constexpr Operand kInvStdDev = {"inv_std_dev", Role::kStatistic, Extent::kRows, FormatSlot::kF32};

inline constexpr Operand kOfLayerNorm[] = {kX, kGamma, kBeta, kY, kMean, kInvStdDev};
inline constexpr Operand kOfUncentred[] = {kX, kGamma, kBeta, kY, kInvStdDev};

inline constexpr Operation kLayerNorm = {
    Op::kLayerNorm, "y_i = gamma_i*(x_i - mu)/sqrt(var + epsilon) + beta_i, var = sum((x - mu)^2)/H",
    kOfLayerNorm, Centre::kMean, InfiniteRow::kAllNan};

inline constexpr Operation kRmsNorm = {
    Op::kRmsNorm, "y_i = gamma_i*x_i/sqrt(sum(x^2)/H + epsilon) + beta_i",
    kOfUncentred, Centre::kZero, InfiniteRow::kOthersZero};

inline constexpr Operation kL2Norm = {
    Op::kL2Norm, "y_i = gamma_i*x_i/sqrt(sum(x^2) + epsilon) + beta_i",
    kOfUncentred, Centre::kZero, InfiniteRow::kOthersZero, SquaresOver::kOne};

}  // namespace normcheck::reference::affine_norm
