// Reads results and says what is wrong with their files.
#include "properties/plug_in/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <set>
#include <system_error>

#include "reference/judge.h"
#include "reference/npy.h"
#include "reference/number.h"

namespace normcheck::properties::plug_in {
namespace {

namespace fs = std::filesystem;
using reference::Bits;
using reference::Error;
using reference::NpyArray;
using reference::Outputs;
using reference::Result;

std::string TypeText(norm::Format format) {
  constexpr const char* kTypes[] = {"<f4", "<f2", "<u2 (bits of bf16)"};
  return kTypes[static_cast<int>(format)];
}

Result<std::vector<Bits>> ReadArray(const std::string& path, norm::Format format, const std::vector<std::size_t>& shape) {
  if (!fs::exists(path)) return Error{path + ": missing; run the kernel on this case and save its y"};
  Result<NpyArray> array = reference::ReadNpyFile(path);
  if (!array.ok()) return Error{array.error()};
  if (array.value().format != format)
    return Error{fmt::format("{}: wrong dtype {}; save {}", path, TypeText(array.value().format), TypeText(format))};
  if (array.value().shape != shape)
    return Error{fmt::format("{}: wrong shape ({}); save ({})", path, fmt::join(array.value().shape, ", "), fmt::join(shape, ", "))};
  return std::move(array).value().values;
}

// Empty where the file is not there.
Result<std::vector<float>> ReadStatistics(const std::string& dir, const std::string& file, std::size_t rows) {
  const std::string path = dir + "/" + file;
  std::vector<float> values;
  if (file.empty() || !fs::exists(path)) return values;
  const Result<std::vector<Bits>> bits = ReadArray(path, norm::Format::kF32, {rows});
  if (!bits.ok()) return Error{bits.error()};
  for (Bits value : bits.value()) values.push_back(std::bit_cast<float>(value));
  return values;
}

}  // namespace

Result<Outputs> ReadResults(const std::string& dir, const ReadFolderCase& read) {
  const reference::Case& c = read.named.c;
  Result<std::vector<Bits>> y = ReadArray(dir + "/" + read.y, c.formats.y, {c.rows, c.width});
  if (!y.ok()) return Error{y.error()};
  Result<std::vector<float>> mean = ReadStatistics(dir, read.mean, c.rows);
  if (!mean.ok()) return Error{mean.error()};
  Result<std::vector<float>> inv_std_dev = ReadStatistics(dir, read.inv_std_dev, c.rows);
  if (!inv_std_dev.ok()) return Error{inv_std_dev.error()};
  Outputs outputs;
  outputs.y = std::move(y).value();
  outputs.mean = std::move(mean).value();
  outputs.inv_std_dev = std::move(inv_std_dev).value();
  return outputs;
}

bool IsNanFilled(const reference::Case& c, const Outputs& outputs) {
  const auto all_nan = [&](const std::vector<Bits>& values) {
    return std::ranges::all_of(values, [&](Bits bits) { return reference::IsNan(bits, c.formats.y); });
  };
  return !outputs.y.empty() && all_nan(outputs.y) && !all_nan(reference::CorrectlyRounded(c));
}

std::vector<std::string> ExtraFiles(const std::string& dir, const std::vector<ReadFolderCase>& cases) {
  std::set<std::string> known = {kManifestName};
  for (const ReadFolderCase& read : cases) {
    known.insert(read.inputs.begin(), read.inputs.end());
    known.insert({read.y, read.mean, read.inv_std_dev});
  }
  std::vector<std::string> extra;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error))
    if (const std::string name = entry.path().filename().string(); !known.contains(name) && name.ends_with(".npy")) extra.push_back(dir + "/" + name);
  std::ranges::sort(extra);
  return extra;
}

}  // namespace normcheck::properties::plug_in
