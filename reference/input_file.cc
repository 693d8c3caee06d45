// Opens without waiting, looks at what it is, reads it whole.
#include "reference/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace normcheck::reference {
namespace {

Error SystemReason() { return Error{std::generic_category().message(errno)}; }

// Empty where the file may be read.
std::string WhyNot(const struct stat& info, std::size_t most_bytes) {
  if (S_ISDIR(info.st_mode)) return "is a folder";
  if (!S_ISREG(info.st_mode)) return "is a device, pipe or socket, not a regular file";
  if (static_cast<std::size_t>(info.st_size) > most_bytes) return fmt::format("is longer than {} MiB", most_bytes >> 20);
  return "";
}

Result<std::string> ReadAll(int file, std::size_t most_bytes) {
  std::string text;
  char buffer[1 << 16];
  while (text.size() <= most_bytes) {
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemReason();
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return Error{fmt::format("is longer than {} MiB", most_bytes >> 20)};
}

Result<std::string> ReadOpened(int file, std::size_t most_bytes) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return SystemReason();
  const std::string why = WhyNot(info, most_bytes);
  return why.empty() ? ReadAll(file, most_bytes) : Error{why};
}

}  // namespace

Result<std::string> ReadInputFile(const std::string& path, std::size_t most_bytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return SystemReason();
  Result<std::string> text = ReadOpened(file, most_bytes);
  ::close(file);
  return text;
}

}  // namespace normcheck::reference
