// Libraries that a process asks for and does not get, each with the one reason that explains it. Several
// rules share this list and each speaks for its own reasons, so one broken thing gives one finding.
//
// Left out: what the caller survives without (unless a file is there and damaged), names of which another one
// speaks for the same call, and libraries of the driver, which have rules of their own.
#pragma once

#include <string>
#include <vector>

#include "knowledge/libraries.h"
#include "knowledge/windows.h"
#include "loader/library_copies.h"
#include "rules/rule.h"

namespace culprit::rules {

enum class Why {
  kUncertain,       // the snapshot does not know enough
  kBelow,           // the file was found; what is missing is something that it needs, which has its own entry
  kVersionMissing,  // the file was found; a symbol version is not there (version_misses.h)
  kFunctionMissing,  // Windows: the files were found; one lacks a function that another one needs
  kEmptyFile,        // file decides
  kTruncated,        // file decides
  kNotALibrary,      // file decides
  kExecutableStack,  // file decides
  kUnusable,         // file decides: a directory, a bad header ...
  kDanglingLink,     // a link of that name on the way leads nowhere
  kLinkLoop,
  kNotReadable,
  kWrongBits,  // files of that name were passed over
  kWrongCpu,
  kStaleCache,  // ld.so.cache names a file that is gone
  kNotCached,   // it lies in a directory of ld.so.cache, but ldconfig has not run since
  kElsewhere,   // it is on the machine, where nobody looks
  kOtherMajor,  // other generations of it are on the machine
  kNowhere,
  kLinkMissing,  // it is where the search looks, under its number alone: the link of that name is missing
};

// A file of that name is there and cannot be used. What can do without a library is not harmed by its
// absence, but by this.
bool IsDamage(Why why);

struct FailedLoad {
  const loader::Scenario* scenario = nullptr;
  const loader::Request* request = nullptr;
  const knowledge::Library* library = nullptr;                  // nullptr when it is no CUDA library
  const knowledge::Redistributable* redistributable = nullptr;  // Windows: the VC++ runtime, zlibwapi
  std::string asker;                                            // path of the file that asks
  Why why = Why::kNowhere;
  std::string file;                         // the file that decides, or the directory that holds it; "" none
  std::vector<loader::LibraryCopy> copies;  // kElsewhere: of that name; kOtherMajor: of the other ones

  std::vector<std::string> unlisted;  // directories that could not be looked into for copies

  bool IsCudnn() const { return library != nullptr && library->family == "cudnn"; }
  // A library that is no part of CUDA, without which the import of a framework ends: CUL6002 speaks for it.
  bool EndsImport() const {
    return library == nullptr && redistributable == nullptr && !scenario->graph.import_error.empty() &&
           (why == Why::kNowhere || why == Why::kElsewhere || why == Why::kDanglingLink);
  }
  // libcudnn.so.N, that programs ask for, and not one of the parts that it opens.
  bool IsCudnnShim() const { return IsCudnn() && library->name == "cudnn"; }
};

// The row of a DLL that CUL5021 (zlibwapi.dll) or CUL5022 (the Visual C++ runtime) speaks for; nullptr for
// others.
const knowledge::Redistributable* FindRuntime(const Scene& scene, std::string_view name);

// Worked out at the first call for a scene.
const std::vector<FailedLoad>& FailedLoads(const Scene& scene);

// A finding about it, with whom it hits, who asks, and the loader's words. The summary and the fix are the
// rule's.
report::Finding& Fire(Ruling& ruling, const FailedLoad& failed, std::string summary, std::string subject);

// Notes what could not be told for lack of facts.
void NoteUncertain(const Scene& scene, Ruling& ruling);

}  // namespace culprit::rules
