// A finding: what is wrong, the proof, whom it hits, and the fix. Rules fill it, renderers read it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/change.h"

namespace culprit::report {

// An error keeps something from working; a warning will, under circumstances that are likely; a note is worth
// knowing and asks for nothing.
enum class Severity { kError, kWarning, kNote };
std::string_view Name(Severity severity);  // "error", "warning", "note": words of the JSON contract

// What a rule is about: the folder it lies in, and the first digit of its code.
enum class Family {
  kDriver,
  kVisibility,
  kCudnn,
  kToolkit,
  kLoading,
  kPython,
  kGpuCode,
  kBuilding,
  kLive  // what only a probe of the living machine shows
};

// How deep a finding lies. What else is wrong in the same environment comes of the deeper one, which is
// therefore told first.
enum class Root {
  kOverwrites,  // packages that overwrite or shadow each other
  kOtherBuild,  // a build for another CUDA major
  kNone
};

struct Evidence {
  std::string fact;    // "libcudnn_graph.so.9 is 9.14.0"
  std::string source;  // file, variable or document that says so
  std::string step{};  // the step of a probe that it is about, as rules::StepId() names it; "" none
  bool operator==(const Evidence&) const = default;
};

// What the commands of a fix may break.
enum class Risk { kUnknown, kNone, kLow, kMedium, kHigh };
constexpr std::array<std::string_view, 5> WordsOf(Risk) { return {"", "none", "low", "medium", "high"}; }

struct Fix {
  std::string text;                   // one or two sentences; also what not to do where bad advice is common
  std::vector<std::string> commands;  // to paste, in order
  Risk risk = Risk::kUnknown;
  std::vector<Change> changes{};  // what is different afterwards, as far as it can be looked at
  bool operator==(const Fix&) const = default;
};

struct Finding {
  std::string code;   // "CUL3004"
  std::string cause;  // slug of the closed list of causes
  Family family = Family::kDriver;
  Root root = Root::kNone;
  bool by_size = false;  // judged by the size of a file, which a stand-in for that file does not have
  Severity severity = Severity::kError;
  std::string summary;               // lower case, no full stop, both sides of a mismatch named
  std::string subject;               // the file, environment or variable that it is about
  std::vector<std::string> about{};  // names that tell it from others of its rule about this subject
  std::vector<std::string> affects;  // frameworks, programs
  std::vector<Evidence> evidence;
  Fix fix;
  std::vector<std::string> links;

  bool live() const { return family == Family::kLive; }
  // Whether both say the same, whatever their words are and whomever it hits.
  bool SaysTheSame(const Finding& other) const {
    return code == other.code && subject == other.subject && about == other.about;
  }
  bool operator==(const Finding&) const = default;
};

struct NotChecked {
  std::string what;
  std::string why;
  // The fact belongs to a host that this look cannot reach: that of an image, or Windows behind WSL. It is
  // told, but what could be looked at decides the verdict.
  bool of_host = false;
  bool operator==(const NotChecked& other) const { return what == other.what && why == other.why; }
};

}  // namespace culprit::report
