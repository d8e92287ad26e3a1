// Runs the tool of an engine (srun, ssh, clush, kubectl) and tells what came of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "system/child.h"

namespace culprit::cli {

inline constexpr size_t kLongestReason = 300;

struct Heard {
  std::string output, errors;
  system::ChildEnd end{};
};

// `program` is looked up as a shell does. `seconds`: its time limit.
base::Result<Heard> RunTool(const std::string& program, std::vector<std::string> arguments, int seconds);

// Why there is no brief in what was heard.
std::string ReasonOf(const Heard& heard, int seconds);

}  // namespace culprit::cli
