// A log line without what terminals, launchers and containers add to it.
#pragma once

#include <string>
#include <string_view>

namespace culprit::logs {

// Without colors and other escape sequences, control characters (they become spaces), typographic quotes
// (they become plain ones), marks of quotation, tags and entities of HTML, and the prefixes of ranks,
// containers and Kubernetes. Timestamps and levels stay: messages of libraries contain them.
struct CleanedLine {
  std::string text;
  std::string prefix;  // "[rank0]: ": which process wrote it, if several share a log
};
CleanedLine CleanLine(std::string_view line);
// True where CleanLine would change nothing, as in most lines.
bool IsClean(std::string_view line);

}  // namespace culprit::logs
