#include "change/apply/command.h"

#include <chrono>

#include "base/text.h"
#include "report/command.h"
#include "system/child.h"
#include "system/system.h"

namespace culprit::apply {
namespace {

constexpr size_t kLimit = size_t{16} << 20;

std::string LastLine(const std::string& text) {
  std::string last;
  for (const std::string& line : base::Split(text, '\n')) {
    if (!base::Trim(line).empty()) last = line;
  }
  return last;
}

}  // namespace

base::Result<std::string> RunCommand(const std::vector<std::string>& command, int seconds) {
  std::string output, errors;
  auto environment = system::RealSystem()->Environment();
  environment["LC_ALL"] = "C.UTF-8";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const auto end = system::RunChild({.program = command.front(),
                                     .arguments = {command.begin() + 1, command.end()},
                                     .environment = std::move(environment),
                                     .working_directory = "/"},  // the user's may hold uv.toml, or pip/
                                    {.on_output =
                                         [&](system::ChildStream stream, std::string_view piece) {
                                           std::string& text =
                                               stream == system::ChildStream::kOutput ? output : errors;
                                           if (text.size() < kLimit) text += piece;
                                           return true;
                                         },
                                     .deadline = [deadline] { return deadline; }});
  if (!end) return std::unexpected(end.error());
  if (end->exit_status == 0 && end->signal.empty() && !end->killed_here) return output;
  std::string why = LastLine(errors.empty() ? output : errors);
  if (end->out_of_time)
    why = "timed out after " + std::to_string(seconds) + " s";
  else if (!end->signal.empty())
    why = "killed by " + end->signal;
  return base::Fail(base::ErrorCode::kUnsupported, AsTyped(command) + ": " + why);
}

std::string AsTyped(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + report::ForShell(word);
  return text;
}

}  // namespace culprit::apply
