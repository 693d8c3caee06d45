// Every law can fail: for each a kernel with a fault that only it must see, and a case that shows it.
#include "properties/laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "properties/case_gen.h"
#include "properties/families.h"
#include "properties/kernels.h"
#include "properties/mutants/row_engine.h"
#include "reference/contract.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using State = LawResult::State;

const Law& LawNamed(std::string_view name) { return *std::ranges::find(Laws(), name, &Law::name); }

State Check(std::string_view law, const norm::Kernel& kernel, const Case& c) { return LawNamed(law).check({kernel, {}}, c).state; }

norm::Kernel Named(std::string_view name) { return FindKernel(name).value(); }

Case F32Case(Op op, std::size_t rows, std::vector<double> x, double epsilon) {
  Case c = reference::MakeCase(op, {}, rows, x.size() / rows, epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) c.x[i] = reference::BitsOf(x[i], Format::kF32);
  return c;
}

norm::Kernel Faulty(Statistics statistics) {
  return EngineKernel(norm::Kind::kMutant, "faulty", "a test's own", {Op::kLayerNorm, Op::kRmsNorm}, std::move(statistics));
}

norm::Kernel FaultyCall(std::function<norm::CallResult(const norm::KernelCall&)> run) {
  norm::Kernel kernel = Faulty(HonestStatistics);
  kernel.run = std::move(run);
  return kernel;
}

TEST(Laws, HaveUniqueNamesAndASentence) {
  for (const char* name : {"judged", "special-values", "constant-row", "width-one", "batch-independence", "empty"})
    EXPECT_EQ(std::ranges::count(Laws(), name, &Law::name), 1) << name;
  for (const Law& law : Laws()) EXPECT_FALSE(law.about.empty());
}

TEST(Laws, JudgedSeesWrongValuesAndWrittenPadding) {
  const Case c = F32Case(Op::kLayerNorm, 1, {2, 4, 6, 8}, 1e-5);
  EXPECT_EQ(Check("judged", Named("honest:two-pass-f64"), c), State::kKept);
  EXPECT_EQ(Check("judged", Named("mutant:divisor-h-minus-1"), c), State::kBroken);
  const auto writes_padding = FaultyCall([](const norm::KernelCall& call) {
    const norm::CallResult result = RunRows(call, HonestStatistics);
    for (std::size_t i = call.width; i < call.y_pitch && call.rows > 1; ++i) static_cast<float*>(call.y)[i] = 0;
    return result;
  });
  Case pitched = F32Case(Op::kLayerNorm, 2, {2, 4, 6, 8, 1, 3, 5, 8}, 1e-5);
  EXPECT_EQ(Check("judged", writes_padding, pitched), State::kKept);
  pitched.x_pitch = pitched.y_pitch = 7;
  EXPECT_EQ(Check("judged", writes_padding, pitched), State::kBroken);
}

TEST(Laws, JudgedSeesWrongStatistics) {
  const auto wrong_mean = FaultyCall([](const norm::KernelCall& call) {
    const norm::CallResult result = RunRows(call, HonestStatistics);
    if (call.mean != nullptr) call.mean[0] += 1;
    return result;
  });
  EXPECT_EQ(Check("judged", wrong_mean, F32Case(Op::kLayerNorm, 1, {2, 4, 6, 8}, 1e-5)), State::kBroken);
}

TEST(Laws, SpecialValuesSeesASwallowedNaN) {
  const auto swallows = Faulty([](Op op, double epsilon, std::span<const double> x) {
    const RowStatistics honest = HonestStatistics(op, epsilon, x);
    return std::isnan(honest.inv_root) ? RowStatistics{0, 1} : honest;
  });
  const Case c = F32Case(Op::kLayerNorm, 1, {1, NAN, 3}, 1e-5);
  EXPECT_EQ(Check("special-values", swallows, c), State::kBroken);
  EXPECT_EQ(Check("special-values", Named("honest:two-pass-f64"), c), State::kKept);
}

TEST(Laws, SpecialValuesAreKeptByProductionForEveryKind) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (Op op : norm::kProductionOps) {
    for (double special : {kInf, -kInf, std::numeric_limits<double>::quiet_NaN()}) {
      Case in_x = F32Case(op, 2, {1, special, 3, 1, 2, 4}, 1e-5);
      in_x.beta = std::vector<Bits>(3, reference::BitsOf(0.1, Format::kF32));
      EXPECT_EQ(Check("special-values", Named(NameOf(op)), in_x), State::kKept) << special;
      Case in_gamma = F32Case(op, 1, {1, 2, 3}, 1e-5);
      in_gamma.gamma = std::vector<Bits>(3, reference::BitsOf(special, Format::kF32));
      EXPECT_EQ(Check("special-values", Named(NameOf(op)), in_gamma), State::kKept) << special;
    }
  }
}

TEST(Laws, ConstantRowSeesAMeanThatIsNotTheValue) {
  norm::Kernel nudged = Faulty([](Op op, double epsilon, std::span<const double> x) {
    RowStatistics s = HonestStatistics(op, epsilon, x);
    s.mean += s.mean * 0x1p-40;
    return s;
  });
  const Case c = F32Case(Op::kLayerNorm, 1, std::vector<double>(10, 0.1), 1e-12);
  for (const char* contract : {"correctly-rounded", "row-ulp:0.501", "two-pass,acc=f64,mean=f64"}) {
    nudged.contract = reference::ParseContract(contract).value();
    EXPECT_EQ(Check("constant-row", nudged, c), State::kBroken) << contract;
  }
  EXPECT_EQ(Check("constant-row", Named("layer_norm"), c), State::kKept);
}

TEST(Laws, ConstantRowIsAskedOfLayerNormAndWithinTheBoundOfItsContract) {
  norm::Kernel nudged = Faulty([](Op op, double epsilon, std::span<const double> x) {
    RowStatistics s = HonestStatistics(op, epsilon, x);
    s.mean += s.mean * 0x1p-40;
    return s;
  });
  EXPECT_TRUE(LawNamed("constant-row").applies_to(nudged));
  EXPECT_FALSE(LawNamed("constant-row").applies_to(Named("rms_norm")));
  nudged.contract = reference::ParseContract("two-pass,acc=f32,mean=f32").value();
  EXPECT_EQ(Check("constant-row", nudged, F32Case(Op::kLayerNorm, 1, std::vector<double>(10, 0.1), 1e-12)), State::kKept);
}

TEST(Laws, WidthOneSeesADivisionByZero) {
  const Case c = F32Case(Op::kLayerNorm, 2, {3, -5}, 1e-5);
  EXPECT_EQ(Check("width-one", Named("mutant:divisor-h-minus-1"), c), State::kBroken);
  EXPECT_EQ(Check("width-one", Named("layer_norm"), c), State::kKept);
}

TEST(Laws, BatchIndependenceSeesAMeanCarriedFromRowToRow) {
  const auto last = std::make_shared<double>(0);
  const auto carries = Faulty([last](Op op, double epsilon, std::span<const double> x) {
    RowStatistics s = HonestStatistics(op, epsilon, x);
    s.mean += std::exchange(*last, std::isfinite(s.mean) ? s.mean * 0x1p-20 : 1);
    return s;
  });
  const Case c = F32Case(Op::kLayerNorm, 2, {1, 2, 4, 3, 9, 5}, 1e-5);
  EXPECT_EQ(Check("batch-independence", carries, c), State::kBroken);
  EXPECT_EQ(Check("batch-independence", Named("layer_norm"), c), State::kKept);
}

TEST(Laws, EmptySeesRefusalsAndWrittenStatistics) {
  const Case c = F32Case(Op::kLayerNorm, 2, {1, 2, 4, 3, 9, 5}, 1e-5);
  const auto refuses = FaultyCall([](const norm::KernelCall& call) {
    if (call.rows == 0) return norm::CallResult{norm::CallStatus::kBadArgument, "rows", "is zero"};
    return RunRows(call, HonestStatistics);
  });
  const auto writes = FaultyCall([](const norm::KernelCall& call) {
    if (call.width == 0 && call.inv_std_dev != nullptr) call.inv_std_dev[0] = 0;
    return RunRows(call, HonestStatistics);
  });
  EXPECT_EQ(Check("empty", refuses, c), State::kBroken);
  EXPECT_EQ(Check("empty", writes, c), State::kBroken);
  EXPECT_EQ(Check("empty", Named("layer_norm"), c), State::kKept);
}

// Bytes are counted in elements of each array's own format.
TEST(Laws, AlignmentGivesEveryPointerEveryShift) {
  std::set<std::pair<int, std::size_t>> seen;
  const auto spy = FaultyCall([&](const norm::KernelCall& call) {
    const auto shift = [&](int which, const void* pointer, Format format) {
      const std::size_t bytes = norm::TraitsOf(format).bytes;
      if (pointer != nullptr) seen.emplace(which, reinterpret_cast<std::uintptr_t>(pointer) / bytes % 16);
    };
    shift(0, call.x, call.formats.x);
    shift(1, call.gamma, call.formats.params);
    shift(2, call.beta, call.formats.params);
    shift(3, call.y, call.formats.y);
    shift(4, call.mean, Format::kF32);
    shift(5, call.inv_std_dev, Format::kF32);
    return RunRows(call, HonestStatistics);
  });
  Case c = F32Case(Op::kLayerNorm, 1, {2, 4, 6, 8}, 1e-5);
  c.gamma = c.beta = std::vector<Bits>(4, reference::BitsOf(3, Format::kF32));
  EXPECT_EQ(Check("alignment", spy, c), State::kKept);
  EXPECT_EQ(seen.size(), 6u * 16);
}

TEST(Laws, PreparedCasesMeetTheirPreconditionAndStayPrepared) {
  Random random(Seed{5});
  const Formats formats{Format::kF16, Format::kBf16, Format::kF32};
  for (int i = 0; i < 300; ++i) {
    const Case drawn = DrawCase({{Op::kLayerNorm, Op::kRmsNorm}, {formats}, 66}, random);
    for (const Law& law : Laws()) {
      if (law.prepare == nullptr) continue;
      Case prepared = drawn;
      law.prepare(prepared);
      EXPECT_TRUE(prepared.x.size() == prepared.rows * prepared.width && prepared.x_pitch >= prepared.width);
      const CaseClasses classes = ClassesOf(prepared);
      EXPECT_TRUE(law.name != "width-one" || prepared.width == 1);
      EXPECT_TRUE(law.name != "constant-row" || ((classes.constant || prepared.width == 1) && prepared.epsilon > 0));
      Case again = prepared;
      law.prepare(again);
      EXPECT_TRUE(again == prepared) << law.name;
    }
  }
}

}  // namespace
}  // namespace normcheck::properties
