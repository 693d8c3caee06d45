// Mistakes of memory between calls: scratch that is not cleared, parameters kept, running statistics. The state is the kernel's
// own: a kernel found anew starts anew.
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;

// A number that calls share; locked, so that the law of threads sees a fault and no race.
struct Shared {
  std::mutex mutex;
  std::size_t calls = 0;
  double value = 0;
  std::vector<double> scratch = {};
  std::map<std::size_t, std::vector<double>> kept = {};
};

template <typename Body>
Run Stateful(Body body) {
  return [state = std::make_shared<Shared>(), body](const KernelCall& call) {
    const std::lock_guard lock(state->mutex);
    return body(*state, call);
  };
}

template <typename Change>
norm::CallResult RunWith(const KernelCall& call, Change change) {
  CallParts parts;
  parts.statistics = [change](const KernelCall& c, std::size_t, Row x) {
    return change(HonestStatistics(c.op, c.epsilon, x), x);
  };
  return RunParts(call, parts);
}

norm::CallResult SecondCall(Shared& state, const KernelCall& call) {
  const bool second = ++state.calls % 2 == 0;
  return RunWith(call, [second](RowStatistics s, Row) { return RowStatistics{s.mean, second ? s.inv_root * (1 + 0x1p-6) : s.inv_root}; });
}

// A workspace that is only cleared when it grows: a narrower row also sums what stands behind it.
norm::CallResult DirtyScratch(Shared& state, const KernelCall& call) {
  CallParts parts;
  parts.statistics = [&state](const KernelCall& c, std::size_t, Row x) {
    if (state.scratch.size() < x.size()) state.scratch.assign(x.size(), 0);
    std::vector<double> summed(x.begin(), x.end());
    if (state.scratch.size() > x.size() && std::isfinite(state.scratch[x.size()])) summed.push_back(state.scratch[x.size()]);
    std::copy(x.begin(), x.end(), state.scratch.begin());
    return HonestStatistics(c.op, c.epsilon, summed);
  };
  return RunParts(call, parts);
}

// Running statistics, as BatchNorm keeps them: a tenth of the mean is the last call's.
norm::CallResult RunningMean(Shared& state, const KernelCall& call) {
  return RunWith(call, [&state](RowStatistics s, Row) {
    const double mean = state.calls++ == 0 ? s.mean : 0.9 * s.mean + 0.1 * state.value;
    if (std::isfinite(s.mean)) state.value = s.mean;
    return RowStatistics{mean, s.inv_root};
  });
}

// Gamma is packed once a width, and never again.
norm::CallResult PackedGamma(Shared& state, const KernelCall& call) {
  if (call.gamma == nullptr || call.width == 0) return RunParts(call, {});
  std::vector<double>& packed = state.kept[call.width];
  for (std::size_t i = packed.size(); i < call.width; ++i) packed.push_back(ReadElement(call.gamma, call.formats.params, i, 1));
  const norm::CallResult checked = norm::CheckCall(call);
  std::vector<double> x(call.width);
  for (std::size_t row = 0; checked.ok() && row < call.rows; ++row) {
    for (std::size_t i = 0; i < call.width; ++i) x[i] = ReadElement(call.x, call.formats.x, row * call.x_pitch + i, 0);
    const RowStatistics s = HonestStatistics(call.op, call.epsilon, x);
    for (std::size_t i = 0; i < call.width; ++i)
      WriteElement(packed[i] * ((x[i] - s.mean) * s.inv_root) + ReadElement(call.beta, call.formats.params, i, 0), call.y, call.formats.y,
                   row * call.y_pitch + i);
    if (call.mean != nullptr) call.mean[row] = static_cast<float>(s.mean);
    if (call.inv_std_dev != nullptr) call.inv_std_dev[row] = static_cast<float>(s.inv_root);
  }
  return checked;
}

// The first epsilon that the kernel ever saw.
norm::CallResult FirstEpsilon(Shared& state, const KernelCall& call) {
  if (state.calls++ == 0) state.value = call.epsilon;
  KernelCall kept = call;
  kept.epsilon = state.value;
  return RunParts(kept, {});
}

// A NaN once seen stays in the accumulator until a clean row has been through it.
norm::CallResult StickyNan(Shared& state, const KernelCall& call) {
  return RunWith(call, [&state](RowStatistics s, Row) {
    const bool poisoned = std::isnan(state.value);
    state.value = s.inv_root;
    return RowStatistics{s.mean, poisoned ? state.value * 0 : s.inv_root};
  });
}

}  // namespace

std::vector<norm::Kernel> StateMutants() {
  return {
      CallMutant("second-call", "every second call is off (CASES.md 92, FACTS.md F12)", Stateful(SecondCall)),
      CallMutant("dirty-scratch", "a narrower row sums one element of a wider one before it (CASES.md 72)", Stateful(DirtyScratch)),
      CallMutant("running-mean", "a tenth of the mean is that of the row before, over calls (FACTS.md F12)", Stateful(RunningMean)),
      CallMutant("packed-gamma", "gamma is packed at the first call of a width and never again (CASES.md 72, F12)", Stateful(PackedGamma)),
      CallMutant("first-epsilon", "the first call's epsilon is used ever after (CASES.md 50)", Stateful(FirstEpsilon)),
      CallMutant("sticky-nan", "the row after a NaN row is spoilt, also in the next call (CASES.md 40)", Stateful(StickyNan)),
  };
}

}  // namespace normcheck::properties
