// A line of a log without what terminals, launchers and containers put around it.
#pragma once

#include <string>
#include <string_view>

namespace culprit::logs {

// Without colours and other escape sequences, control characters (they become blanks), typographic quotes
// (they become plain ones), and the prefixes of ranks, containers and Kubernetes. Timestamps and levels stay:
// messages of libraries contain them.
struct CleanedLine {
  std::string text;
  std::string prefix;  // "[rank0]: ": who wrote it, where several processes share a log
};
CleanedLine CleanLine(std::string_view line);

}  // namespace culprit::logs
