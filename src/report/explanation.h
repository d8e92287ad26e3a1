// What `culprit explain` says of a log: the causes best first, each with the lines that show it, the check
// that separates it from its neighbours and the fix; and the lines that look bad and are not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/status_page.h"

namespace culprit::report {

struct LogLine {
  std::string file;   // "" = there is only one input
  uint64_t line = 0;  // from 1
  std::string text;
  uint64_t count = 1;    // how often
  bool watched = false;  // no text of the program: culprit saw it happen
  bool operator==(const LogLine&) const = default;
};

struct LikelyCause {
  std::string cause;      // slug of the closed list of causes
  std::string code;       // "CUL3004"; "" = no rule of check is about it
  double confidence = 0;  // 0 to 1
  std::string summary;    // the cause in one sentence
  std::string because;    // why this one and not its neighbours
  std::vector<LogLine> evidence;
  std::vector<std::string> known;    // what the tables add: "sm_120 is compiled by CUDA 12.8 and newer"
  std::vector<std::string> settled;  // what the facts of a machine say for or against it
  std::string separate_by;           // what to run to be sure
  std::string fix;
  std::vector<std::string> commands;
  std::string avoid;  // what not to do
};

struct SeenSymptom {
  std::string symptom;    // "library-not-found"
  std::string signature;  // "glibc-cannot-open"
  std::string role;       // "failure", "consequence", "context", "harmless"
  bool harmless = false;
  std::string note;  // harmless: why
  LogLine where;
  std::map<std::string, std::string> captures;
};

struct LogInput {
  std::string name;  // path, or "-" for standard input
  uint64_t lines = 0;
  bool watched = false;  // what culprit saw itself
};

struct Explanation {
  std::vector<LogInput> inputs;
  std::vector<StatusPage> pages;       // where a code was asked for
  std::vector<LikelyCause> causes;     // best first; empty = the text shows no such failure
  std::vector<SeenSymptom> symptoms;   // in the order of the log
  std::vector<LogLine> first_failure;  // the lines that come first; what follows, follows from them
  bool with_facts = false;             // a machine's facts took part
  bool windows = false;                // and it is one with Windows
};

}  // namespace culprit::report
