// Runs srun, ssh, clush or kubectl and returns its output.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "system/child.h"

namespace culprit::cli {

inline constexpr size_t kLongestReason = 300;
// Bytes that a tool may print: one that speaks for many nodes, and for one.
inline constexpr size_t kMostOfAll = size_t{1} << 30, kMostOfNode = size_t{4} << 20;

struct Heard {
  std::string output, errors;
  system::ChildEnd end{};
  bool too_much = false;  // it was ended for that
};

// `program` is looked up as a shell does. `seconds`: its time limit. `stop`: the user interrupted it.
base::Result<Heard> RunTool(const std::string& program, std::vector<std::string> arguments, int seconds,
                            const std::stop_token& stop, size_t most = kMostOfAll);

// Why the output contains no brief snapshot.
std::string ReasonOf(const Heard& heard, int seconds);

}  // namespace culprit::cli
