// What a kernel promises about its outputs, as plain data. Text form, bounds and judgement live in reference/.
#pragma once

#include <cstdint>

namespace normcheck::norm {

enum class ContractKind : std::uint8_t {
  kCorrectlyRounded,  // the exact value rounded once, to nearest, ties to even
  kUlp,               // |got - Y| <= K ulp(Y), element by element
  kRowUlp,            // |got - Y| <= K ulp(|gamma_i|*max_j|xhat_j| + |beta_i|)
  kProfile,           // the a-priori bound of the named algorithm, evaluated on the exact row
};

enum class Algorithm : std::uint8_t { kTwoPass, kOnePass, kWelford };
enum class Order : std::uint8_t { kRecursive, kLanes, kPairwise };
enum class Precision : std::uint8_t { kF32, kF64 };
enum class Form : std::uint8_t { kCentred, kScaleBias };

// An algorithm whose error can be bounded a priori: how it sums, in which precision, and how it forms an element.
struct Profile {
  Algorithm algorithm = Algorithm::kTwoPass;
  Order order = Order::kRecursive;
  int block = 1;  // lanes of kLanes, base case of kPairwise
  Precision accumulator = Precision::kF32;
  Precision mean = Precision::kF32;  // precision in which the mean is subtracted
  Form form = Form::kCentred;

  friend constexpr bool operator==(const Profile&, const Profile&) = default;
};

struct Contract {
  ContractKind kind = ContractKind::kRowUlp;
  double k = 4;  // of kUlp and kRowUlp
  Profile profile = {};
  bool flush_to_zero = false;  // "+ftz": subnormal inputs and results may count as zero
  bool finite_only = false;    // "+finite-only": nothing is promised on rows with NaN or infinity
  bool saturates = false;      // "+saturates": values beyond the format become its largest finite number, not infinity

  friend constexpr bool operator==(const Contract&, const Contract&) = default;
};

}  // namespace normcheck::norm
