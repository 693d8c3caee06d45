// The C interface as a translation to the C++ one.
#include "norm/include/normcheck/norm.h"

#include "norm/layer_norm.h"
#include "norm/row_engine.h"
#include "norm/rounding.h"

namespace {

namespace norm = normcheck::norm;

// Out of range values stay out of range, so that CheckCall names their field.
template <typename Enum>
Enum EnumOf(int value) {
  return static_cast<Enum>(value >= 0 && value < 0xff ? value : 0xff);
}

norm::KernelCall Translate(const normcheck_call& call) {
  return {.op = EnumOf<norm::Op>(call.op),
          .formats = {EnumOf<norm::Format>(call.x_format), EnumOf<norm::Format>(call.param_format), EnumOf<norm::Format>(call.y_format)},
          .rows = call.rows,
          .width = call.width,
          .x_pitch = call.x_pitch,
          .y_pitch = call.y_pitch,
          .epsilon = call.epsilon,
          .x = call.x,
          .gamma = call.gamma,
          .beta = call.beta,
          .y = call.y,
          .mean = call.mean,
          .inv_std_dev = call.inv_std_dev};
}

// All text of CallResult is literals, so it ends in a null.
normcheck_result Translate(const norm::CallResult& result) {
  const auto text = [](std::string_view view) { return view.empty() ? "" : view.data(); };
  return {static_cast<int>(result.status), text(result.argument), text(result.reason)};
}

constexpr normcheck_result kNullCall = {NORMCHECK_BAD_ARGUMENT, "call", "is null"};

}  // namespace

normcheck_result normcheck_check_call(const normcheck_call* call) {
  return call == nullptr ? kNullCall : Translate(norm::CheckCall(Translate(*call)));
}

normcheck_result normcheck_normalize(const normcheck_call* call) {
  return call == nullptr ? kNullCall : Translate(norm::Normalize(Translate(*call)));
}

normcheck_result normcheck_normalize_fast(const normcheck_call* call) {
  return call == nullptr ? kNullCall : Translate(norm::NormalizeFast(Translate(*call)));
}

size_t normcheck_target_count(void) { return norm::RowEngines().size(); }

const char* normcheck_target(size_t index) {
  const auto engines = norm::RowEngines();
  return index < engines.size() ? engines[index].name.data() : nullptr;
}

normcheck_result normcheck_normalize_on(const char* target, const normcheck_call* call) {
  if (target == nullptr) return {NORMCHECK_BAD_ARGUMENT, "target", "is null"};
  return call == nullptr ? kNullCall : Translate(norm::NormalizeOn(target, Translate(*call)));
}

normcheck_result normcheck_normalize_fast_on(const char* target, const normcheck_call* call) {
  if (target == nullptr) return {NORMCHECK_BAD_ARGUMENT, "target", "is null"};
  return call == nullptr ? kNullCall : Translate(norm::NormalizeFastOn(target, Translate(*call)));
}

float normcheck_f32_from_f16(uint16_t bits) { return norm::ToFloat(norm::Float16{bits}); }
float normcheck_f32_from_bf16(uint16_t bits) { return norm::ToFloat(norm::BFloat16{bits}); }
uint16_t normcheck_f16_from_f32(float value) { return norm::ToFloat16(value).bits; }
uint16_t normcheck_bf16_from_f32(float value) { return norm::ToBFloat16(value).bits; }
