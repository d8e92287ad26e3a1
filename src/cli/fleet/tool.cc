#include "cli/fleet/tool.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/lines.h"
#include "base/text.h"
#include "system/terminal_child.h"

namespace culprit::cli {
namespace {

// The last line that is not blank.
std::string LastLine(std::string_view text) {
  std::string_view line, last;
  while (base::NextLine(text, line)) {
    if (!base::Trim(line).empty()) last = base::Trim(line);
  }
  return std::string(last.substr(0, kLongestReason));
}

}  // namespace

base::Result<Heard> RunTool(const std::string& program, std::vector<std::string> arguments, int seconds,
                            const std::stop_token& stop, size_t most) {
  const system::FoundProgram found = system::FindCommand(program);
  if (found.path.empty()) return base::Fail(base::ErrorCode::kNotFound, program + " not found in PATH");
  Heard heard;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  auto end = system::RunChild({.program = found.path, .arguments = std::move(arguments)},
                              {.on_output =
                                   [&](system::ChildStream stream, std::string_view text) {
                                     (stream == system::ChildStream::kOutput ? heard.output : heard.errors) +=
                                         text;
                                     heard.too_much = heard.output.size() + heard.errors.size() > most;
                                     return !heard.too_much;
                                   },
                               .deadline = [until] { return until; },
                               .end = stop});
  if (!end) return std::unexpected(end.error());
  heard.end = *end;
  return heard;
}

std::string ReasonOf(const Heard& heard, int seconds) {
  if (heard.end.out_of_time) return fmt::format("no answer within {} s", seconds);
  if (heard.too_much) return "it printed too much";
  const std::string said = LastLine(heard.errors);
  if (!said.empty()) return said;
  const std::string how = heard.end.signal.empty()
                              ? fmt::format("ended with status {}", heard.end.exit_status)
                              : "was ended by " + heard.end.signal;
  return how + (heard.output.empty() ? " without output" : ", and its answer arrived incomplete");
}

}  // namespace culprit::cli
