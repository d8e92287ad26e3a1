// What the model says about a tree: once as documented for Windows, once as Wine is known to do it. Only the
// second can be held against Wine; where the two differ, the difference must be one of those listed in
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
  kMissingFunction,  // Wine puts a stub in the place of a function that is not there
  kForwarder,        // ... also where a forwarder leads nowhere
  kDependencyCode,   // whatever is wrong with a dependency, Wine says 126
  kKnownDll,         // Wine searches for known DLLs like for any other
  kSecondModule,     // of two modules with one name, Wine gives the one that it looked at last
  kUnexplained,
};
constexpr size_t kDifferences = 7;
const char* Words(Difference difference);

// How one load, or one program, ends.
struct Ending {
  uint32_t code = 0;                 // of GetLastError(), or the exit code of the program; 0 = good
  std::string path;                  // folded: the file of the module
  std::vector<std::string> modules;  // folded and sorted: all files of the tree that are loaded; after a
                                     // failure not compared (see docs)
  bool operator==(const Ending&) const = default;
};

struct Expected {
  Ending windows;  // as documented
  Ending wine;
  Difference difference = Difference::kNone;
  bool consequence = false;    // of one before in the same tree
  bool in_dependency = false;  // it fails, and not for the DLL that was asked for
  // What Wine must not find: {path of a DLL, function}, the reason for a code 127 of Windows.
  std::vector<std::pair<std::string, std::string>> missing_functions;
};

// One per load or program of the tree, up to and with the first that fails under Wine: what a failed load
// brought in stays loaded there, so what follows cannot be compared.
std::vector<Expected> Expect(const Tree& tree, snapshot::FileView& view);

}  // namespace culprit::wine
