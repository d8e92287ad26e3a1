// The result of `culprit why`, as plain values: the engine and the features fill them, render/ writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/loading.h"

namespace culprit::report {

// One place that was searched.
struct Place {
  std::string path;
  std::optional<base::Via> via;              // nullopt: unknown
  std::optional<base::LoadOutcome> outcome;  // nullopt: not checked
  std::string detail;  // more words: the loader's own, or whose run path contains the directory
  std::string origin;  // file with the RPATH or RUNPATH
};

// Windows: a function that the DLL that was found does not have.
struct MissingFunction {
  std::string function;
  std::string dll;       // path
  std::string importer;  // path of the importing file
};

struct LibraryVersion {
  std::string version;  // "" = unreadable
  std::string cuda;
  std::string source;
};

struct Copy {
  std::string path;
  LibraryVersion version;
  std::string note;  // "32-bit", "for x86-64", "truncated" ...
};

struct MissingLibrary {
  std::string name;
  std::string requested_by;
  base::Opened opened_by = base::Opened::kUnknown;
  std::string error;
  uint32_t code = 0;       // Windows: 126, 193 ...
  bool optional = false;   // the requester works without it
  bool uncertain = false;  // not in the snapshot
  size_t parent = 0;
  std::vector<Place> searched;  // only in `why LIBRARY`
};

// `why LIBRARY`.
struct LibraryAnswer {
  std::string library;
  std::string target;  // "" = any program of the machine
  struct Resolved {
    std::string path;
    std::string real_path;
    base::Via via = base::Via::kUnknown;
    LibraryVersion version;
  };
  std::optional<Resolved> resolved;
  std::string requested_by;  // path; "" = nothing requests it; assumes a dlopen by the program
  base::Opened opened_by = base::Opened::kUnknown;
  std::vector<Place> searched;
  std::vector<std::string> also_requested_by;
  std::vector<Copy> other_copies;
  std::string error;  // the loader's message if it is not found
  uint32_t code = 0;  // Windows: the result of GetLastError()
  // Windows reports 126 for the requested library; these are the ones that are really missing, at any depth.
  std::vector<MissingLibrary> missing;
  std::vector<MissingFunction> missing_functions;  // 127
  std::string target_error;                        // why the target itself does not start
  std::vector<std::string> notes;                  // assumptions and warnings
  bool uncertain = false;                          // not enough facts to be sure
};

// `why --for TARGET`.
struct Load {
  std::string name;
  std::string path;
  std::string real_path;
  std::optional<base::Via> via;
  std::string requested_by;  // path
  base::Opened opened_by = base::Opened::kUnknown;
  LibraryVersion version;
  std::string title;    // "cuDNN"; "" if it is not a CUDA library
  std::string problem;  // what is wrong, if it loads but conflicts
  bool system = false;  // an ordinary library of the operating system
  size_t parent = 0;    // index into loads plus one; 0 = the target
};

struct LoadEdge {   // every satisfied request, for --dot
  size_t from = 0;  // as parent
  size_t to = 0;
  bool dlopen = false;
};

struct LoadAnswer {
  std::string target;
  std::string interpreter;
  LibraryVersion version;
  std::string title;
  std::vector<Load> loads;  // in load order
  std::vector<MissingLibrary> missing;
  std::vector<MissingLibrary> optional_missing;
  std::vector<LoadEdge> edges;
  std::string error;                               // the loader's message if it gives up
  std::vector<std::string> version_errors;         // what it would print next about symbol versions
  std::vector<MissingFunction> missing_functions;  // Windows
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  bool uncertain = false;
};

}  // namespace culprit::report
