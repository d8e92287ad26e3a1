// The result of `culprit explain` for a log: the causes, most likely first, each with the lines that show it,
// the check that tells it from similar causes, and the fix; and the lines that look bad but are harmless.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/command.h"
#include "report/status_page.h"

namespace culprit::report {

struct LogLine {
  std::string file;   // "" = there is only one input
  uint64_t line = 0;  // from 1
  std::string text;
  uint64_t count = 1;    // number of occurrences
  bool watched = false;  // not text of the program: culprit observed it
  bool operator==(const LogLine&) const = default;
};

// How sure a cause is, in words; docs/first-sight.md has the share of each that was right at first sight.
constexpr std::string_view Strength(double confidence) {
  constexpr double kCertain = 0.9, kLikely = 0.5;
  return confidence >= kCertain ? "certain" : confidence >= kLikely ? "likely" : "possible";
}

struct LikelyCause {
  std::string cause;      // slug from the closed list of causes
  std::string code;       // "CUL3004"; "" = check has no rule for it
  double confidence = 0;  // 0 to 1
  std::string summary;    // the cause in one sentence
  std::string because;    // why this one and not a similar one
  std::vector<LogLine> evidence;
  std::vector<std::string> known;    // what the tables add: "sm_120 is compiled by CUDA 12.8 and newer"
  std::vector<std::string> settled;  // what the facts of a machine say for or against it
  std::string separate_by;           // what to run to confirm it
  std::string fix;
  std::vector<Command> commands;
  std::string avoid;  // what not to do
};

struct SeenSymptom {
  std::string symptom;    // "library-not-found"
  std::string signature;  // "glibc-cannot-open"
  std::string role;       // "failure", "consequence", "context", "harmless"
  bool harmless = false;
  std::string note;  // harmless: the reason
  LogLine where;
  std::map<std::string, std::string> captures;
};

struct LogInput {
  std::string name;  // path, or "-" for standard input
  uint64_t lines = 0;
  bool watched = false;              // observed by culprit itself
  std::vector<LogLine> ends_with{};  // an error that nothing in it explains; at most one
  std::vector<LogLine> mentions{};   // a failure that it only speaks of; at most one
};

struct Explanation {
  std::vector<LogInput> inputs;
  std::vector<StatusPage> pages;       // if the query was a code
  std::vector<LikelyCause> causes;     // most likely first; empty = the text shows no such failure
  std::vector<SeenSymptom> symptoms;   // in log order
  std::vector<LogLine> first_failure;  // the first lines that failed; later failures follow from them
  std::vector<LogLine> unknown;        // no cause, but these errors stand there: could not tell
  std::vector<LogLine> mentioned;      // no cause and no error, but these lines speak of a failure
  std::vector<LikelyCause> near;       // and what they resemble, too weak to be called causes
  bool with_facts = false;             // facts of a machine were used
  bool windows = false;                // and it runs Windows
};

}  // namespace culprit::report
