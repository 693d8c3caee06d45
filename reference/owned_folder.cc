// Reads and writes the list, moves files by renaming.
#include "reference/owned_folder.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>

#include "reference/case_json.h"

namespace normcheck::reference {
namespace {

namespace fs = std::filesystem;
using Files = std::set<std::string>;

std::string HeadOf(std::string_view kind) { return "normcheck: files of a " + std::string(kind); }

// A list may have been edited: only names that stay inside the folder count.
bool StaysInside(const std::string& name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute() || path.lexically_normal() != path) return false;
  return std::ranges::none_of(path, [](const fs::path& part) { return part == ".." || part == "."; });
}

std::optional<Files> ReadList(const fs::path& folder, std::string_view kind) {
  std::ifstream in(folder / kListOfFiles);
  std::string line;
  if (!std::getline(in, line) || line != HeadOf(kind)) return std::nullopt;
  Files files;
  while (std::getline(in, line))
    if (StaysInside(line)) files.insert(line);
  return files;
}

std::error_code WriteList(const fs::path& folder, std::string_view kind, const Files& files) {
  std::string text = HeadOf(kind) + "\n";
  for (const std::string& file : files) text += file + "\n";
  const auto written = WriteFileAtomically((folder / kListOfFiles).string(), text);
  return written.ok() ? std::error_code() : std::make_error_code(std::errc::io_error);
}

Files FilesIn(const fs::path& folder) {
  Files files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.insert(entry.path().lexically_relative(folder).string());
  files.erase(kListOfFiles);
  return files;
}

// True where a folder on the way to the file is a symlink: the file would stand somewhere else.
bool LeavesFolder(const fs::path& folder, const std::string& file) {
  std::error_code ignored;
  const fs::path parent = fs::path(file).parent_path();
  return !parent.empty() && fs::is_symlink(folder / parent, ignored);
}

// Names of ours at which something stands that is not.
bool InTheWay(const fs::path& folder, const Files& ours, const Files& before) {
  std::error_code ignored;
  return std::ranges::any_of(ours, [&](const std::string& file) {
    return LeavesFolder(folder, file) || (!before.contains(file) && fs::exists(fs::symlink_status(folder / file, ignored)));
  });
}

std::error_code MoveFiles(const fs::path& draft, const fs::path& folder, const Files& files) {
  std::error_code error;
  for (const std::string& file : files) {
    fs::create_directories((folder / file).parent_path(), error);
    if (!error) fs::rename(draft / file, folder / file, error);
    if (error) return error;
  }
  return error;
}

// Files first, then the folders that are empty without them.
void RemoveFiles(const fs::path& folder, const Files& files) {
  std::error_code ignored;
  for (const std::string& file : files) {
    if (LeavesFolder(folder, file) || fs::is_directory(fs::symlink_status(folder / file, ignored))) continue;
    fs::remove(folder / file, ignored);
    const fs::path parent = (folder / file).parent_path();
    if (parent != folder && fs::is_empty(parent, ignored)) fs::remove(parent, ignored);
  }
}

Files Without(Files files, const Files& others) {
  std::erase_if(files, [&](const std::string& file) { return others.contains(file); });
  return files;
}

}  // namespace

fs::path FolderNamed(const std::string& dir) {
  std::error_code error;
  fs::path path = fs::absolute(dir).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const fs::path real = fs::is_symlink(path, error) ? fs::canonical(path, error) : path;
  return error ? path : real;
}

std::string WhyNotOwned(const fs::path& folder, std::string_view kind) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return fs::is_symlink(fs::symlink_status(folder, error)) ? "is a link to nothing; name a folder" : "";
  if (!fs::is_directory(status)) return "is a file; name a folder";
  if (fs::is_empty(folder, error) || ReadList(folder, kind)) return "";
  return "holds something that is no " + std::string(kind) + " of ours (no " + kListOfFiles + "); name a new folder";
}

bool OwnsFile(const fs::path& folder, std::string_view kind, const std::string& file) {
  std::error_code error;
  const std::optional<Files> files = ReadList(folder, kind);
  const fs::path path = fs::weakly_canonical(fs::absolute(file), error);
  return files && !error && files->contains(path.lexically_relative(fs::weakly_canonical(folder)).string());
}

std::error_code PutFiles(const fs::path& draft, const fs::path& folder, std::string_view kind) {
  std::error_code error;
  const Files ours = FilesIn(draft);
  if (!fs::exists(folder, error) || fs::is_empty(folder, error)) {
    error = WriteList(draft, kind, ours);
    if (!error) fs::rename(draft, folder, error);
    return error;
  }
  const Files before = ReadList(folder, kind).value_or(Files{});
  if (InTheWay(folder, ours, before)) return std::make_error_code(std::errc::file_exists);
  Files both = ours;
  both.insert(before.begin(), before.end());
  error = WriteList(folder, kind, both);
  if (!error) error = MoveFiles(draft, folder, ours);
  if (error) return error;
  RemoveFiles(folder, Without(before, ours));
  return WriteList(folder, kind, ours);
}

}  // namespace normcheck::reference
