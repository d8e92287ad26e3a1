// Libraries that a process requests but cannot load, each with the one reason that explains it. Several rules
// share this list and each handles its own reasons, so one broken thing gives one finding.
//
// Left out: libraries the caller can do without (unless a file is there and damaged), names that are only
// alternatives in the same call, and driver libraries, which have their own rules.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "knowledge/libraries.h"
#include "knowledge/windows.h"
#include "loader/library_copies.h"
#include "rules/rule.h"

namespace culprit::rules {

enum class Why {
  kUncertain,        // the snapshot lacks facts
  kBelow,            // the file was found; something that it needs is missing, which has its own entry
  kVersionMissing,   // the file was found; a symbol version is missing (version_misses.h)
  kFunctionMissing,  // Windows: the files were found; one lacks a function that another one needs
  kEmptyFile,        // file decides
  kTruncated,        // file decides
  kNotALibrary,      // file decides
  kExecutableStack,  // file decides
  kUnusable,         // file decides: a directory, a bad header ...
  kDanglingLink,     // a dangling symlink of that name
  kLinkLoop,
  kNotReadable,
  kWrongBits,  // files of that name were skipped
  kWrongCpu,
  kStaleCache,  // ld.so.cache names a file that is gone
  kNotCached,   // it is in a directory of ld.so.cache, but ldconfig has not run since
  kElsewhere,   // it is on the machine, in a directory that is not searched
  kOtherMajor,  // other major versions of it are on the machine
  kNowhere,
  kLinkMissing,  // only the fully versioned file is in a searched directory: the symlink is missing
};

// A file of that name is there but unusable. This also breaks programs for which the library is optional.
bool IsDamage(Why why);

struct FailedLoad {
  const loader::Scenario* scenario = nullptr;
  const loader::Request* request = nullptr;
  const knowledge::Library* library = nullptr;                  // nullptr if it is not a CUDA library
  const knowledge::Redistributable* redistributable = nullptr;  // Windows: the VC++ runtime, zlibwapi
  std::string asker;                                            // path of the file that requests it
  Why why = Why::kNowhere;
  std::string file;  // the file that decides, or its directory; "" none
  // kElsewhere, kStaleCache: of that name; kOtherMajor: of the other majors
  std::vector<loader::LibraryCopy> copies;

  std::vector<std::string> unlisted;  // directories that could not be searched for copies
  // The load ended before this request, at another one that fails. Holds the request.
  std::shared_ptr<const loader::LoadGraph> next{};

  bool IsCudnn() const { return library != nullptr && library->family == "cudnn"; }
  // A library outside CUDA without which a framework's import fails: CUL6002 reports it.
  bool EndsImport() const {
    return library == nullptr && redistributable == nullptr && !scenario->graph.import_error.empty() &&
           (why == Why::kNowhere || why == Why::kElsewhere || why == Why::kDanglingLink);
  }
  // libcudnn.so.N, which programs request, and not one of its sub-libraries.
  bool IsCudnnShim() const { return IsCudnn() && library->name == "cudnn"; }
};

// The row of a DLL that CUL5021 (zlibwapi.dll) or CUL5022 (the Visual C++ runtime) reports; nullptr for
// others.
const knowledge::Redistributable* FindRuntime(const Scene& scene, std::string_view name);

// Computed on the first call for a scene.
const std::vector<FailedLoad>& FailedLoads(const Scene& scene);

// Who requests the library, and how that is known.
report::Evidence WhoOpens(const FailedLoad& failed);

// Adds a finding with what it affects, who requests the library, and the loader's message. The rule provides
// the summary and the fix. A load that only strings tell is a warning, unless it is the program's only way to
// CUDA.
report::Finding& Fire(Ruling& ruling, const FailedLoad& failed, std::string summary, std::string subject,
                      std::vector<std::string> about = {});

// Notes what could not be decided for lack of facts.
void NoteUncertain(const Scene& scene, Ruling& ruling);

}  // namespace culprit::rules
