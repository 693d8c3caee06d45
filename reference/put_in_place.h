// Puts a folder that is whole in the place of an older one.
#pragma once

#include <filesystem>
#include <system_error>

namespace normcheck::reference {

// `draft` gets the name `target` in one step, and what stood there is removed. On file systems that cannot exchange two names the
// old folder is moved aside first, to DRAFT-old, and comes back where the second rename fails; at no time is a folder half written.
// An error: target is as it was, and draft is still there.
std::error_code PutInPlace(const std::filesystem::path& draft, const std::filesystem::path& target);

}  // namespace normcheck::reference
