// What `culprit why` says, as plain values: the engine and the features fill them, render/ writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/loading.h"

namespace culprit::report {

// One place that was looked at.
struct Place {
  std::string path;
  std::optional<base::Via> via;              // nullopt: nobody saw how
  std::optional<base::LoadOutcome> outcome;  // nullopt: not looked at
  std::string detail;  // more words: the loader's own, or whose run path named the directory
  std::string origin;  // file whose RPATH or RUNPATH it was
};

// Windows: a function that the DLL which was found does not have.
struct MissingFunction {
  std::string function;
  std::string dll;       // path
  std::string importer;  // path of the one that needs it
};

struct LibraryVersion {
  std::string version;  // "" = not readable
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
  bool optional = false;   // the requester goes on without it
  bool uncertain = false;  // the snapshot does not know
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
  std::string requested_by;  // path; "" = nothing loaded asks for it, a dlopen by the program is assumed
  base::Opened opened_by = base::Opened::kUnknown;
  std::vector<Place> searched;
  std::vector<std::string> also_requested_by;
  std::vector<Copy> other_copies;
  std::string error;  // the loader's words when it is not found
  uint32_t code = 0;  // Windows: what GetLastError() says
  // Windows says 126 of the library that was asked for; these are the ones that it does not find, however
  // deep.
  std::vector<MissingLibrary> missing;
  std::vector<MissingFunction> missing_functions;  // 127
  std::string target_error;                        // the target itself does not start: why
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
  std::string title;    // "cuDNN", "" for what is no CUDA library
  std::string problem;  // it loads, but not as it should: what is wrong
  bool system = false;  // an ordinary library of the operating system
  size_t parent = 0;    // index into loads plus one; 0 = the target
};

struct LoadEdge {   // every request that was met, for --dot
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
  std::string error;                               // the loader's words when it gives up
  std::vector<std::string> version_errors;         // what it would say next about symbol versions
  std::vector<MissingFunction> missing_functions;  // Windows
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  bool uncertain = false;
};

}  // namespace culprit::report
