// Loads rows to binary64, normalises them with given statistics and rounds each output once.
#include "properties/mutants/row_engine.h"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "norm/rounding.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using norm::BFloat16;
using norm::Float16;
using norm::Format;
using norm::KernelCall;

// Storage is bytes to us: read and written without assuming which type its owner gave it.
template <typename T>
T At(const void* base, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const unsigned char*>(base) + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void Put(T value, void* base, std::size_t i) {
  std::memcpy(static_cast<unsigned char*>(base) + i * sizeof(T), &value, sizeof(T));
}

template <typename Step>
void NormalizeRow(const KernelCall& call, std::size_t row, const Statistics& statistics, const Step& step, std::vector<double>& x) {
  for (std::size_t i = 0; i < call.width; ++i) x[i] = ReadElement(call.x, call.formats.x, row * call.x_pitch + i, 0);
  const RowStatistics s = statistics(call.op, call.epsilon, x);
  for (std::size_t i = 0; i < call.width; ++i) {
    const Element element = {x[i], ReadElement(call.gamma, call.formats.params, i, 1), ReadElement(call.beta, call.formats.params, i, 0)};
    WriteElement(step(call, s, element), call.y, call.formats.y, row * call.y_pitch + i);
  }
  if (call.mean != nullptr) call.mean[row] = norm::ToFloat32(s.mean);
  if (call.inv_std_dev != nullptr) call.inv_std_dev[row] = norm::ToFloat32(s.inv_root);
}

template <typename Step>
norm::CallResult NormalizeRows(const KernelCall& call, const Statistics& statistics, const Step& step) {
  const norm::CallResult checked = norm::CheckCall(call);
  if (!checked.ok() || call.width == 0) return checked;
  std::vector<double> x(call.width);
  for (std::size_t row = 0; row < call.rows; ++row) NormalizeRow(call, row, statistics, step, x);
  return checked;
}

double HonestStep(const KernelCall&, const RowStatistics& s, const Element& e) { return e.gamma * ((e.x - s.mean) * s.inv_root) + e.beta; }

}  // namespace

double ReadElement(const void* array, Format format, std::size_t i, double absent) {
  if (array == nullptr) return absent;
  switch (format) {
    case Format::kF16: return static_cast<double>(norm::ToFloat(At<Float16>(array, i)));
    case Format::kBf16: return static_cast<double>(norm::ToFloat(At<BFloat16>(array, i)));
    case Format::kF32: break;
  }
  return static_cast<double>(At<float>(array, i));
}

void WriteElement(double value, void* array, Format format, std::size_t i) {
  switch (format) {
    case Format::kF16: return Put(norm::ToFloat16(value), array, i);
    case Format::kBf16: return Put(norm::ToBFloat16(value), array, i);
    case Format::kF32: return Put(norm::ToFloat32(value), array, i);
  }
}

double MeanOf(std::span<const double> x) {
  double sum = 0;
  for (double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double SpreadAround(norm::Op op, double centre, std::span<const double> x) {
  double sum = 0;
  for (double value : x) sum += (value - centre) * (value - centre);
  return sum / reference::CountOf(reference::OperationOf(op).squares_over, x.size());
}

RowStatistics HonestStatistics(norm::Op op, double epsilon, std::span<const double> x) {
  const double mean = reference::OperationOf(op).centred() ? MeanOf(x) : 0;
  return {mean, 1 / std::sqrt(SpreadAround(op, mean, x) + epsilon)};
}

norm::CallResult RunRows(const KernelCall& call, const Statistics& statistics) { return NormalizeRows(call, statistics, HonestStep); }

norm::CallResult RunElements(const KernelCall& call, const ElementStep& step) { return NormalizeRows(call, HonestStatistics, step); }

norm::Kernel EngineKernel(norm::Kind kind, std::string name, std::string about, std::vector<norm::Op> ops, Statistics statistics) {
  norm::Kernel kernel;
  kernel.name = std::move(name);
  kernel.kind = kind;
  kernel.about = std::move(about);
  kernel.ops = std::move(ops);
  kernel.formats = norm::ProductionFormats();
  kernel.contract.kind = norm::ContractKind::kProfile;
  kernel.contract.profile = {norm::Algorithm::kTwoPass, norm::Order::kRecursive, 1, norm::Precision::kF64, norm::Precision::kF64, norm::Form::kCentred};
  kernel.run = [statistics = std::move(statistics)](const KernelCall& call) { return RunRows(call, statistics); };
  return kernel;
}

}  // namespace normcheck::properties
