// data/causes.toml: the causes. data/explain/*.toml: what symptoms (signatures.h) imply about them. A story
// is one cause of a condition, [[symptom.when]].
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "knowledge/messages/signatures.h"

namespace culprit::knowledge {

struct Cause {
  std::string_view slug;   // from the closed list of causes
  std::string_view title;  // in one sentence
  std::string_view check;  // how to tell it from similar causes
  std::string_view fix;
  std::string_view avoid;          // what not to do
  std::string_view code;           // of the most general rule for it
  std::string_view windows_check;  // the same for logs of Windows; "" = use check
  std::string_view windows_fix;
  bool on_linux;  // Windows has no such thing
};
std::span<const Cause> Causes();
// nullptr if there is no such slug.
const Cause* FindCause(std::string_view slug);

// What to tell about a cause. {library} stands for an attribute of the symptom. "" = use the text of the
// cause.
struct Advice {
  std::string_view name;
  std::string_view says, because, check, fix;
  std::span<const std::string_view> commands;
  std::string_view avoid;
  std::string_view code;  // of the rule for it
  bool on_linux;  // check, fix, commands and avoid are for Linux; a log of Windows gets those of the cause
};
std::span<const Advice> Advices();

struct Story {
  std::string_view cause;
  std::string_view symptom;
  std::span<const std::string_view> where;  // "family=cudnn,cudnn-part": attributes of the symptom
  std::span<const std::string_view> with;   // "lists-library major=9", "!context-wsl": the rest of the log
  int32_t weight;                           // -100 to 100; negative values are evidence against the cause
  const Advice* advice;                     // nullptr = none
};
std::span<const Story> Stories();

}  // namespace culprit::knowledge
