// Encodes and decodes the byte form of cases.
#include "reference/case_bytes.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace normcheck::reference {
namespace {

constexpr std::size_t kCountBytes = 5;
static_assert(kCountLimit == std::size_t{1} << (8 * kCountBytes));

std::size_t BytesOf(Format format) { return norm::TraitsOf(format).bytes; }

class Writer {
 public:
  void Integer(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void Elements(const std::vector<Bits>& elements, Format format) {
    for (const Bits bits : elements) Integer(bits, BytesOf(format));
  }
  std::vector<std::uint8_t> Take() { return std::move(out_); }

 private:
  std::vector<std::uint8_t> out_;
};

// Reads on past the end as zeros.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t Integer(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes && i < bytes_.size(); ++i) value |= std::uint64_t{bytes_[i]} << (8 * i);
    bytes_ = bytes_.subspan(std::min(bytes, bytes_.size()));
    return value;
  }
  std::vector<Bits> Elements(std::size_t count, Format format) {
    std::vector<Bits> out(count);
    for (Bits& bits : out) bits = static_cast<Bits>(Integer(BytesOf(format)));
    return out;
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
};

Formats FormatsOf(std::uint64_t index) {
  return {static_cast<Format>(index / 9 % 3), static_cast<Format>(index / 3 % 3), static_cast<Format>(index % 3)};
}

std::uint64_t IndexOf(const Formats& formats) {
  return static_cast<std::uint64_t>(formats.x) * 9 + static_cast<std::uint64_t>(formats.params) * 3 +
         static_cast<std::uint64_t>(formats.y);
}

// The op's number: its lowest bit, then gamma's and beta's flags, then the others.
unsigned FlagsOf(Op op) { return (static_cast<unsigned>(op) & 1u) | static_cast<unsigned>(op) >> 1 << 3; }

Op OpOf(std::uint64_t flags) { return norm::kOps[((flags & 1) | flags >> 3 << 1) % std::size(norm::kOps)]; }

// Finite and not negative: exponents of NaN and infinity lose their top bit.
double EpsilonOf(std::uint64_t bits) {
  constexpr std::uint64_t kMagnitude = ~(std::uint64_t{1} << 63);
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
  bits &= kMagnitude;
  return std::bit_cast<double>(bits < kInfinity ? bits : bits & ~(std::uint64_t{1} << 62));
}

// Rows and width that `left` bytes fill, at `element` bytes for each x and `params` bytes of gamma and beta a column.
void FitSizes(Case& c, std::size_t left, std::size_t element, std::size_t params) {
  const std::size_t column = c.rows * element + params;
  c.width = left / column;
  if (c.width > 0 || left == 0) return;
  c.width = 1;
  const std::size_t for_x = left > params ? left - params : 0;
  if (c.rows > 0) c.rows = std::max<std::size_t>(1, std::min(c.rows, for_x / element));
}

std::size_t ReducedPitch(const Case& c, std::uint64_t extra) {
  const std::size_t room = MaxPitch(c.rows, c.width) - c.width;
  return c.width + (extra <= room ? extra : extra % (room + 1));
}

bool WidthIsFree(const Case& c, bool has_gamma, bool has_beta) { return c.rows == 0 && !has_gamma && !has_beta; }

}  // namespace

std::vector<std::uint8_t> EncodeCase(const Case& c) {
  Writer out;
  out.Integer(FlagsOf(c.op) | (c.gamma ? 2u : 0u) | (c.beta ? 4u : 0u), 1);
  out.Integer(IndexOf(c.formats), 1);
  out.Integer(std::bit_cast<std::uint64_t>(c.epsilon), 8);
  out.Integer(c.rows ^ 1, kCountBytes);
  out.Integer(c.x_pitch - c.width, kCountBytes);
  out.Integer(c.y_pitch - c.width, kCountBytes);
  if (WidthIsFree(c, c.gamma.has_value(), c.beta.has_value())) out.Integer(c.width, kCountBytes);
  out.Elements(c.x, c.formats.x);
  if (c.gamma) out.Elements(*c.gamma, c.formats.params);
  if (c.beta) out.Elements(*c.beta, c.formats.params);
  return out.Take();
}

Case DecodeCase(std::span<const std::uint8_t> bytes) {
  Reader in(bytes);
  Case c;
  const std::uint64_t flags = in.Integer(1);
  const bool has_gamma = (flags & 2) != 0;
  const bool has_beta = (flags & 4) != 0;
  c.op = OpOf(flags);
  c.formats = FormatsOf(in.Integer(1) % 27);
  c.epsilon = EpsilonOf(in.Integer(8));
  c.rows = in.Integer(kCountBytes) ^ 1;
  const std::uint64_t x_extra = in.Integer(kCountBytes);
  const std::uint64_t y_extra = in.Integer(kCountBytes);
  if (WidthIsFree(c, has_gamma, has_beta))
    c.width = in.Integer(kCountBytes);
  else
    FitSizes(c, in.left(), BytesOf(c.formats.x), (std::size_t{has_gamma} + has_beta) * BytesOf(c.formats.params));
  c.x_pitch = ReducedPitch(c, x_extra);
  c.y_pitch = ReducedPitch(c, y_extra);
  c.x = in.Elements(c.rows * c.width, c.formats.x);
  if (has_gamma) c.gamma = in.Elements(c.width, c.formats.params);
  if (has_beta) c.beta = in.Elements(c.width, c.formats.params);
  return c;
}

}  // namespace normcheck::reference
