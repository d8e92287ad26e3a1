// A finding: what is wrong, the proof, what it affects, and the fix. Rules fill it, renderers read it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/change.h"
#include "report/command.h"
#include "report/origin.h"

namespace culprit::report {

// An error prevents something from working; a warning probably will; a note is worth knowing and needs no
// action.
enum class Severity { kError, kWarning, kNote };
constexpr std::array<std::string_view, 3> WordsOf(Severity) { return {"error", "warning", "note"}; }
inline std::string_view Name(Severity severity) { return base::Word(severity); }

// What a rule is about: the folder it is in, and the first digit of its code.
enum class Family {
  kDriver,
  kVisibility,
  kCudnn,
  kToolkit,
  kLoading,
  kPython,
  kGpuCode,
  kBuilding,
  kLive,  // what only a probe of the running machine shows
  kSite   // a site's own rules (--policy)
};

// How fundamental a finding is. Other problems in the same environment follow from the most fundamental one,
// so that one comes first.
enum class Root {
  kOverwrites,  // packages that overwrite or shadow each other
  kOtherBuild,  // a build for another CUDA major
  kNone
};

struct Evidence {
  std::string fact;    // "libcudnn_graph.so.9 is 9.14.0"
  std::string source;  // file, variable or document that shows it
  std::string step{};  // the probe step that it is about, as rules::StepId() names it; "" if none
  bool operator==(const Evidence&) const = default;
};

// The file in the source of some evidence: "/etc/ld.so.cache", "/proc/driver/nvidia/version (NVRM line)"; ""
// if it does not begin with one.
std::string_view FileOf(std::string_view source);
// The same, also of "DT_NEEDED of /usr/lib/libx.so".
std::string_view FileNamedIn(std::string_view source);
// The variable whose value the evidence is, of "CUDA_HOME=/usr/local/cuda" in the environment; "" for others.
std::string_view VariableOf(const Evidence& evidence);

// What the commands of a fix may break.
enum class Risk { kUnknown, kNone, kLow, kMedium, kHigh };
constexpr std::array<std::string_view, 5> WordsOf(Risk) { return {"", "none", "low", "medium", "high"}; }

// What the rules say of the machine with the changes of a fix laid over it.
struct Proof {
  enum class Outcome {
    kShown,      // the finding is gone and there is no new one
    kNotGone,    // the change does not help
    kBringsNew,  // it helps, but something else breaks
    kNotShown,   // no change is visible in files, or the changed machine cannot be built in memory
  };
  struct Problem {
    std::string code, summary;
    bool operator==(const Problem&) const = default;
  };
  Outcome outcome = Outcome::kNotShown;
  std::string why{};                // kNotShown, kNotGone: the reason
  std::vector<std::string> also{};  // codes of other findings that it also fixes
  std::vector<Problem> brings{};    // new ones

  bool Rejects() const { return outcome == Outcome::kNotGone || outcome == Outcome::kBringsNew; }
  bool operator==(const Proof&) const = default;
};
constexpr std::array<std::string_view, 4> WordsOf(Proof::Outcome) {
  return {"shown", "not-gone", "brings-new", "not-shown"};
}
inline std::string_view Name(Proof::Outcome outcome) { return base::Word(outcome); }

struct Fix {
  std::string text;               // one or two sentences; also what not to do if bad advice is common
  std::vector<Command> commands;  // to paste, in order
  Risk risk = Risk::kUnknown;
  std::vector<Change> changes{};  // what is different afterwards, as far as it can be looked at
  std::optional<Proof> proof{};   // of the changes, where somebody tried
  bool operator==(const Fix&) const = default;
};

// The layer of an image that brought what is wrong, or the instruction on top of it that did (`ENV`).
struct Layer {
  size_t index = 0;            // 1 is the base
  size_t count = 0;            // of the image
  std::string digest;          // "sha256:..."; "" if the image does not say, or for an instruction on top
  std::string created_by;      // as the builder wrote it; "" if the image does not say
  std::string instruction;     // the same as it stands in a Dockerfile
  bool configuration = false;  // it made no layer and stands on top of this one
  bool operator==(const Layer&) const = default;
};

struct Finding {
  std::string code;   // "CUL3004"
  std::string cause;  // slug from the closed list of causes
  Family family = Family::kDriver;
  Root root = Root::kNone;
  bool by_size = false;  // decided by the size of a file, which a stand-in for that file does not have
  Severity severity = Severity::kError;
  std::string summary;               // lower case, no full stop, both sides of a mismatch named
  std::string subject;               // the file, environment or variable that it is about
  std::vector<std::string> about{};  // names that tell it from others of its rule about this subject
  std::vector<std::string> affects;  // frameworks, programs
  std::vector<Evidence> evidence;
  Fix fix;
  std::vector<std::string> links;
  std::optional<Layer> layer{};   // in an image, where it can be told
  std::optional<Origin> place{};  // in a recipe: where a reviewer would put the remark

  bool live() const { return family == Family::kLive; }
  bool has_page() const { return family != Family::kSite; }  // of `culprit explain CODE`
  // Whether both say the same, whatever their words are and whomever it hits.
  bool SaysTheSame(const Finding& other) const {
    return code == other.code && subject == other.subject && about == other.about;
  }
  bool operator==(const Finding&) const = default;
};

struct NotChecked {
  std::string what;
  std::string why;
  // The fact belongs to a host that is out of reach: the host of an image, or Windows outside WSL. It is
  // reported, but the verdict depends only on what could be checked.
  bool of_host = false;
  bool operator==(const NotChecked& other) const { return what == other.what && why == other.why; }
};

}  // namespace culprit::report
