// Honest kernels: storage formats around the row arithmetic of profile_row.h.
#include <span>
#include <string>
#include <type_traits>

#include "norm/rounding.h"
#include "properties/honest.h"
#include "properties/honest/profile_row.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using honest::ProfileRow;
using honest::RowInput;
using honest::RowOutput;
using norm::Format;
using norm::KernelCall;

// f(T*) with the pointer in its format's type; nothing where null.
template <typename Void, typename F>
void WithElements(Void* data, Format format, F f) {
  const auto as = [&]<typename T>(T) { f(static_cast<std::conditional_t<std::is_const_v<Void>, const T, T>*>(data)); };
  switch (format) {
    case Format::kF32: return as(float{});
    case Format::kF16: return as(norm::Float16{});
    case Format::kBf16: return as(norm::BFloat16{});
  }
}

float Widen(float value) { return value; }
float Widen(norm::Float16 value) { return norm::ToFloat(value); }
float Widen(norm::BFloat16 value) { return norm::ToFloat(value); }

void Round(double value, float& to) { to = norm::ToFloat32(value); }
void Round(double value, norm::Float16& to) { to = norm::ToFloat16(value); }
void Round(double value, norm::BFloat16& to) { to = norm::ToBFloat16(value); }

void Load(const void* data, Format format, std::size_t first, std::vector<float>& row) {
  WithElements(data, format, [&](auto* from) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = Widen(from[first + k]);
  });
}

void Store(const std::vector<double>& row, std::size_t first, Format format, void* data) {
  WithElements(data, format, [&](auto* to) {
    for (std::size_t k = 0; k < row.size(); ++k) Round(row[k], to[first + k]);
  });
}

std::vector<float> Parameters(const void* data, const KernelCall& call) {
  std::vector<float> values(data == nullptr ? 0 : call.width);
  if (data != nullptr) Load(data, call.formats.params, 0, values);
  return values;
}

norm::CallResult Run(const ProfileRow& profile, const KernelCall& call) {
  const norm::CallResult checked = norm::CheckCall(call);
  if (!checked.ok() || call.width == 0) return checked;
  const std::vector<float> gamma = Parameters(call.gamma, call);
  const std::vector<float> beta = Parameters(call.beta, call);
  const reference::Operation& operation = reference::OperationOf(call.op);
  const bool averaged = operation.squares_over == reference::SquaresOver::kWidth;
  std::vector<float> x(call.width);
  std::vector<double> y(call.width);
  for (std::size_t r = 0; r < call.rows; ++r) {
    Load(call.x, call.formats.x, r * call.x_pitch, x);
    RowOutput out = {y.data(), 0, 0};
    profile.run({operation.centred(), averaged, call.width, call.epsilon, x.data(), gamma.empty() ? nullptr : gamma.data(), beta.empty() ? nullptr : beta.data()}, out);
    Store(y, r * call.y_pitch, call.formats.y, call.y);
    if (call.mean != nullptr) call.mean[r] = norm::ToFloat32(out.mean);
    if (call.inv_std_dev != nullptr) call.inv_std_dev[r] = norm::ToFloat32(out.inv_std_dev);
  }
  return checked;
}

std::string OrderName(const norm::Profile& profile) {
  if (profile.order == norm::Order::kRecursive) return "recursive";
  return (profile.order == norm::Order::kLanes ? "lanes" : "pairwise") + std::to_string(profile.block);
}

std::string NameOf(const ProfileRow& row) {
  std::string name = "honest:" + std::string(row.name) + "-" + OrderName(row.profile);
  if (row.profile.form == norm::Form::kScaleBias) name += "-scale-bias";
  name += row.profile.accumulator == norm::Precision::kF32 ? "-f32" : "-f64";
  if (row.profile.accumulator != row.profile.mean) name += row.profile.mean == norm::Precision::kF32 ? "-f32" : "-f64";
  return name;
}

norm::Kernel KernelOf(const ProfileRow& row, const std::string& suffix) {
  norm::Kernel kernel;
  kernel.name = NameOf(row) + suffix;
  kernel.kind = norm::Kind::kHonest;
  kernel.about = "A plain loop of its profile, sound within its a-priori bound.";
  kernel.ops = reference::AllOps();
  kernel.formats = norm::AllFormats();
  kernel.contract.kind = norm::ContractKind::kProfile;
  kernel.contract.profile = row.profile;
  kernel.contract.finite_only = row.profile.algorithm == norm::Algorithm::kWelford;
  if (row.profile.accumulator == norm::Precision::kF32) kernel.epsilon_format = norm::EpsilonFormat::kF32;
  kernel.run = [row](const KernelCall& call) { return Run(row, call); };
  return kernel;
}

std::vector<norm::Kernel> KernelsOf(honest::ProfileRows rows, const std::string& suffix) {
  std::vector<norm::Kernel> kernels;
  for (const ProfileRow& row : std::span(rows.first, rows.count)) kernels.push_back(KernelOf(row, suffix));
  return kernels;
}

}  // namespace

std::vector<norm::Kernel> HonestKernels() { return KernelsOf(honest::PlainRows(), ""); }

std::vector<norm::Kernel> FusedHonestKernels() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) return {};
#endif
  return KernelsOf(honest::FusedRows(), "-fma");
}

}  // namespace normcheck::properties
