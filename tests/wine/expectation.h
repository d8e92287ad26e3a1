// What the model says about a tree: once as documented for Windows, once as Wine is known to do it. Only the
// second can be compared with Wine. Where the two differ, the difference must be one of those listed in
// docs/windows-loader.md, and is counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "snapshot/file_view.h"
#include "tree.h"

namespace culprit::wine {

enum class Difference {
  kNone,
  kMissingFunction,  // Wine replaces a missing function with a stub
  kForwarder,        // ... also if a forwarder has no target
  kDependencyCode,   // whatever is wrong with a dependency, Wine says 126
  kKnownDll,         // Wine searches for known DLLs like for any other
  kSecondModule,     // if two modules have the same name, Wine gives the one that it looked up last
  kUnexplained,
};
constexpr size_t kDifferences = 7;
const char* Words(Difference difference);

// How one load, or one program, ends.
struct Ending {
  uint32_t code = 0;                 // of GetLastError(), or the exit code of the program; 0 = success
  std::string path;                  // folded: the file of the module
  std::vector<std::string> modules;  // folded and sorted: all loaded files of the tree; not compared
                                     // after a failure (see docs)
  bool operator==(const Ending&) const = default;
};

struct Expected {
  Ending windows;  // as documented
  Ending wine;
  Difference difference = Difference::kNone;
  bool consequence = false;    // of an earlier one in the same tree
  bool in_dependency = false;  // it fails, and not because of the requested DLL itself
  // What Wine must not find: {path of a DLL, function}, the reason for a code 127 on Windows.
  std::vector<std::pair<std::string, std::string>> missing_functions;
};

// One per load or program of the tree, up to and including the first that fails under Wine: there, modules of
// a failed load stay loaded, so what follows cannot be compared.
std::vector<Expected> Expect(const Tree& tree, snapshot::FileView& view);

}  // namespace culprit::wine
