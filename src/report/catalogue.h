// Everything that culprit can find, as one book: the codes of `culprit check`, the closed list of causes, and
// the messages of programs that lead to them.
#pragma once

#include <string>
#include <vector>

#include "report/check.h"
#include "report/explanation.h"

namespace culprit::report {

struct CausePage {
  std::string slug;   // "cudnn-missing"
  std::string title;  // in one sentence
  std::string check, windows_check;
  std::string fix, windows_fix;  // the windows_ ones are "" where they are the same
  std::string avoid;
  std::string code;  // of the most general rule for it; "" = none
};

struct KnownMessage {
  std::string id;                   // of the pattern that knows it, "glibc-cannot-open"
  std::string pattern;              // RE2
  std::string text;                 // an example
  std::vector<LikelyCause> causes;  // as `culprit explain` answers it, most likely first; never empty
};

struct Catalogue {
  std::vector<RulePage> codes;
  std::vector<CausePage> causes;
  std::vector<KnownMessage> messages;
};

}  // namespace culprit::report
