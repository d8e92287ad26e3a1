// What a loader did, as lines of text that both sides write in the same form, so that a difference is a
// difference of lines and can be read:
//   search libone.so.1 for <program>          a name that was not loaded yet
//     rpath @/a/libone.so.1                   every candidate with its stage
//     found @/a/libone.so.1                   or "same as PATH" (loaded under another name), or "nothing"
//   dlopen libtwo.so by @/a/libone.so.1
//     opened @/b/libtwo.so                    or "error TEXT"
//   loaded @/a/libone.so.1 via rpath for <program>   at the end, in load order
//   stderr TEXT
//   killed by signal 7
//   trace libone.so.1 => @/a/libone.so.1      what LD_TRACE_LOADED_OBJECTS=1 lists
// The root of the tree is written '@'. Inside a dlopen that fails only names and candidates are compared.
#pragma once

#include <string>
#include <vector>

#include "child.h"
#include "loader/load_graph.h"
#include "tree.h"

namespace culprit::gold {

struct Transcript {
  std::vector<std::string> searches;  // searches and dlopens, in order
  std::vector<std::string> loaded;
  std::vector<std::string> messages;  // stderr and signals, sorted
  std::vector<std::string> trace;
};

struct Call {          // a dlopen that was made
  std::string caller;  // path; "" = the program
  std::string name;
};

struct Truth {
  Transcript transcript;
  std::vector<Call> calls;
  std::string problem;  // not empty: the harness failed, nothing can be compared
};

struct RealLoader {
  LoaderTraits traits;
  std::string audit;  // path of the audit library
};

// Runs the built tree under the real loader.
Truth AskGlibc(const RealLoader& loader, const Tree& tree, const std::string& root);
// The traits of the real loader on this machine; an empty interpreter if they cannot be determined.
LoaderTraits ProbeGlibc(const std::string& program, const std::string& audit, const std::string& directory);

// The list of a run with LD_TRACE_LOADED_OBJECTS=1, without the loader and the vdso.
std::vector<std::string> ReadTrace(const Ran& ran, const std::string& interpreter, const std::string& root);

// The model's answer in the same form.
Transcript FromGraph(const loader::LoadGraph& graph, const Tree& tree, const std::string& root);

// Only what ReadTrace gives. `start` is the name of the program in messages.
std::vector<std::string> TraceOf(const loader::LoadGraph& graph, const std::string& start);

// Lines with '-' (only the real loader) and '+' (only the model); empty if everything is equal.
std::string Difference(const Transcript& real, const Transcript& model);

}  // namespace culprit::gold
