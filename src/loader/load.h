// The question for a loader model, and the entry point to the models: Windows by the snapshot's platform,
// glibc or musl by the target's interpreter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader/load_graph.h"
#include "snapshot/snapshot.h"

namespace culprit::loader {

// dlopen(name) after start-up. `from` is the object whose code makes the call: "" for the program itself,
// otherwise a name, soname or path of something loaded.
struct DlopenCall {
  std::string name;
  std::string from;
  uint32_t flags = 0;  // for LoadLibraryEx (loader/windows/windows.h)
};

// One step of importing a framework: a dlopen by the file names of its package. `names` are tried in order
// until one opens. Steps come from data/imports.toml (imports.h).
struct ImportStep {
  enum class When { kAlways, kFailed, kOpened };
  enum class Action {
    kOpen,
    kAddDllDirectory,  // Windows: os.add_dll_directory of each of `names` that exists
    kPrependPath,      // Windows: PATH = `names` + PATH
  };

  Action action = Action::kOpen;
  uint32_t flags = 0;  // for LoadLibraryEx

  std::vector<std::string> names;  // paths or bare names; empty = there is no such file
  std::string from;                // as in DlopenCall
  bool optional = false;           // the import continues if none opens
  std::string label;               // name that a later step uses for this one
  std::string after;               // the step that `when` refers to
  When when = When::kAlways;
  std::vector<std::string>
      texts;           // kFailed: errors with one of these are tolerated; any other ends the import
  std::string loaded;  // only if a path with this text is loaded
  std::string wanted;  // if names is empty: what was looked for
};

struct Question {
  std::string target;           // absolute path of a program or library; "" = a program without run paths
  std::string target_as_given;  // how messages name it; empty = target
  // For a target without PT_INTERP: the loader to assume. On Windows: the program of the process, if that is
  // not the target itself (a DLL; python.exe of a virtual environment).
  std::string interpreter;
  std::vector<ImportStep> imports;  // right after start-up
  bool known_dlopens = true;        // then follow the edges of data/libraries.toml
  bool names_inside = false;      // before those, what the strings of the files tell (FileView::NamesInside)
  std::vector<DlopenCall> calls;  // after all of these
  bool goes_on = false;           // Windows: process the calls even if the program does not start
  bool symbols = true;            // false: somebody calls CompareSymbols later
};

// Pure: uses only `view`. The snapshot must have the facts of the interpreter.
LoadGraph Load(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const Question& question);

// Adds the symbols that an object of a Linux process requires and that no other one has. Asks `view` for
// symbols only.
void CompareSymbols(LoadGraph& graph, snapshot::FileView& view);

// The one thing of the host that loading depends on: the libraries of an assumed driver are taken to be
// there.
bool TakesDriverAsThere(const snapshot::Snapshot& snapshot);

}  // namespace culprit::loader
