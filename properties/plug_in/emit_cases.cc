// Draws cases for a folder and writes the folder.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "properties/families.h"
#include "properties/plug_in/case_folder.h"
#include "reference/npy.h"
#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reference/outputs.h"
#include "reference/owned_folder.h"
#include "reference/visible_text.h"

namespace normcheck::properties::plug_in {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using reference::Error;
using reference::NpyArray;
using reference::Result;

constexpr std::size_t kMaxWidth = 4096;

constexpr const char* kArraysInWords =
    "f32 is <f4, f16 is <f2, bf16 is <u2: the upper 16 bits of an f32. x and y have shape (rows, width), gamma and beta (width,), "
    "mean and inv_std_dev (rows,) in f32; a missing gamma is 1, a missing beta 0. Write y in y_format under the name at \"y\"; mean and "
    "inv_std_dev if you like.";

FolderCase DrawCase(const CasesWanted& wanted, std::size_t index) {
  Random random = Random(wanted.seed).Fork(index);
  FolderCase named{fmt::format("case-{:05}", index + 1), MakeAnyCase(random, wanted.ops, wanted.formats, kMaxWidth)};
  Case& c = named.c;
  c.x_pitch = c.y_pitch = c.width;
  c.epsilon = static_cast<double>(static_cast<float>(c.epsilon));
  if (!wanted.beta) c.beta.reset();
  if (wanted.absent_params) return named;
  reference::StandIns absent = reference::StandInsOf(c);
  if (absent.gamma) c.gamma = std::move(absent.gamma);
  if (wanted.beta && absent.beta) c.beta = std::move(absent.beta);
  return named;
}

Json EntryOf(const FolderCase& named) {
  const Case& c = named.c;
  const auto file = [&](const char* array) { return named.id + "." + array + ".npy"; };
  Json entry = {{"id", named.id},
                {"op", norm::NameOf(c.op)},
                {"x_format", norm::TraitsOf(c.formats.x).name},
                {"param_format", norm::TraitsOf(c.formats.params).name},
                {"y_format", norm::TraitsOf(c.formats.y).name},
                {"rows", c.rows},
                {"width", c.width},
                {"epsilon", reference::HexText(c.epsilon)},
                {"epsilon_decimal", fmt::format("{}", c.epsilon)},
                {"x", file("x")}};
  if (c.gamma) entry["gamma"] = file("gamma");
  if (c.beta) entry["beta"] = file("beta");
  entry["epsilon_file"] = file("epsilon");
  entry["y"] = file("y");
  if (reference::OperationOf(c.op).Find("mean")) entry["mean"] = file("mean");
  entry["inv_std_dev"] = file("inv_std_dev");
  return entry;
}

// The folder while it is being written; removed unless it was renamed.
class Draft {
 public:
  explicit Draft(const fs::path& target)
      : path_(target.parent_path() / fmt::format(".{}.partial-{}", target.filename().string(), getpid())) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) error_ = path_.string() + ": " + error.message();
  }
  ~Draft() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void Write(const std::string& name, const std::string& bytes) {
    if (!error_.empty()) return;
    std::ofstream out(path_ / name, std::ios::binary);
    if (!(out << bytes).flush()) error_ = (path_ / name).string() + ": " + std::generic_category().message(errno) + "; free the space or name another folder";
  }
  const fs::path& path() const { return path_; }
  const std::string& error() const { return error_; }

 private:
  fs::path path_;
  std::string error_;
};

void WriteCase(const FolderCase& named, const Json& entry, Draft& draft) {
  const Case& c = named.c;
  const auto write = [&](const char* field, const std::vector<Bits>& bits, Format format, std::vector<std::size_t> shape) {
    draft.Write(entry.at(field).get<std::string>(), NpyBytes(NpyArray{format, std::move(shape), bits}));
  };
  write("x", c.x, c.formats.x, {c.rows, c.width});
  if (c.gamma) write("gamma", *c.gamma, c.formats.params, {c.width});
  if (c.beta) write("beta", *c.beta, c.formats.params, {c.width});
  write("epsilon_file", {reference::BitsOf(c.epsilon, Format::kF32)}, Format::kF32, {1});
}

constexpr std::string_view kKind = "folder of cases";

bool HoldsResults(const fs::path& dir) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error))
    if (entry.path().filename().string().ends_with(".y.npy")) return true;
  return false;
}

// Why `target` may not become a folder of cases; empty: it may.
std::string WhyNot(const fs::path& target) {
  if (const std::string why = reference::WhyNotOwned(target, kKind); !why.empty()) return why;
  return HoldsResults(target) ? "holds results; judge them with --results, or name a new folder" : "";
}

}  // namespace

std::vector<FolderCase> DrawCases(const CasesWanted& wanted) {
  std::vector<FolderCase> cases;
  for (std::size_t i = 0; i < wanted.count; ++i) cases.push_back(DrawCase(wanted, i));
  return cases;
}

Result<bool> WriteCaseFolder(const std::string& dir, const std::vector<FolderCase>& cases, const CasesWanted& wanted) {
  const fs::path target = reference::FolderNamed(dir);
  if (const std::string why = WhyNot(target); !why.empty()) return Error{dir + ": " + why};
  Json manifest = {{"schema", kManifestSchema}, {"seed", wanted.seed.value}, {"arrays", kArraysInWords}};
  if (!wanted.beta) manifest["traits"] = {"no-beta"};
  manifest["cases"] = Json::array();
  Draft draft(target);
  for (const FolderCase& named : cases) {
    manifest["cases"].push_back(EntryOf(named));
    WriteCase(named, manifest["cases"].back(), draft);
  }
  draft.Write(kManifestName, reference::JsonText(manifest, 1) + "\n");
  if (!draft.error().empty()) return Error{draft.error()};
  if (const auto error = reference::PutFiles(draft.path(), target, kKind)) return Error{dir + ": " + error.message() + "; name another folder"};
  return true;
}

}  // namespace normcheck::properties::plug_in
