// Texts that set variables: files that a shell reads, and files of NAME=value lines. Only plain-text
// assignments are edited, and only that text; anything that only a program could evaluate is refused with the
// reason.
#pragma once

#include <string>

#include "report/change.h"

namespace culprit::apply {

enum class Dialect {
  kShell,  // export NAME=a:"$NAME": sh, bash, zsh
  kPlain,  // NAME=value: --env FILE, .env, systemd's EnvironmentFile, /etc/environment; also split by NUL
};

struct Edited {
  bool sets = false;    // the text sets the variable in a way that matters to the change
  std::string text;     // with the change made; the same where nothing had to be
  size_t line = 0;      // the first one that was changed, from 1
  std::string refusal;  // why it cannot be edited surely: "line 12 sets it among other commands"
  std::string maybe;    // DropFromList: a line that could bring the element, for all the text tells
};

// `change`: SetVariable, UnsetVariable, DropFromList or AddToList. `home` stands for ~ and $HOME.
Edited Edit(const std::string& text, Dialect dialect, const report::Change& change, const std::string& home);
// The text with the change as a line of its own at the end: SetVariable, AddToList.
Edited Append(const std::string& text, Dialect dialect, const report::Change& change);
// "" where the change is not about a variable.
std::string VariableOf(const report::Change& change);

}  // namespace culprit::apply
