// Calls of more than 2^31 and 2^32 elements (FAULTS A8): x is a block of memory mapped again and again, changed in a few windows;
// y is another, but for pages of its own under those windows, whose elements are held against integer sums of their rows.
#include <gtest/gtest.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "norm/rounding.h"
#include "properties/kernels.h"
#include "properties/random.h"

namespace normcheck::properties {
namespace {

using norm::Format;
using norm::KernelCall;
using norm::Op;

constexpr std::size_t kBlock = std::size_t{1} << 23, kPage = 4096, kWindow = 2048;
constexpr double kEpsilon = 1e-5;

// Memory of `bytes`, the same block over and over; private: what is written stays where it was written.
class Repeated {
 public:
  Repeated(std::size_t bytes, bool is_private) : bytes_((bytes + kBlock - 1) / kBlock * kBlock), file_(memfd_create("block", 0)) {
    void* all = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file_ < 0 || all == MAP_FAILED || ftruncate(file_, kBlock) != 0) return;
    data_ = static_cast<char*>(all);
    const int kind = (is_private ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED) | MAP_FIXED;
    for (std::size_t at = 0; at < bytes_; at += kBlock)
      complete_ = mmap(data_ + at, kBlock, PROT_READ | PROT_WRITE, kind, file_, 0) != MAP_FAILED && complete_;
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;
  ~Repeated() {
    if (data_ != nullptr) munmap(data_, bytes_);
    close(file_);
  }

  bool complete() const { return data_ != nullptr && complete_; }
  char* data() const { return data_; }
  bool Fill(const std::vector<char>& block) const { return pwrite(file_, block.data(), kBlock, 0) == static_cast<ssize_t>(kBlock); }

  // Pages of their own, zeroed, under these bytes.
  bool Part(std::size_t begin, std::size_t end) const {
    begin = begin / kPage * kPage;
    end = std::min((end + kPage - 1) / kPage * kPage, bytes_);
    return mmap(data_ + begin, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }

 private:
  std::size_t bytes_;
  int file_;
  char* data_ = nullptr;
  bool complete_ = true;
};

// Elements are k/8 with |k| <= 64, which every format holds and whose sums are integers.
std::uint32_t BitsOfEighths(int k, Format format) {
  const double value = k / 8.0;
  if (format == Format::kF16) return norm::ToFloat16(value).bits;
  if (format == Format::kBf16) return norm::ToBFloat16(value).bits;
  return std::bit_cast<std::uint32_t>(norm::ToFloat32(value));
}

double Value(const char* at, Format format) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, norm::TraitsOf(format).bytes);
  if (format == Format::kF16) return norm::ToFloat(norm::Float16{static_cast<std::uint16_t>(bits)});
  if (format == Format::kBf16) return norm::ToFloat(norm::BFloat16{static_cast<std::uint16_t>(bits)});
  return std::bit_cast<float>(bits);
}

double Rounded(double value, Format format) {
  if (format == Format::kF16) return norm::ToFloat(norm::ToFloat16(value));
  if (format == Format::kBf16) return norm::ToFloat(norm::ToBFloat16(value));
  return norm::ToFloat32(value);
}

// 8 sum(x), 64 sum(x^2) and the largest |8 x|.
struct RowSums {
  std::int64_t sum = 0, squares = 0, most = 0;
};

struct Window {
  std::size_t begin, end;
};

// A call of rows x width elements, and what its outputs have to be.
class SparseCall {
 public:
  SparseCall(Format format, std::size_t rows, std::size_t width, std::uint64_t seed)
      : format_(format), bytes_(norm::TraitsOf(format).bytes), rows_(rows), width_(width), x_(Count() * bytes_, true), y_(Count() * bytes_, false) {
    if (!x_.complete() || !y_.complete()) return;
    Random random(Seed{seed});
    std::vector<char> block(kBlock);
    for (std::size_t i = 0; i < kBlock; i += bytes_) Put(block.data() + i, random);
    complete_ = x_.Fill(block);
    ChooseWindows(random);
    for (const Window& w : windows_)
      for (std::size_t i = w.begin; i < w.end; ++i) Put(x_.data() + i * bytes_, random);
  }

  bool complete() const { return complete_; }

  KernelCall CallOf(Op op) const {
    KernelCall call;
    call.op = op;
    call.formats = {format_, format_, format_};
    call.rows = rows_;
    call.width = call.x_pitch = call.y_pitch = width_;
    call.epsilon = kEpsilon;
    call.x = x_.data();
    call.y = y_.data();
    return call;
  }

  // Elements of the windows that are not correctly rounded, or further than `row_ulps` from right where that is not 0.
  std::size_t Wrong(const norm::Kernel& kernel, Op op, double row_ulps) {
    for (const Window& w : windows_) complete_ = y_.Part(w.begin * bytes_, w.end * bytes_) && complete_;
    EXPECT_TRUE(complete_);
    EXPECT_TRUE(kernel.run(CallOf(op)).ok());
    std::size_t wrong = 0;
    for (const Window& w : windows_)
      for (std::size_t i = w.begin; i < w.end; ++i) wrong += IsWrong(op, i, row_ulps);
    return wrong;
  }

  std::size_t judged() const {
    std::size_t all = 0;
    for (const Window& w : windows_) all += w.end - w.begin;
    return all;
  }

 private:
  std::size_t Count() const { return rows_ * width_; }
  const char* X(std::size_t i) const { return x_.data() + i * bytes_; }

  void Put(char* at, Random& random) const {
    const std::uint32_t bits = BitsOfEighths(static_cast<int>(random.Below(129)) - 64, format_);
    std::memcpy(at, &bits, bytes_);
  }

  // Both ends, both sides of 2^31 and 2^32, and four others.
  void ChooseWindows(Random& random) {
    std::vector<std::size_t> middles = {0, std::size_t{1} << 31, std::size_t{1} << 32, Count()};
    for (int i = 0; i < 4; ++i) middles.push_back(random.Below(Count()));
    for (std::size_t middle : middles)
      if (middle <= Count()) windows_.push_back({middle - std::min(middle, kWindow), std::min(middle + kWindow, Count())});
  }

  const RowSums& SumsOf(std::size_t row) {
    const auto [entry, added] = sums_.try_emplace(row);
    if (!added) return entry->second;
    RowSums& sums = entry->second;
    for (std::size_t i = row * width_; i < (row + 1) * width_; ++i) {
      const auto k = static_cast<std::int64_t>(8 * Value(X(i), format_));
      sums.sum += k;
      sums.squares += k * k;
      sums.most = std::max(sums.most, std::abs(k));
    }
    return sums;
  }

  // xhat = (H k - S)/sqrt(H Q - S^2 + 64 H^2 epsilon) in units of eighths: integers but for the root, in 64 bits; good to 2^-60.
  bool IsWrong(Op op, std::size_t i, double row_ulps) {
    __extension__ using Wide = __int128;
    const RowSums& sums = SumsOf(i / width_);
    const Wide h = static_cast<Wide>(width_), sum = op == Op::kLayerNorm ? sums.sum : 0;
    const auto root = std::sqrt(static_cast<long double>(h * sums.squares - sum * sum) + 64 * static_cast<long double>(h) * static_cast<long double>(h) * kEpsilon);
    const auto exact = static_cast<long double>(h * static_cast<Wide>(8 * Value(X(i), format_)) - sum) / root;
    const double got = Value(y_.data() + i * bytes_, format_), low = Rounded(static_cast<double>(exact * (1 - 0x1p-51L)), format_);
    if (row_ulps == 0) {
      EXPECT_EQ(low, Rounded(static_cast<double>(exact * (1 + 0x1p-51L)), format_)) << "too close to halfway to be told";
      return got != low;
    }
    const double most = static_cast<double>(static_cast<long double>(h * sums.most + (sum < 0 ? -sum : sum)) / root);  // no less than the row's largest |xhat|
    const double ulp = std::ldexp(1, std::ilogb(most) + 1 - norm::TraitsOf(format_).precision);
    return !(std::abs(got - static_cast<double>(exact)) <= row_ulps * ulp);
  }

  Format format_;
  std::size_t bytes_, rows_, width_;
  Repeated x_, y_;
  bool complete_ = false;
  std::vector<Window> windows_;
  std::map<std::size_t, RowSums> sums_;
};

struct Shape {
  std::size_t rows, width;
};

constexpr std::size_t Power(int n) { return std::size_t{1} << n; }

// Rows and widths next to 2^16, 2^24, 2^31 and 2^32; 2^31 rows in bf16 and one op alone, since rows of two take 10 ns each.
constexpr Shape kShapes[] = {{Power(16) + 1, Power(16) + 1}, {Power(24) + 1, 257}, {257, Power(24) + 1}, {2, Power(31) + 1}, {1, Power(32)}};

void ExpectNoneWrong(Format format, Shape shape, std::span<const Op> ops) {
  SparseCall call(format, shape.rows, shape.width, 1);
  if (!call.complete()) GTEST_SKIP() << "no address space";
  for (Op op : ops) {
    const std::string name(NameOf(op));
    EXPECT_EQ(call.Wrong(FindKernel(name).value(), op, 0), 0u) << name << ' ' << shape.rows << " x " << shape.width;
    EXPECT_EQ(call.Wrong(FindKernel(name + "_fast").value(), op, 5), 0u) << name << " fast " << shape.rows << " x " << shape.width;
  }
  EXPECT_GE(call.judged(), 4 * kWindow);
}

class SparseCalls : public testing::TestWithParam<Format> {};

TEST_P(SparseCalls, PassTwoToTheThirtyTwo) {
  for (const Shape& shape : kShapes) ExpectNoneWrong(GetParam(), shape, norm::kProductionOps);
}

std::string NameOfFormat(const testing::TestParamInfo<Format>& format) { return std::string(norm::TraitsOf(format.param).name); }

INSTANTIATE_TEST_SUITE_P(Formats, SparseCalls, testing::ValuesIn(norm::kFormats), NameOfFormat);

TEST(SparseRows, PassTwoToTheThirtyOne) {
  const Op op = Op::kRmsNorm;
  ExpectNoneWrong(Format::kBf16, {Power(31) + 1, 2}, std::span(&op, 1));
}

TEST(SparseMutants, DieOfMoreThanTwoToTheThirtyTwoElements) {
  SparseCall call(Format::kBf16, Power(16) + 1, Power(16) + 1, 1);
  if (!call.complete()) GTEST_SKIP() << "no address space";
  for (const char* name : {"mutant:elements-counted-in-32-bits", "mutant:row-offset-in-32-bits"})
    EXPECT_GT(call.Wrong(FindKernel(name).value(), Op::kRmsNorm, 0), kWindow / 2) << name;
}

}  // namespace
}  // namespace normcheck::properties
#endif
