// Windows paths. Inside culprit every path looks like "/C:/Windows/System32/nvcuda.dll", so that directories,
// joins and patterns work as on any other machine; users write and read C:\Windows\System32\nvcuda.dll. These
// functions convert between the two spellings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::base {

// "C:\a\b", "c:/a", "\\?\C:\a" -> "/C:/a/b"; "\a" -> "/<drive of working_directory>/a"; "a\b" -> below
// `working_directory` (inside spelling); "\\server\share\a" -> "//server/share/a" kept as
// "/UNC/server/share/a".
// "." and ".." are resolved as text, as Windows does; trailing dots and spaces of components are dropped.
// A path in the inside spelling stays as it is.
std::string FromWindowsPath(std::string_view path, std::string_view working_directory = "/C:");
// "/C:/a/b" -> "C:\a\b"; "/UNC/server/share" -> "\\server\share"; anything else is returned unchanged.
std::string ToWindowsPath(std::string_view path);
bool IsWindowsPath(std::string_view path);  // in the internal spelling
// The directories of a variable such as PATH, in the internal spelling: split at ';', without quotes and
// empty elements.
std::vector<std::string> SplitWindowsPath(std::string_view variable);

// ASCII letters to lower case. Windows folds more than that, but not in the names of DLLs.
std::string FoldCase(std::string_view text);
bool SameName(std::string_view a, std::string_view b);  // equal when folded

}  // namespace culprit::base
