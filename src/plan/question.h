// The question for `culprit plan`: wanted packages, the host, installed packages, and what may change. Plain
// values; the command line fills them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/platform.h"
#include "base/version.h"
#include "report/plan.h"

namespace culprit::plan {

// "torch", "tensorflow==2.10.*", "jax[cuda12]>=0.4", "cudnn", "cuda".
struct Want {
  std::string name;        // as the tables call it: "torch", "tensorflow", "onnxruntime", "cudnn", "cuda"
  std::string specifiers;  // "==2.10.*"; "" = any
  std::string extra;       // "cuda12"
  std::string text;        // as the user wrote it; of a file with its place: "torch<2.5 (requirements.txt:3)"
  std::string asked{};     // its name on the index: "onnxruntime-gpu"; "" if the user named it otherwise
  std::string variant{};   // of a framework, if the name says it: "cu112" of mxnet-cu112
};
// A normalised name as the tables call it; "" if they do not know it.
std::string TableName(const std::string& name);
// The build of a framework that a name stands for: "cu112" of mxnet-cu112; "" = any.
std::string VariantOfName(const std::string& name);
// Rejects what the tables do not know, with the names that come near.
base::Result<Want> ParseWant(const std::string& text);
// The name that a mistyped one probably means; "" if none comes near.
std::string MeantBy(const std::string& name);

using base::Machine;

struct Host {
  std::optional<base::Version> driver;  // nothing: not known, so the plan says what it needs
  std::vector<base::Version> gpus;      // compute capabilities; empty: not known
  std::optional<base::Version> python;  // "3.9"; nothing: free, `python_here` is preferred
  std::optional<base::Version> python_here;
  std::optional<base::Version> glibc;   // nothing: not known, not judged
  std::vector<base::Version> toolkits;  // of the system
  Machine machine = Machine::kLinuxX86;
  bool wsl = false;
  bool seen = false;  // looked at, not said with --host
};

// Whether the system has a toolkit of this release ("13.0" is that of 13.0.3).
bool IsHere(const Host& host, const base::Version& toolkit);

struct Installed {
  std::string package, version;  // "nvidia-cudnn-cu12", "9.1.0.70"
};

// A bound of a project's files on a package that is installed for another reason: a line of a constraints
// file, requires-python, the index of PyTorch that a file names.
struct Limit {
  std::string package;     // as the tables call it; "python"
  std::string specifiers;  // "<2.5"; "" = any
  std::string variant;     // "cu118"; "" = any build
  std::string words;       // "torch<2.5 (constraints.txt:1)"
  std::string asked{};     // the name on the index that a line bounds
};

// What pip is told for requirements that are passed through.
struct PipOption {
  std::string name;   // "--extra-index-url"
  std::string value;  // "" = none
  bool is_file = false;
};

struct Question {
  std::vector<Want> wants;  // in the order of their weight
  Host host;
  std::optional<base::Version> cuda;  // --cuda 12.4
  std::string cuda_words;             // "CUDA 12.4", or the line of a file that says so
  std::vector<Limit> limits;
  std::vector<Limit> other_limits;  // on packages that the tables do not know
  std::vector<report::PassedThrough> passed_through;
  std::set<std::string> provided;    // packages of the tables that come from an address or a path
  std::set<std::string> overridden;  // packages: what others require of them does not count
  std::vector<PipOption> pip_options;
  std::vector<std::string> channels;  // of conda
  std::vector<std::string> notes;
  std::vector<Installed> installed;  // of the environment that is here
  bool repair = false;               // wants nothing new: the smallest change that makes `installed` fit
  std::vector<std::string> keep;     // --keep torch: its version stays
  bool allow_driver_upgrade = false;
  bool allow_unknown = false;  // builds of which not every bound is known
};

// One requirement of a question, as it is given up to find out what a conflict is about.
struct Requirement {
  enum class Kind { kMachine, kGlibc, kCuda, kKeep, kLimit, kInstalled, kGpu, kPython, kDriver, kWant };
  Kind kind = Kind::kWant;
  size_t index = 0;   // of wants, gpus, keep, installed, limits
  std::string words;  // "torch>=2.1", "driver 470.82", "GPU sm_37", "Python 3.9", "Windows"
};

// Whether there is anything to install or to repair; a file may be empty.
bool AsksForSomething(const Question& question);
// "CUDA 12.4", or the line of the file that asks for it.
std::string AskedCuda(const Question& question);

}  // namespace culprit::plan
