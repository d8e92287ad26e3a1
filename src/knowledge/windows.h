// data/windows.toml: what belongs to Windows itself. DLLs that every Windows 10 and later has are assumed to
// be there when a tree without a Windows directory is looked at; redistributables never are.
#pragma once

#include <span>
#include <string_view>

namespace culprit::knowledge {

// Names are compared without regard to case, with or without ".dll".
bool IsWindowsDll(std::string_view name);  // ships with Windows 10 and later: "kernel32.dll", "ucrtbase.dll"
bool IsKnownDll(std::string_view name);    // in KnownDLLs of a usual installation, or below one that is
bool IsApiSet(std::string_view name);      // "api-ms-win-core-file-l1-1-0.dll", "ext-ms-..."

// Names in lower case and sorted, one list per source.
struct DllNames {
  std::span<const std::string_view> names;
  std::string_view note;
  std::string_view source;
};
std::span<const DllNames> WindowsDlls();
std::span<const DllNames> KnownDlls();

struct ApiSetPrefix {
  std::string_view prefix;
  std::string_view source;
};
std::span<const ApiSetPrefix> ApiSetPrefixes();

// A DLL that programs bring along or an installer puts into System32.
struct Redistributable {
  std::string_view dll;      // "vcruntime140_1.dll", "zlibwapi.dll"
  std::string_view package;  // "Microsoft Visual C++ 2015-2022 Redistributable (x64)"
  std::string_view fix;      // what to install, one line
  std::string_view source;
};
const Redistributable* FindRedistributable(std::string_view dll);
std::span<const Redistributable> Redistributables();

}  // namespace culprit::knowledge
