// Bodies of the filter's loops on vectors of NORMCHECK_FILTER_LANES doubles; included once by each filter_loops_*.cc with
// that file's instruction set. Nothing here may be an inline function of a shared header: the linker keeps one copy of those.
#include "reference/levels/filter_loops.h"

namespace normcheck::reference::levels {
namespace {

constexpr std::size_t kWidth = NORMCHECK_FILTER_LANES;
typedef double Doubles __attribute__((vector_size(8 * NORMCHECK_FILTER_LANES)));
typedef std::int64_t Ints __attribute__((vector_size(8 * NORMCHECK_FILTER_LANES)));
typedef std::uint64_t Words __attribute__((vector_size(8 * NORMCHECK_FILTER_LANES)));

constexpr std::size_t kParts = kLanes / kWidth;
constexpr double kU = 0x1p-53;

template <typename T>
Doubles Load(const T* from) {
  Doubles value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

template <typename V, typename T>
void Store(const V& value, T* to) {
  __builtin_memcpy(to, &value, sizeof value);
}

Doubles All(double value) { return Doubles{} + value; }
Ints All(std::int64_t value) { return Ints{} + value; }
Ints BitsOf(const Doubles& value) { return (Ints)value; }
Doubles Magnitude(const Doubles& value) { return (Doubles)(BitsOf(value) & All(std::int64_t{0x7fffffffffffffff})); }
// Comparison and choice in one expression are one instruction where there is one; b where either is NaN.
Doubles Larger(const Doubles& a, const Doubles& b) { return a > b ? a : b; }
Doubles Smaller(const Doubles& a, const Doubles& b) { return a < b ? a : b; }

// What a + b lost, exactly (Knuth).
Doubles LostBy(const Doubles& a, const Doubles& b, const Doubles& sum) {
  const Doubles part = sum - a;
  return (a - (sum - part)) + (b - part);
}

// Calls step(part, x of that part) for every kWidth elements; the tail is filled with `filler`.
template <typename Step>
void ForParts(const double* x, std::size_t count, double filler, Step step) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t part = 0; part < kParts; ++part) step(part, Load(x + i + part * kWidth));
  if (i == count) return;
  double tail[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) tail[l] = i + l < count ? x[i + l] : filler;
  for (std::size_t part = 0; part < kParts; ++part) step(part, Load(tail + part * kWidth));
}

template <typename T>
double AsDouble(T bits) {
  static_assert(sizeof(T) == 8);
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

double FromFloatBits(std::uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

double FromHalfBits(std::uint32_t bits) {
  const std::uint64_t magnitude = static_cast<std::uint64_t>(bits & 0x7fff) << 42;
  const std::uint64_t sign = static_cast<std::uint64_t>(bits & 0x8000) << 48;
  const double finite = AsDouble(magnitude | sign) * 0x1p1008;
  const double special = AsDouble(magnitude | sign | 0x7ff0000000000000);
  return (bits & 0x7c00) == 0x7c00 ? special : finite;
}

void Values(const std::uint32_t* bits, Storage storage, std::size_t count, double* values) {
  if (storage == Storage::kF32)
    for (std::size_t i = 0; i < count; ++i) values[i] = FromFloatBits(bits[i]);
  else if (storage == Storage::kF16)
    for (std::size_t i = 0; i < count; ++i) values[i] = FromHalfBits(bits[i]);
  else
    for (std::size_t i = 0; i < count; ++i) values[i] = FromFloatBits(bits[i] << 16);
}

void Scan(const double* x, std::size_t count, RowScan& scan) {
  Doubles sum[kParts] = {}, low[kParts], high[kParts];
  for (std::size_t part = 0; part < kParts; ++part) low[part] = high[part] = All(x[0]);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const Doubles value = Load(x + i + part * kWidth);
      sum[part] += value;
      low[part] = Smaller(value, low[part]);
      high[part] = Larger(value, high[part]);
    }
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    Store(sum[part], scan.sum + part * kWidth);
    Store(low[part], scan.min + part * kWidth);
    Store(high[part], scan.max + part * kWidth);
  }
  for (std::size_t l = 0; i + l < count; ++l) {
    const double value = x[i + l];
    scan.sum[l] += value;
    scan.min[l] = value < scan.min[l] ? value : scan.min[l];
    scan.max[l] = value > scan.max[l] ? value : scan.max[l];
  }
}

enum class Pivot : std::uint8_t { kZero, kAny };

// A filler of `pivot` adds exact zeros.
template <Pivot kPivot>
void ResiduesAround(const double* x, std::size_t count, double pivot, Residuals& out) {
  Doubles sum[kParts] = {}, sum_lost[kParts] = {}, squares[kParts] = {}, squares_lost[kParts] = {};
  ForParts(x, count, pivot, [&](std::size_t part, const Doubles& value) {
    constexpr bool kCentred = kPivot == Pivot::kAny;
    const Doubles d = kCentred ? value - pivot : value;
    const Doubles d_lost = kCentred ? LostBy(value, All(-pivot), d) : Doubles{};
    const Doubles next = sum[part] + d;
    sum_lost[part] += LostBy(sum[part], d, next) + d_lost;
    sum[part] = next;
    const Doubles square = d * d;
    const Doubles next_square = squares[part] + square;
    squares_lost[part] += LostBy(squares[part], square, next_square);
    squares[part] = next_square;
  });
  for (std::size_t part = 0; part < kParts; ++part) {
    Store(sum[part], out.sum + part * kWidth);
    Store(sum_lost[part], out.sum_lost + part * kWidth);
    Store(squares[part], out.squares + part * kWidth);
    Store(squares_lost[part], out.squares_lost + part * kWidth);
  }
}

void Residues(const double* x, std::size_t count, double pivot, Residuals& out) {
  if (pivot == 0) ResiduesAround<Pivot::kZero>(x, count, pivot, out);
  else ResiduesAround<Pivot::kAny>(x, count, pivot, out);
}

// 2^-t where low and high, two positive normal numbers, share the binade of ulp 2^t; `same` is then all ones.
Doubles InverseUlp(const Doubles& low, const Doubles& high, std::int64_t precision, Ints& same) {
  const Ints field = (Ints)((Words)low >> 52);
  same = field == (Ints)((Words)high >> 52);
  return (Doubles)((2045 + precision - field) << 52);
}

// floor of 0 <= value < 2^51, and the same as an integer.
Doubles Floor(const Doubles& value, Ints& integer) {
  const Doubles shifted = value + 0x1p52;
  const Doubles nearest = shifted - 0x1p52;
  const Ints above = nearest > value;
  integer = (BitsOf(shifted) & 0xfffffffffffff) + above;
  return above ? nearest - 1.0 : nearest;
}

// UlpHistogram's bin of a whole number of 2^-20 ulps: its exponent and the top three bits of its fraction.
Ints BinOf(const Doubles& whole) {
  constexpr std::int64_t kBeforeOne = 1023 * 8 - 1;
  const Ints top = (Ints)((Words)whole >> 49) - kBeforeOne;
  return top > 0 ? top : Ints{};
}

struct Totals {
  Ints decided{}, correctly_rounded{}, beyond_element{}, broken{}, row_ulp_sum{}, bias_sum{};
  Doubles max_ulp{}, max_row_ulp{};
};

// The error of one output and its uncertainty, in a unit.
struct Size {
  Doubles error;
  Doubles doubt;
  Ints Off(double limit) const { return Magnitude(error - limit) > doubt; }  // on a known side of it
};

// 2^-t of the row's ulp at an element, and whether that is sure. Without gamma and beta it is the row's own. A scale beyond the
// format is left to the exact judge, which knows what it allows.
template <Affine kAffine>
Doubles InverseRowUlp(const FilterRow& row, const FilterLimits& limits, const Doubles& abs_gamma, const Doubles& beta, Ints& same) {
  if constexpr (kAffine == Affine::kAbsent) {
    same = All(std::int64_t{-1});
    return All(row.inverse_ulp);
  }
  const Doubles scale = abs_gamma * row.max_xhat + Magnitude(beta);
  const Doubles doubt = abs_gamma * row.max_xhat_doubt + 3.1 * kU * scale;
  const auto within_range = [&](const Doubles& value) { return Smaller(Larger(value, All(limits.min_normal)), All(limits.max_finite)); };
  const Doubles inverse = InverseUlp(within_range(scale - doubt), within_range(scale + doubt), limits.precision, same);
  same &= scale + doubt <= All(limits.max_finite);
  return inverse;
}

// What is broken, and whether the sizes lie on known sides of the promise.
template <PromisedUnit kUnit>
Ints BrokenPromise(const FilterLimits& limits, const Size& ulp, const Size& row_ulp, Ints& known) {
  const Size& size = kUnit == PromisedUnit::kRowUlps ? row_ulp : ulp;
  if constexpr (kUnit == PromisedUnit::kElsewhere) return Ints{};
  known &= size.Off(limits.k);
  return size.error > limits.k;
}

template <Affine kAffine, PromisedUnit kUnit>
void JudgeAt(const FilterRow& row, const FilterLimits& limits, const FilterBlock& block, std::size_t i, Totals& totals) {
  const bool plain = kAffine == Affine::kAbsent;
  const Doubles gamma = plain ? All(1.0) : Load(block.gamma + i), beta = plain ? Doubles{} : Load(block.beta + i);
  const Doubles got = Load(block.got + i);
  const Doubles t = ((Load(block.x + i) - row.pivot) - row.shift) * row.inv_std_dev;
  const Doubles y = gamma * t + beta;
  const Doubles abs_gamma = Magnitude(gamma), abs_y = Magnitude(y);
  const Doubles doubt = abs_gamma * (row.alpha * Magnitude(t) + row.tau) + 3.1 * kU * abs_y;
  const Doubles difference = got - y;
  const Doubles error = Magnitude(difference);
  const Doubles all_doubt = doubt + 2 * kU * error;

  Ints same, same_row;
  const Doubles high = abs_y + doubt;
  const Doubles inverse_ulp = InverseUlp(Larger(abs_y - doubt, All(limits.min_normal)), Larger(high, All(limits.min_normal)), limits.precision, same);
  const Doubles inverse_row = InverseRowUlp<kAffine>(row, limits, abs_gamma, beta, same_row);
  const Size ulp = {error * inverse_ulp, all_doubt * inverse_ulp};
  const Size row_ulp = {error * inverse_row, all_doubt * inverse_row};

  const Ints exact = doubt == 0.0;
  const Ints clear = same & same_row & (high <= limits.max_finite) & (ulp.error < 0x1p30) & (ulp.doubt <= 0x1p-18 + 0x1p-20 * ulp.error);
  const Ints signs = exact | ((abs_y > doubt) & ((got != 0.0) | (ulp.error > 0.75)));
  Ints known = ulp.Off(0.5) & ulp.Off(0.501);
  const Ints broken = BrokenPromise<kUnit>(limits, ulp, row_ulp, known);
  const Ints decided = clear & signs & known & ~(broken & limits.pass_broken);

  const Doubles counted = decided ? ulp.error : Doubles{}, counted_row = decided ? row_ulp.error : Doubles{};
  Ints units, units_row;
  const Doubles whole = Floor(counted * 0x1p20, units), whole_row = Floor(counted_row * 0x1p20, units_row);
  const Ints most = All(std::int64_t{1} << 40);
  const Ints capped = (units > most ? most : units) & (y != 0.0);
  const Ints toward_zero = (BitsOf(y) ^ BitsOf(difference)) < 0;
  totals.decided += decided;
  totals.correctly_rounded += decided & (ulp.error < 0.5);
  totals.beyond_element += decided & (ulp.error > 0.501);
  totals.broken += decided & broken;
  totals.row_ulp_sum += units_row;
  totals.bias_sum += (capped ^ toward_zero) - toward_zero;
  totals.max_ulp = Larger(counted, totals.max_ulp);
  totals.max_row_ulp = Larger(counted_row, totals.max_row_ulp);
  Store(ulp.error, block.ulp + i);
  if constexpr (kUnit == PromisedUnit::kRowUlps) Store(row_ulp.error, block.row_ulp + i);
  const Ints undecided = All(static_cast<std::int64_t>(kUndecidedBin));
  Store(decided ? BinOf(whole) : undecided, block.bin + i);
  Store(decided ? BinOf(whole_row) : undecided, block.row_bin + i);
}

std::int64_t SumOf(const Ints& values) {
  std::int64_t sum = 0;
  for (std::size_t l = 0; l < kWidth; ++l) sum += values[l];
  return sum;
}

double LargestOf(const Doubles& values, double largest) {
  for (std::size_t l = 0; l < kWidth; ++l) largest = values[l] > largest ? values[l] : largest;
  return largest;
}

// Copies of its own, which no store can change: what they hold stays in registers.
template <Affine kAffine, PromisedUnit kUnit>
void JudgeAll(const FilterRow row, const FilterLimits limits, const FilterBlock block, Totals& totals) {
  for (std::size_t i = 0; i < block.count; i += kWidth) JudgeAt<kAffine, kUnit>(row, limits, block, i, totals);
}

template <Affine kAffine>
void JudgeAll(const FilterRow& row, const FilterLimits& limits, const FilterBlock& block, Totals& totals) {
  switch (limits.promised) {
    case PromisedUnit::kUlps: return JudgeAll<kAffine, PromisedUnit::kUlps>(row, limits, block, totals);
    case PromisedUnit::kRowUlps: return JudgeAll<kAffine, PromisedUnit::kRowUlps>(row, limits, block, totals);
    case PromisedUnit::kElsewhere: return JudgeAll<kAffine, PromisedUnit::kElsewhere>(row, limits, block, totals);
  }
}

void Elements(const FilterRow& row, const FilterLimits& limits, const FilterBlock& block, FilterCounts& counts) {
  Totals totals;
  if (limits.affine == Affine::kAbsent) JudgeAll<Affine::kAbsent>(row, limits, block, totals);
  else JudgeAll<Affine::kPresent>(row, limits, block, totals);
  counts.decided -= SumOf(totals.decided);
  counts.correctly_rounded -= SumOf(totals.correctly_rounded);
  counts.beyond_element -= SumOf(totals.beyond_element);
  counts.broken -= SumOf(totals.broken);
  counts.row_ulp_sum += SumOf(totals.row_ulp_sum);
  counts.bias_sum += SumOf(totals.bias_sum);
  counts.max_ulp = LargestOf(totals.max_ulp, counts.max_ulp);
  counts.max_row_ulp = LargestOf(totals.max_row_ulp, counts.max_row_ulp);
}

}  // namespace

extern const FilterLoops NORMCHECK_FILTER_NAME;
const FilterLoops NORMCHECK_FILTER_NAME = {NORMCHECK_FILTER_TARGET, Values, Scan, Residues, Elements};

}  // namespace normcheck::reference::levels
