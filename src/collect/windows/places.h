// Paths from the environment and the registry of a Windows machine, in the inside spelling
// (base/windows/path.h), and the directories that may contain CUDA DLLs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collect/environment.h"
#include "collect/stack.h"
#include "snapshot/file_view.h"

namespace culprit::collect {

// The directory that a variable names; "" if it is not set or empty.
std::string DirectoryVariable(const Surroundings& around, const std::string& name);
// "C:\a;"D:\b c"" -> {"/C:/a", "/D:/b c"}. Empty elements are dropped; one without a drive counts from
// `working_directory`.
std::vector<std::string> PathElements(std::string_view list, std::string_view working_directory);
// "%SystemRoot%\x" -> "C:\Windows\x"; a variable that is not set stays as it is written, as in Windows.
std::string ExpandVariables(std::string_view text, const Variables& variables);

// "/C:/Windows", or what SystemRoot and WINDIR say.
std::string WindowsDirectory(const Variables& variables);
// "/C:/Program Files", by ProgramFiles, ProgramW6432 or the usual name.
std::string ProgramFiles(const Variables& variables);
// Home directories: the one of USERPROFILE, or with --root, where the environment is unknown, each one in
// /C:/Users.
std::vector<std::string> UserDirectories(const Surroundings& around);

// Directories that may contain CUDA DLLs: those of the given programs, PATH, the usual ones from
// data/libraries.toml, those that CUDA_PATH and similar variables name, Python environments. Existing
// directories, each once, under the first name found. Includes PATH from the registry, which may name a copy
// that this process does not see.
std::vector<std::string> DllPlaces(const Surroundings& around,
                                   std::span<const snapshot::PythonEnvironment> environments,
                                   snapshot::FileView& view);

// HKLM/SOFTWARE/..., values by name whatever its case; "" when the key or the value is not there.
std::string RegistryText(const system::System& system, const std::string& key, std::string_view value);
// The same for a key that was already read.
std::string RegistryValue(const system::RegistryKey& key, std::string_view value);

}  // namespace culprit::collect
