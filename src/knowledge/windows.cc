#include "knowledge/windows.h"

#include <algorithm>
#include <string>

#include "base/version.h"
#include "base/windows/path.h"

namespace culprit::knowledge {
namespace {

// "KERNEL32" -> "kernel32.dll", as in the tables. Only a printer driver (.drv) has another extension.
std::string TableName(std::string_view name) {
  std::string lower = base::FoldCase(name);
  if (!lower.ends_with(".dll") && !lower.ends_with(".drv")) lower += ".dll";
  return lower;
}

bool Stands(std::span<const DllNames> rows, std::string_view name) {
  const std::string wanted = TableName(name);
  return std::ranges::any_of(rows, [&](const DllNames& row) {
    return std::ranges::binary_search(row.names, std::string_view(wanted));
  });
}

}  // namespace

bool IsWindowsDll(std::string_view name) { return Stands(WindowsDlls(), name); }

bool IsKnownDll(std::string_view name) { return Stands(KnownDlls(), name); }

bool IsDriverDll(std::string_view name) { return Stands(DriverDlls(), name); }

bool IsApiSet(std::string_view name) {
  const std::string wanted = base::FoldCase(name);
  return std::ranges::any_of(ApiSetPrefixes(),
                             [&](const ApiSetPrefix& row) { return wanted.starts_with(row.prefix); });
}

const Redistributable* FindRedistributable(std::string_view dll) {
  const std::string wanted = TableName(dll);
  const auto rows = Redistributables();
  const auto at = std::ranges::find(rows, wanted, &Redistributable::dll);
  return at == rows.end() ? nullptr : &*at;
}

const RuntimeFloor* FindRuntimeFloor(std::string_view framework, std::string_view version,
                                     std::string_view dll) {
  version = version.substr(0, version.find_first_not_of("0123456789."));  // 2.9.0+cu128
  while (version.ends_with('.')) version.remove_suffix(1);
  const auto own = base::Version::Parse(version);
  if (!own) return nullptr;
  const auto rows = RuntimeFloors();
  const auto at = std::ranges::find_if(rows, [&](const RuntimeFloor& row) {
    return row.framework == framework && base::SameName(row.dll, dll) &&
           *own >= *base::Version::Parse(row.since) &&
           (row.until.empty() || *own < *base::Version::Parse(row.until));
  });
  return at == rows.end() ? nullptr : &*at;
}

std::string PythonOfDll(std::string_view name) {
  const std::string folded = base::FoldCase(name);
  constexpr std::string_view kStart = "python3", kEnd = ".dll";
  if (!folded.starts_with(kStart) || !folded.ends_with(kEnd)) return "";
  const std::string minor = folded.substr(kStart.size(), folded.size() - kStart.size() - kEnd.size());
  if (minor.empty() || minor.find_first_not_of("0123456789") != std::string::npos) return "";
  return "3." + minor;
}

}  // namespace culprit::knowledge
