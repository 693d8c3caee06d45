// Cuts .npy arrays into cases.
#include "reports/own_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/npy.h"

namespace normcheck::reports {
namespace {

using properties::Regression;
using reference::Bits;
using reference::Case;
using reference::Error;
using reference::NpyArray;
using reference::Result;

// A case of this size is judged in milliseconds and cheap to keep.
constexpr std::size_t kElementsACase = std::size_t{1} << 16;

struct OwnArrays {
  NpyArray x;
  std::optional<NpyArray> gamma;
  std::optional<NpyArray> beta;

  std::size_t width() const { return x.shape.back(); }
};

std::string ShapeText(const std::vector<std::size_t>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

Result<std::optional<NpyArray>> ReadParameter(const std::string& option, const std::string& file, std::size_t width) {
  if (file.empty()) return std::optional<NpyArray>();
  Result<NpyArray> array = reference::ReadNpyFile(file);
  if (!array.ok()) return Error{option + " " + array.error()};
  if (array.value().shape != std::vector{width})
    return Error{fmt::format("{} {}: shape {}, but x has rows of {}; save it with shape ({})", option, file,
                             ShapeText(array.value().shape), width, width)};
  return std::optional(std::move(array).value());
}

Result<OwnArrays> ReadArrays(const OwnFiles& files) {
  Result<NpyArray> x = reference::ReadNpyFile(files.x);
  if (!x.ok()) return Error{"--x " + x.error()};
  if (x.value().shape.empty() || x.value().values.empty())
    return Error{fmt::format("--x {}: shape {} holds no rows; save an array of rows", files.x, ShapeText(x.value().shape))};
  const std::size_t width = x.value().shape.back();
  auto gamma = ReadParameter("--gamma", files.gamma, width);
  if (!gamma.ok()) return Error{gamma.error()};
  auto beta = ReadParameter("--beta", files.beta, width);
  if (!beta.ok()) return Error{beta.error()};
  OwnArrays arrays{std::move(x).value(), std::move(gamma).value(), std::move(beta).value()};
  if (arrays.gamma && arrays.beta && arrays.gamma->format != arrays.beta->format)
    return Error{fmt::format("--beta {}: {}, but gamma is {}; save both with one type", files.beta,
                             norm::TraitsOf(arrays.beta->format).name, norm::TraitsOf(arrays.gamma->format).name)};
  return arrays;
}

norm::Formats FormatsOf(const OwnArrays& arrays, norm::Op op, std::span<const norm::Kernel> kernels) {
  const norm::Format x = arrays.x.format;
  const norm::Format params = arrays.gamma ? arrays.gamma->format : arrays.beta ? arrays.beta->format : x;
  const norm::Formats same{x, params, x};
  const bool taken = std::ranges::any_of(kernels, [&](const norm::Kernel& kernel) { return norm::Supports(kernel, op, same); });
  return taken ? same : norm::Formats{x, params, norm::Format::kF32};
}

Case CaseOf(const OwnArrays& arrays, const Case& frame, std::size_t first_row, std::size_t rows) {
  Case c = reference::MakeCase(frame.op, frame.formats, rows, frame.width, frame.epsilon);
  const auto first = arrays.x.values.begin() + static_cast<std::ptrdiff_t>(first_row * frame.width);
  c.x.assign(first, first + static_cast<std::ptrdiff_t>(rows * frame.width));
  if (arrays.gamma) c.gamma = arrays.gamma->values;
  if (arrays.beta) c.beta = arrays.beta->values;
  return c;
}

}  // namespace

Result<std::vector<Regression>> ReadOwnRows(const OwnFiles& files, std::span<const norm::Kernel> kernels) {
  const Result<OwnArrays> arrays = ReadArrays(files);
  if (!arrays.ok()) return Error{arrays.error()};
  const OwnArrays& own = arrays.value();
  const std::size_t rows = own.x.values.size() / own.width();
  const std::size_t step = std::max<std::size_t>(1, kElementsACase / own.width());
  std::vector<Regression> cases;
  for (norm::Op op : norm::kOps) {
    if (std::ranges::none_of(kernels, [&](const norm::Kernel& k) { return std::ranges::find(k.ops, op) != k.ops.end(); })) continue;
    const Case frame = reference::MakeCase(op, FormatsOf(own, op, kernels), 0, own.width(), files.epsilon);
    for (std::size_t row = 0; row < rows; row += step)
      cases.push_back({files.x, "yours", CaseOf(own, frame, row, std::min(step, rows - row))});
  }
  return cases;
}

}  // namespace normcheck::reports
