// What somebody wants with a text, judging by its start: it reports a failure unless its words say otherwise.
#pragma once

#include <string_view>

namespace culprit::logs {

enum class TextKind {
  kOther,            // it may report
  kWish,             // for something new, which speaks of what fails without it
  kChange,           // what a change does, told by the one who made it
  kTask,             // something to be done
  kTroubleshooting,  // a page that lists what can go wrong, each with its cause or cure
  kQuestion,         // whether something works without a GPU or on another one, how much memory it takes
};
TextKind KindOf(std::string_view beginning);

// Nothing failed in a text of this kind.
inline bool IsNoReport(TextKind kind) { return kind != TextKind::kOther; }

// Whether somebody shows what a program said and asks only whether it does any harm.
bool AsksWhetherHarmful(std::string_view text);

}  // namespace culprit::logs
