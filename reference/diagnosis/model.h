// Model: one form of one mistake on one case, element by element, with a bound at every grade of arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/quad.h"

namespace normcheck::reference::diagnosis {

// How well a kernel computes what it computes.
enum class Grade : std::uint8_t { kContract, kF64, kMixed, kF32 };  // kMixed: sums in f64, elements in f32
inline constexpr Grade kGrades[] = {Grade::kContract, Grade::kF64, Grade::kMixed, Grade::kF32};
inline constexpr std::size_t kGradeCount = 4;

struct WrongOutput {
  enum class Kind : std::uint8_t {
    kNumber,
    kNotFinite,  // NaN or an infinity
    kUnwritten,
  };
  Kind kind = Kind::kNumber;
  Quad value = 0;
  Quad slope = 0;  // of value in inv_root, where the model leaves inv_root open
};

// got - value lies in [-below, above].
struct Slack {
  double below = 0;
  double above = 0;
};

// inv_root - (the model's own inv_root), the same for all elements of a row.
struct RootRange {
  double below = 0;  // >= 0
  double above = 0;
  bool nan = false;  // var + epsilon may have come out below zero
};

class Model {
 public:
  virtual ~Model() = default;
  // False where the model says nothing of the row. All below: of the row entered last.
  virtual bool Enter(std::size_t row) = 0;
  virtual WrongOutput Of(std::size_t i) = 0;
  // Infinite where nothing can be promised. Never called before Of(i).
  virtual Slack SlackOf(std::size_t i, Grade grade) = 0;
  virtual std::optional<RootRange> Open() { return std::nullopt; }
  // True where the value is the definition's own, and only the bound is the mistake's.
  virtual bool BoundAlone() const { return false; }
  // True where the value has been rounded to y's format already, so that half an ulp tells it from the definition's.
  virtual bool IsRounded() const { return false; }
};

class Subject;

// One mistake: its forms on a case. No forms: the case cannot show it.
struct Hypothesis {
  std::string_view id;
  std::string_view text;
  std::function<std::vector<std::unique_ptr<Model>>(const Subject&)> forms;
};

}  // namespace normcheck::reference::diagnosis
