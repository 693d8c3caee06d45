// Renames with exchange, or around a folder set aside.
#include "reference/put_in_place.h"

#include <fcntl.h>
#include <stdio.h>

namespace normcheck::reference {
namespace {

namespace fs = std::filesystem;

std::error_code PutAround(const fs::path& draft, const fs::path& target) {
  std::error_code error, ignored;
  const fs::path aside = draft.string() + "-old";
  fs::rename(target, aside, error);
  if (error) return error;
  fs::rename(draft, target, error);
  if (error)
    fs::rename(aside, target, ignored);
  else
    fs::remove_all(aside, ignored);
  return error;
}

}  // namespace

std::error_code PutInPlace(const fs::path& draft, const fs::path& target) {
  std::error_code error, ignored;
  if (!fs::exists(target)) {
    fs::rename(draft, target, error);
    return error;
  }
  if (renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) return PutAround(draft, target);
  fs::remove_all(draft, ignored);
  return {};
}

}  // namespace normcheck::reference
