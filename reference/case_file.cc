// Reads case files whole, and writes files so that they are whole or absent.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "reference/case_json.h"
#include "reference/input_file.h"

namespace normcheck::reference {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 27;

// An open file descriptor, closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }
  bool open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  bool Close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

std::string Reason() { return std::generic_category().message(errno); }

Error Unreadable(const std::string& path, std::string_view why) {
  return Error{fmt::format("{}: file: cannot read it: {}; give the path of a case file", path, why)};
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string TemporaryName(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}.{}.{}.part", path, ::getpid(), counter++);
}

bool WriteNew(const std::string& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  return file.open() && WriteAll(file.get(), text) && ::fsync(file.get()) == 0 && file.Close();
}

// So that the new name outlives a power cut; where the folder cannot be synced, the file is still whole.
void SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor handle(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.open()) ::fsync(handle.get());
}

// The file behind symlinks at the end of the path, so that a link stays one.
std::string BehindLinks(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 16;
  std::error_code error;
  fs::path file = path;
  for (int links = 0; links < kMostLinks && fs::is_symlink(fs::symlink_status(file, error)); ++links) {
    const fs::path target = fs::read_symlink(file, error);
    if (error) break;
    file = target.is_absolute() ? target : file.parent_path() / target;
  }
  return file.string();
}

// A device or a pipe is written to as it is: a new file must not take its place.
bool IsSpecial(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool WriteSpecial(const std::string& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.open() && WriteAll(file.get(), text) && file.Close();
}

bool Replace(const std::string& path, const std::string& temporary, std::string_view text) {
  return WriteNew(temporary, text) && ::rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace

Result<Case> ReadCaseFile(const std::string& path) {
  const auto text = ReadInputFile(path, kMaxFileBytes);
  if (!text.ok()) return Unreadable(path, text.error());
  return ParseCase(text.value(), path);
}

Result<std::string> WriteFileAtomically(const std::string& path, std::string_view text) {
  const std::string file = BehindLinks(path), temporary = TemporaryName(file);
  const bool special = IsSpecial(file);
  if (special ? !WriteSpecial(file, text) : !Replace(file, temporary, text)) {
    const std::string reason = Reason();
    if (!special) ::unlink(temporary.c_str());
    return Error{fmt::format("{}: file: cannot write it: {}; free the space or name another place", path, reason)};
  }
  if (!special) SyncFolderOf(file);
  return path;
}

}  // namespace normcheck::reference
