// The tools that an agent sees: each is a command of culprit, with arguments as JSON instead of words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"

namespace culprit::mcp {

// Tools that may change something; available only if the user allowed them when starting the server.
struct Allowed {
  bool apply = false;  // `fix` may apply
  bool run = false;    // `run` may start programs
};

// A command line of culprit, without the program.
struct Call {
  std::vector<std::string> arguments;
  std::string input{};            // a text, for standard input
  bool json = false;              // the answer is JSON
  bool reports_on_error = false;  // on standard error, below what the program that it ran wrote
};

base::Json DescribeTools(const Allowed& allowed);  // for tools/list
bool IsTool(std::string_view name, const Allowed& allowed);
// The error message is for the agent, which can try again.
base::Result<Call> CallOf(std::string_view tool, const base::Json& arguments, const Allowed& allowed);

}  // namespace culprit::mcp
