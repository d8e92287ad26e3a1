// How a loader found a file, and what happened to each candidate. Shared by the loader models, the records of
// a run and the reports. The names are part of the JSON contract.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/words.h"

namespace culprit::base {

enum class Via {
  kLoadedBefore,
  kRpath,
  kLdLibraryPath,
  kRunpath,
  kCache,
  kDefault,
  kLdPreload,
  kPath /* name with a directory in it */,
  // Windows
  kExeDir,
  kSystemDir,        // System32, System, Windows
  kEnvironmentPath,  // PATH
  kAddDllDirectory,  // also SetDllDirectory
  kKnownDll,
  kDllDir,  // directory of the DLL that needs it (LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, altered path)
  kCurrentDirectory,
  kApiSet,   // api-ms-win-*: a name for a part of the system, not a file
  kUnknown,  // seen in a running process, not simulated: nobody saw how (observed.h)
};
// "path" is read as kPath.
constexpr std::array<std::string_view, 17> WordsOf(Via) {
  return {"loaded-before", "rpath",   "ld_library_path", "runpath",    "cache",  "default",
          "ld_preload",    "path",    "exe-dir",         "system-dir", "path",   "add_dll_directory",
          "known-dll",     "dll-dir", "current-dir",     "api-set",    "unknown"};
}
constexpr std::string_view Name(Via via) { return Word(via); }

// The result of opening one candidate.
enum class LoadOutcome {
  kFound,
  kMissing,
  kDanglingLink,
  kNotReadable,    // EACCES
  kLinkLoop,       // ELOOP
  kNotADirectory,  // a component of the path is a file
  kNameTooLong,
  kWrongClass,    // skipped
  kWrongMachine,  // skipped
  kEmptyFile,     // ends the load
  kTooShort,      // ends the load
  kNotElf,        // ends the load
  kIsDirectory,   // ends the load
  kBadHeader,     // ends the load
  kTruncated,     // ends the load, usually with SIGBUS
  kUnusable,      // ends the load for another reason; see detail
  kRefused,       // skipped by a rule of the loader (secure mode, NODEFLIB); see detail
  kNotPe,         // Windows: ends the load with 193
  kNotRecorded,   // not in the snapshot
  kIoError,
};
constexpr std::array<std::string_view, 20> WordsOf(LoadOutcome) {
  return {"found",           "missing",         "dangling link",  "not readable",   "link loop",
          "not a directory", "name too long",   "wrong class",    "wrong machine",  "empty file",
          "too short",       "not an ELF file", "is a directory", "bad ELF header", "truncated",
          "unusable",        "refused",         "not a PE file",  "not recorded",   "read error"};
}
constexpr std::string_view Name(LoadOutcome outcome) { return Word(outcome); }

// Whether a library was loaded because another one needs it, or while the program ran.
enum class Opened { kUnknown, kNeeded, kDlopen };
constexpr std::array<std::string_view, 3> WordsOf(Opened) { return {"", "needed", "dlopen"}; }

// "" if nobody saw it.
template <Worded Kind>
std::string_view NameOrNone(const std::optional<Kind>& kind) {
  return kind ? Word(*kind) : std::string_view();
}

}  // namespace culprit::base
