// What the writers of commands share: the packages of a plan by what installs them, and the spelling of a
// command for the system on which it is typed.
#pragma once

#include <string>
#include <vector>

#include "plan/commands/commands.h"

namespace culprit::plan {

using report::Command;
using report::Plain;
using report::Word;

// Packages that one command of pip can install: those of one index.
struct PipGroup {
  report::Channel channel;
  std::vector<const report::PlannedPackage*> packages;
};

struct Parts {
  const report::PlannedPackage* driver =
      nullptr;  // that is to be installed; nullptr: it stays, or none is asked for
  const report::PlannedPackage* toolkit = nullptr;
  const report::PlannedPackage* cudnn = nullptr;  // of the system; that of pip is in `pip`
  std::string python;                             // "3.11"; "" = any
  std::vector<PipGroup> pip;                      // other indexes first: what they bring satisfies the rest
  std::vector<const report::PlannedPackage*> removed;
  std::vector<const report::PlannedPackage*> built;  // where they are installed
  std::vector<const report::PassedThrough*> passed;  // for pip
  std::vector<const report::PassedThrough*> conda;   // for conda

  bool HasPip() const { return !pip.empty() || !passed.empty() || !built.empty(); }
};
// `fresh`: into a new environment, where nothing is present.
Parts PartsOf(const report::Plan& plan, bool fresh);

// "torch==2.4.1+cu118", "tensorflow[and-cuda]==2.16.1"
std::string Pinned(const report::PlannedPackage& package);
// The same as a word of a command.
Command PinnedWord(const report::PlannedPackage& package);

// What pip is given for a requirement that is passed through, with a space before it: " -e .". Empty if it
// has no spelling that every shell of the machine reads as it is.
Command PassedWord(const report::PassedThrough& passed, bool windows);
// The options of a project's files for it, with a space before each.
Command PassedOptions(const Question& question);
// All requirements that are passed through, with their options, and what keeps pip from replacing the
// packages of other indexes. Empty if there are none.
Command PassedWords(const Parts& parts, const Question& question);

// Says what only conda can install.
void NoteConda(const Parts& parts, report::Plan& plan);

// The interpreter of an environment.
Command PythonOf(const std::string& environment, bool windows);
// The options of pip by which it finds the packages of a channel; none for those of PyPI.
Command IndexOptions(const PipGroup& group, bool uv);

// What the packages of a channel need and it does not hold: the feeds of ONNX Runtime hold nothing else
// (onnxruntime.ai/docs/install names these to be installed before). Empty for other channels.
Command NeededBefore(const PipGroup& group);

// ---- packages that are built where they are installed

// What to install before them, with a space before each: " ninja packaging".
Command BuildTools(const Parts& parts);
// "NAME=VALUE" for the command of a package.
std::vector<std::string> BuildVariables(const report::PlannedPackage& package, const report::Plan& plan,
                                        const Question& question);
// What `pip install` is given for it, with a space before: " --no-build-isolation flash-attn==2.8.3".
Command BuildWords(const report::PlannedPackage& package);
// "nvcc 12.8 needs gcc and g++, up to 14"
std::string CompilerWords(const report::Plan& plan, bool windows);
// `install`: "pip install" with its options.
void AddBuilds(report::Plan& plan, const Parts& parts, const Question& question, const Command& install);

// ---- the steps; a step without need is not added

// How to remove an old driver, toolkit or system cuDNN.
void AddDriverRemoval(report::Plan& plan, const Question& question);
void AddToolkitRemoval(report::Plan& plan, const Parts& parts, const Question& question);
void AddCudnnRemoval(report::Plan& plan, const Parts& parts, const Question& question);
void AddDriver(report::Plan& plan, const Parts& parts, const Question& question);
void AddSystemLibraries(report::Plan& plan, const Parts& parts, const Question& question);
void AddPip(report::Plan& plan, const Parts& parts, const Question& question, const Place& place, bool uv);
void AddLibraryPath(report::Plan& plan, const std::string& environment, const Question& question,
                    const std::string& python);
void AddVerification(report::Plan& plan, const std::string& environment, const Question& question);

// CUDA and cuDNN of a plan as conda-forge calls them: "cudatoolkit=11.2"; empty where a plan has none, or
// conda-forge has not that release.
std::vector<std::string> CondaCuda(const report::Plan& plan, const Question& question);

// ---- the files

void WriteConda(report::Plan& plan, const Question& question);
void WriteDockerfile(report::Plan& plan, const Question& question);
void WriteCmake(report::Plan& plan, const Question& question);
void WriteRequirements(report::Plan& plan, const Question& question);
// Lines that say what a file is for and how old the knowledge is, as comments.
std::string FileHeader(const report::Plan& plan);

}  // namespace culprit::plan
