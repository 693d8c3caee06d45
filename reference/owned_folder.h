// A folder of results in which the next run replaces its own files alone: they are listed in it, and nothing else is touched.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace normcheck::reference {

// The list stands in the folder under this name: a line that says whose it is, then a file a line.
inline constexpr const char* kListOfFiles = "files.txt";

// The folder as writers use it: absolute, without a trailing slash; what a symlink at its end points to.
std::filesystem::path FolderNamed(const std::string& dir);

// Why `folder` may not take files of `kind` ("report"): it is a file, or holds something and no list of this kind. Empty: it may.
std::string WhyNotOwned(const std::filesystem::path& folder, std::string_view kind);

// True where `file` is one that the list of the folder names, so that PutFiles may replace or remove it.
bool OwnsFile(const std::filesystem::path& folder, std::string_view kind, const std::string& file);

// The files of `draft`, a folder beside `folder`, become those of `folder`; files of the older list that the draft lacks go;
// everything else stays. A folder that is new or empty appears in one step; else each file is replaced in one step, and a run
// that is killed between leaves a list that names all that is ours.
// Errors: file_exists where a file that is not listed has a name of ours, nothing is moved then; what the system says.
std::error_code PutFiles(const std::filesystem::path& draft, const std::filesystem::path& folder, std::string_view kind);

}  // namespace normcheck::reference
