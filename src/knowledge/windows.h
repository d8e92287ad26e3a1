// data/windows.toml: what belongs to Windows itself. If a tree has no Windows directory, culprit assumes the
// DLLs that every Windows 10 and later has, but never redistributables.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace culprit::knowledge {

// Names are compared case-insensitively, with or without ".dll".
bool IsWindowsDll(std::string_view name);  // ships with Windows 10 and later: "kernel32.dll", "ucrtbase.dll"
bool IsKnownDll(
    std::string_view name);  // in KnownDLLs of a standard installation, or a dependency of one that is
bool IsDriverDll(std::string_view name);  // comes with a GPU driver: "nvcuda.dll", "vulkan-1.dll"
bool IsApiSet(std::string_view name);     // "api-ms-win-core-file-l1-1-0.dll", "ext-ms-..."

// "3.11" for "python311.dll"; "" for python3.dll and every other name.
std::string PythonOfDll(std::string_view name);

// Names in lower case, sorted, one list per source.
struct DllNames {
  std::span<const std::string_view> names;
  std::string_view source;
};
std::span<const DllNames> WindowsDlls();
std::span<const DllNames> KnownDlls();
std::span<const DllNames> DriverDlls();

struct ApiSetPrefix {
  std::string_view prefix;
  std::string_view source;
};
std::span<const ApiSetPrefix> ApiSetPrefixes();

enum class RedistributableKind {
  kOther,
  kVisualCpp,  // the Visual C++ runtime of any year
  kFeature,    // belongs to Windows, but not to every edition: IsWindowsDll is true for it
};

// A DLL that programs bundle or an installer puts into System32.
struct Redistributable {
  std::string_view dll;  // "vcruntime140_1.dll", "zlibwapi.dll"
  RedistributableKind kind;
  std::string_view package;  // "Microsoft Visual C++ v14 Redistributable (x64)"
  std::string_view fix;      // what to install, one line
  std::string_view source;
};
const Redistributable* FindRedistributable(std::string_view dll);
std::span<const Redistributable> Redistributables();

// The oldest version of a DLL that works with the binaries of a framework. With an older one, the file is
// found but the load still fails (1114).
struct RuntimeFloor {
  std::string_view framework;
  std::string_view since;    // first version of the framework that needs it
  std::string_view until;    // first version that no longer does; "" = all later ones do
  std::string_view dll;      // "msvcp140.dll"
  std::string_view version;  // "14.40"
  std::string_view effect;   // what is printed
  std::string_view source;
};
std::span<const RuntimeFloor> RuntimeFloors();
// For "torch", "2.9.0+cu128" and "MSVCP140.dll"; nullptr if unknown.
const RuntimeFloor* FindRuntimeFloor(std::string_view framework, std::string_view version,
                                     std::string_view dll);

}  // namespace culprit::knowledge
