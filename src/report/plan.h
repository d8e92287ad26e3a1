// The result of `culprit plan`: versions that work together with the reason for each, and the commands in
// order; or why there is no solution and what works instead.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
#include "report/finding.h"
#include "report/origin.h"

namespace culprit::report {

struct Bound {
  std::string text;    // "CUDA 12.4 needs driver >= 525.60.13; this host has 550.54.14"
  std::string source;  // of the row that says so
  // What one package pins of another, "nvidia-nccl-cu12==2.21.5": listed with both packages.
  std::string asks_for{}, asked_for{};
  bool operator==(const Bound&) const = default;
};

enum class PackageRole { kNone, kDriver, kToolkit, kCudnn, kPython, kFramework, kCompanion, kLibrary };
constexpr std::array<std::string_view, 8> WordsOf(PackageRole) {
  return {"", "driver", "toolkit", "cudnn", "python", "framework", "companion", "library"};
}

// Where a package comes from.
enum class ChannelKind {
  kUnknown,
  kHost,
  kPypi,
  kIndex,       // an index in place of PyPI
  kTorchIndex,  // PyTorch's: its versions end in "+cu118"
  kFeed,        // an index with one package and nothing that it needs: ONNX Runtime's
  kPage,        // a page of links to wheels
  kNvidiaApt,
  kNvidiaInstaller
};
constexpr std::array<std::string_view, 9> WordsOf(ChannelKind) {
  return {"", "host", "pypi", "", "", "", "", "nvidia-apt", "nvidia-installer"};
}
struct Channel {
  Channel(ChannelKind of = ChannelKind::kUnknown, std::string at = {}) : kind(of), address(std::move(at)) {}

  ChannelKind kind;
  std::string address;  // of an index, feed or page

  // A page of links to wheels: also what PyTorch had before it had an index for each CUDA.
  bool IsPage() const { return kind == ChannelKind::kPage || address.ends_with(".html"); }
  bool OfPip() const { return kind >= ChannelKind::kPypi && kind <= ChannelKind::kPage; }
  bool OfNvidia() const { return kind >= ChannelKind::kNvidiaApt; }
  // "pypi", "https://download.pytorch.org/whl/cu118": a word of the JSON contract.
  std::string text() const { return address.empty() ? std::string(base::Word(kind)) : address; }
  bool operator==(const Channel&) const = default;
};

struct PlannedPackage {
  std::string
      name;  // as its channel calls it: "torch", "nvidia-cudnn-cu12", "driver", "python", "cuda-toolkit"
  std::string version;  // "2.4.1+cu118"; of a driver a lower bound where none is here
  Channel channel;
  PackageRole role = PackageRole::kNone;
  std::string range{};       // what pip may choose from, "<=2.4.6"; "" = this version alone
  std::string extra;         // "and-cuda": the part in brackets
  bool wanted = false;       // the user asked for it
  bool present = false;      // already installed, and stays
  bool from_source = false;  // built where it is installed
  std::string was;           // the version that it replaces; "" = new
  std::vector<Bound> because;
  bool operator==(const PlannedPackage&) const = default;
};

// One of several ways to do a step; the reader knows which one is right.
struct PlanChoice {
  std::string how;  // "NVIDIA's .run file (/usr/bin/nvidia-uninstall exists)"
  std::vector<Command> commands;
  std::string stays;  // what is left alone
  std::string source;
  bool operator==(const PlanChoice&) const = default;
};

enum class RequirementKind {
  kNamed,    // "numpy<2"
  kAddress,  // "pkg @ https://...", "git+https://..."
  kPath,     // "./wheels/x.whl", "."
  kConda     // a package of conda's channels: "ffmpeg=6"
};
constexpr std::array<std::string_view, 4> WordsOf(RequirementKind) {
  return {"named", "address", "path", "conda"};
}

// A requirement that the tables do not know: nothing is decided about it, and it is installed as it is
// written.
struct PassedThrough {
  std::string name{};       // normalised; "" if it has none
  std::string specifier{};  // "<2"
  std::string text{};       // as an installer reads it: "numpy<2; python_version < '3.13'"
  RequirementKind kind = RequirementKind::kNamed;
  bool editable = false;
  Origin origin{};
  // The package of the tables that may use the GPU and of which they do not have this release; "" = they do
  // not know the package, or nothing of a GPU depends on it.
  std::string unlisted_of{};
  bool operator==(const PassedThrough&) const = default;
};

struct PlanStep {
  std::string title;  // "remove", "driver", "toolkit", "cuDNN", "environment", "install", "verify"
  std::string why;
  std::vector<Command> commands;
  std::vector<PlanChoice> choices{};
  bool operator==(const PlanStep&) const = default;
};

// A line of the explanation; `depth` indents it below the one that it explains.
struct ConflictLine {
  std::string text;
  std::string source;
  size_t depth = 0;
  bool operator==(const ConflictLine&) const = default;
};

struct Relaxation {
  std::string text;    // "works with driver >= 525.60.13"
  std::string option;  // what to type: "--allow driver-upgrade", "--python 3.11", "torch==2.0.1"
  std::vector<PlannedPackage> gives;  // the requested packages in that solution
  bool operator==(const Relaxation&) const = default;
};

struct Plan {
  enum class Outcome { kSolution, kUnsolvable };
  Outcome outcome = Outcome::kUnsolvable;
  std::string headline;
  std::vector<std::string>
      question;  // the question in words: "torch", "driver 470.82", "GPU sm_37", "Python 3.9"
  std::vector<PlannedPackage>
      packages;  // driver, toolkit, cuDNN, Python, frameworks, libraries: in that order
  std::vector<PlannedPackage> removed;  // installed packages to remove; `version` is the installed one
  std::vector<PassedThrough> passed_through;
  std::vector<PlanStep> steps;
  std::string document;                   // --as dockerfile, conda, cmake: the file, instead of commands
  std::vector<std::string> requirements;  // unsolvable: the smallest set that conflicts
  std::vector<ConflictLine> conflict;     // ... and why
  std::vector<std::string> code_unknown;  // wanted packages whose GPU code no table tells
  std::vector<std::string> unlisted;      // requirements whose release no table has: could not tell
  bool uncertain = false;                 // something that was asked could not be told
  std::vector<Relaxation> relaxations;    // nearest first; also where something is unlisted
  std::vector<std::string> notes;         // newer releases that are not known well enough, isolation ...
  std::string knowledge_date;             // "2026-11-15"
  bool checked = false;                   // the rules of check ran on the planned machine
  std::vector<Finding> findings;          // what they found (errors and warnings)
  std::vector<NotChecked> not_checked;
};
std::string_view Name(Plan::Outcome outcome);  // "solution", "unsolvable"

}  // namespace culprit::report
