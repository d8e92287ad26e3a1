// The question put to a loader model, and the door to the models: Windows by the snapshot's platform,
// glibc or musl by the target's interpreter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader/load_graph.h"
#include "snapshot/snapshot.h"

namespace culprit::loader {

// dlopen(name) after start-up. `from` is the object whose code calls: "" for the program itself, otherwise a
// name, soname or path of something loaded.
struct DlopenCall {
  std::string name;
  std::string from;
  uint32_t flags = 0;  // of LoadLibraryEx (loader/windows.h)
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
  uint32_t flags = 0;  // of LoadLibraryEx

  std::vector<std::string> names;  // paths or bare names; empty = there is no such file
  std::string from;                // as in DlopenCall
  bool optional = false;           // the import goes on when none opens
  bool costs_gpu = false;          // and the framework does without the GPU then
  std::string label;               // by which a later step speaks of this one
  std::string after;               // the step that `when` is about
  When when = When::kAlways;
  std::vector<std::string> texts;  // kFailed: errors with one of these are mended; another ends the import
  std::string loaded;              // only when a path with this text is loaded
  std::string wanted;              // where names is empty: what was looked for
};

struct Question {
  std::string target;           // absolute path of a program or library; "" = a program without run paths
  std::string target_as_given;  // how messages name it; empty = target
  // For a target without PT_INTERP: the loader to assume. On Windows: the program whose process it is, when
  // that is not the target itself (a DLL; python.exe of a virtual environment).
  std::string interpreter;
  std::vector<ImportStep> imports;  // right after start-up
  bool known_dlopens = true;        // then follow the edges of data/libraries.toml
  std::vector<DlopenCall> calls;    // after those
  bool goes_on = false;             // Windows: the calls are answered though the program does not start
};

// Pure: asks `view` and nothing else. The snapshot must hold the facts of the interpreter.
LoadGraph Load(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const Question& question);

}  // namespace culprit::loader
