// Writes what is no norm.
#include "properties/null_kernels.h"

#include <memory>
#include <mutex>
#include <utility>

#include "properties/mutants/call_engine.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Value = double (*)(const KernelCall& call, Place place);

norm::Kernel NullKernel(std::string name, std::string about, Run run) {
  norm::Kernel kernel = CallMutant({}, std::move(about), std::move(run));
  kernel.name = "null:" + std::move(name);
  kernel.kind = norm::Kind::kNull;
  kernel.statistics = false;  // y alone must give it away
  return kernel;
}

template <typename Element>
norm::CallResult WriteAll(const KernelCall& call, const Element& element) {
  const norm::CallResult checked = norm::CheckCall(call);
  if (!checked.ok() || call.width == 0) return checked;
  for (std::size_t row = 0; row < call.rows; ++row)
    for (std::size_t i = 0; i < call.width; ++i)
      WriteElement(element(Place{row, i}), call.y, call.formats.y, row * call.y_pitch + i);
  return checked;
}

Run Writes(Value value) {
  return [value](const KernelCall& call) { return WriteAll(call, [&](Place place) { return value(call, place); }); };
}

// What the last call's y would have been, as an output buffer that nobody wrote to would still hold it.
Run PreviousOutput() {
  struct Last {
    std::mutex mutex;
    std::vector<double> y = {};
  };
  return [last = std::make_shared<Last>()](const KernelCall& call) {
    const std::lock_guard lock(last->mutex);
    const std::vector<double> former = last->y;
    std::vector<double> y(call.rows * call.width);
    const norm::CallResult result = RunParts(call, {});
    for (std::size_t i = 0; result.ok() && i < y.size(); ++i)
      y[i] = ReadElement(call.y, call.formats.y, i / call.width * call.y_pitch + i % call.width, 0);
    last->y = std::move(y);
    return WriteAll(call, [&](Place p) {
      const std::size_t i = p.row * call.width + p.column;
      return i < former.size() ? former[i] : 0;
    });
  };
}

// Column by column in binary64: mean, then the mean square around it.
norm::CallResult BatchNorm(const KernelCall& call) {
  const norm::CallResult checked = norm::CheckCall(call);
  if (!checked.ok() || call.width == 0) return checked;
  std::vector<RowStatistics> columns(call.width);
  std::vector<double> column(call.rows);
  for (std::size_t i = 0; i < call.width && call.rows > 0; ++i) {
    for (std::size_t row = 0; row < call.rows; ++row) column[row] = ReadElement(call.x, call.formats.x, row * call.x_pitch + i, 0);
    columns[i] = HonestStatistics(call.op, call.epsilon, column);
  }
  return WriteAll(call, [&](Place p) {
    const double x = ReadElement(call.x, call.formats.x, p.row * call.x_pitch + p.column, 0);
    const double gamma = ReadElement(call.gamma, call.formats.params, p.column, 1);
    return gamma * ((x - columns[p.column].mean) * columns[p.column].inv_root) + ReadElement(call.beta, call.formats.params, p.column, 0);
  });
}

}  // namespace

std::vector<norm::Kernel> NullKernels() {
  return {
      NullKernel("zeros", "writes zeros", Writes([](const KernelCall&, Place) { return 0.0; })),
      NullKernel("ones", "writes ones", Writes([](const KernelCall&, Place) { return 1.0; })),
      NullKernel("x", "copies x", Writes([](const KernelCall& call, Place p) {
                   return ReadElement(call.x, call.formats.x, p.row * call.x_pitch + p.column, 0);
                 })),
      NullKernel("beta", "writes beta",
                 Writes([](const KernelCall& call, Place p) { return ReadElement(call.beta, call.formats.params, p.column, 0); })),
      NullKernel("previous-output", "leaves what the call before it should have written", PreviousOutput()),
      NullKernel("nothing", "writes nothing", [](const KernelCall& call) { return norm::CheckCall(call); }),
  };
}

norm::Kernel BatchNormKernel() {
  norm::Kernel kernel = CallMutant({}, "BatchNorm: the statistics run down a column, over the rows of the call (FACTS.md F6)", BatchNorm);
  kernel.name = "contrast:batch-norm";
  kernel.kind = norm::Kind::kContrast;
  kernel.ops = {norm::Op::kLayerNorm};
  kernel.statistics = false;
  return kernel;
}

}  // namespace normcheck::properties
