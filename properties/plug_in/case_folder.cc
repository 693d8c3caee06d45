// Reads a folder of cases: the manifest strictly, then the arrays that it names.
#include "properties/plug_in/case_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "reference/input_file.h"
#include "reference/npy.h"
#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reference/quoted.h"

namespace normcheck::properties::plug_in {
namespace {

using nlohmann::json;
using reference::Bits;
using reference::Error;
using reference::NpyArray;
using reference::Quoted;
using reference::Result;

constexpr std::string_view kTopFields[] = {"schema", "seed", "arrays", "traits", "source", "cases"};
constexpr std::string_view kCaseFields[] = {"id", "op", "x_format", "param_format", "y_format", "rows", "width", "epsilon", "epsilon_decimal",
                                            "x", "gamma", "beta", "epsilon_file", "y", "mean", "inv_std_dev", "source"};

std::optional<std::string> UnknownField(const json& object, std::span<const std::string_view> known) {
  for (const auto& field : object.items())
    if (std::ranges::find(known, field.key()) == known.end()) return field.key();
  return std::nullopt;
}

// Reads one entry; after the first fault every read gives a default.
class EntryReader {
 public:
  explicit EntryReader(const json& entry) : entry_(entry) {}

  Result<ReadFolderCase> Read(const std::string& dir) {
    ReadFolderCase read;
    ReadFrame(read);
    if (fault_.empty()) ReadArrays(dir, read);
    if (!fault_.empty()) return Error{fault_};
    return read;
  }

 private:
  void Refuse(std::string_view field, const std::string& what) {
    if (fault_.empty()) fault_ = fmt::format("{}: {}", field, what);
  }
  std::string Text(const char* name) {
    if (entry_.contains(name) && entry_.at(name).is_string()) return entry_.at(name).get<std::string>();
    Refuse(name, "a string is needed");
    return {};
  }
  std::size_t Count(const char* name) {
    const bool fits = entry_.contains(name) && entry_.at(name).is_number_unsigned();
    const std::uint64_t count = fits ? entry_.at(name).get<std::uint64_t>() : reference::kMaxPitchedElements;
    if (count >= reference::kMaxPitchedElements) Refuse(name, "a count is needed");
    return fits ? count : 0;
  }
  norm::Format FormatAt(const char* name) {
    const std::string text = Text(name);
    const auto format = norm::FormatNamed(text);
    if (!format) Refuse(name, Quoted(text) + " is no format; write f32, f16 or bf16");
    return format.value_or(norm::Format::kF32);
  }
  // A name of a file in the folder itself.
  std::string File(const char* name) {
    const std::string text = Text(name);
    if (text.empty() || text.find('/') != text.npos || text.front() == '.')
      Refuse(name, Quoted(text) + " is no name of a file in the folder");
    return text;
  }
  std::string OptionalFile(const char* name) { return entry_.contains(name) ? File(name) : std::string(); }

  void ReadFrame(ReadFolderCase& read);
  void ReadArrays(const std::string& dir, ReadFolderCase& read);

  const json& entry_;
  std::string fault_;
};

void EntryReader::ReadFrame(ReadFolderCase& read) {
  if (const auto unknown = UnknownField(entry_, kCaseFields)) Refuse(*unknown, "an unknown field; remove it");
  reference::Case& c = read.named.c;
  read.named.id = Text("id");
  const std::string name = Text("op");
  const std::optional<norm::Op> op = norm::OpNamed(name);
  if (!op) Refuse("op", Quoted(name) + " is no op; write one of " + reference::OpNames());
  const norm::Formats formats{FormatAt("x_format"), FormatAt("param_format"), FormatAt("y_format")};
  const Result<double> epsilon = reference::ParseEpsilon(Text("epsilon"));
  if (!epsilon.ok()) Refuse("epsilon", epsilon.error());
  const std::size_t rows = Count("rows"), width = Count("width");
  if (width != 0 && rows > reference::kMaxPitchedElements / width) Refuse("rows", "rows*width is too large");
  if (!fault_.empty()) return;
  c = reference::MakeCase(*op, formats, 0, width, epsilon.value());
  c.rows = rows;
  read.y = File("y");
  read.mean = OptionalFile("mean");
  read.inv_std_dev = OptionalFile("inv_std_dev");
}

// Unreadable arrays are a fault of this case; wrong names are one of the manifest.
void EntryReader::ReadArrays(const std::string& dir, ReadFolderCase& read) {
  reference::Case& c = read.named.c;
  const auto array = [&](const char* field, norm::Format format, const std::vector<std::size_t>& shape) -> std::vector<Bits> {
    read.inputs.push_back(File(field));
    const std::string path = dir + "/" + read.inputs.back();
    if (!fault_.empty() || !read.fault.empty()) return {};
    Result<NpyArray> got = reference::ReadNpyFile(path);
    if (!got.ok()) read.fault = got.error();
    else if (got.value().format != format || got.value().shape != shape)
      read.fault = path + ": type or shape is not what the manifest says; emit the cases again";
    return read.fault.empty() ? std::move(got).value().values : std::vector<Bits>();
  };
  c.x = array("x", c.formats.x, {c.rows, c.width});
  if (entry_.contains("gamma")) c.gamma = array("gamma", c.formats.params, {c.width});
  if (entry_.contains("beta")) c.beta = array("beta", c.formats.params, {c.width});
  if (!entry_.contains("epsilon_file")) return;
  const auto epsilon = array("epsilon_file", norm::Format::kF32, {1});
  if (epsilon.size() == 1 && reference::ValueOf(epsilon[0], norm::Format::kF32) != c.epsilon)
    read.fault = dir + "/" + read.inputs.back() + ": is not the manifest's epsilon; emit the cases again";
}

Result<json> ReadManifest(const std::string& path) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
  const Result<std::string> text = reference::ReadInputFile(path, kMaxBytes);
  if (!text.ok()) return Error{path + ": cannot be read: " + text.error() + "; give a folder that judge --emit wrote"};
  json manifest = json::parse(text.value(), nullptr, false);
  if (!manifest.is_object() || !manifest.contains("schema") || manifest.at("schema") != kManifestSchema)
    return Error{fmt::format("{}: is no JSON of schema {}; emit the cases again", path, kManifestSchema)};
  if (const auto unknown = UnknownField(manifest, kTopFields)) return Error{fmt::format("{}: {}: an unknown field; remove it", path, Quoted(*unknown))};
  if (manifest.contains("traits") && manifest.at("traits") != json::array({"no-beta"}) && manifest.at("traits") != json::array())
    return Error{path + ": traits: write [\"no-beta\"], or leave it out"};
  if (!manifest.contains("cases") || !manifest.at("cases").is_array()) return Error{path + ": cases: an array is needed"};
  return manifest;
}

}  // namespace

Result<std::vector<ReadFolderCase>> ReadCaseFolder(const std::string& dir) {
  const std::string path = dir + "/" + kManifestName;
  const Result<json> manifest = ReadManifest(path);
  if (!manifest.ok()) return Error{manifest.error()};
  const bool no_beta = !manifest.value().value("traits", json::array()).empty();
  std::vector<ReadFolderCase> cases;
  for (const json& entry : manifest.value().at("cases")) {
    const std::string at = fmt::format("{}: cases[{}]: ", path, cases.size());
    if (!entry.is_object()) return Error{at + "an object is needed"};
    if (no_beta && entry.contains("beta")) return Error{at + "beta: the traits say no-beta; remove one of them"};
    Result<ReadFolderCase> read = EntryReader(entry).Read(dir);
    if (!read.ok()) return Error{at + read.error()};
    cases.push_back(std::move(read).value());
  }
  return cases;
}

}  // namespace normcheck::properties::plug_in
