#include "cli/fleet/tool.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/lines.h"
#include "base/text.h"
#include "system/terminal_child.h"

namespace culprit::cli {
namespace {

constexpr size_t kMostHeard = size_t{1} << 30;

// The last line that says something.
std::string LastLine(std::string_view text) {
  std::string_view line, last;
  while (base::NextLine(text, line)) {
    if (!base::Trim(line).empty()) last = base::Trim(line);
  }
  return std::string(last.substr(0, kLongestReason));
}

}  // namespace

base::Result<Heard> RunTool(const std::string& program, std::vector<std::string> arguments, int seconds) {
  const system::FoundProgram found = system::FindCommand(program);
  if (found.path.empty()) return base::Fail(base::ErrorCode::kNotFound, program + " is not in PATH");
  Heard heard;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  auto end = system::RunChild({.program = found.path, .arguments = std::move(arguments)},
                              {.on_output =
                                   [&](system::ChildStream stream, std::string_view text) {
                                     (stream == system::ChildStream::kOutput ? heard.output : heard.errors) +=
                                         text;
                                     return heard.output.size() + heard.errors.size() < kMostHeard;
                                   },
                               .deadline = [until] { return until; }});
  if (!end) return std::unexpected(end.error());
  heard.end = *end;
  return heard;
}

std::string ReasonOf(const Heard& heard, int seconds) {
  if (heard.end.out_of_time) return fmt::format("no answer within {} s", seconds);
  const std::string said = LastLine(heard.errors);
  if (!said.empty()) return said;
  return fmt::format("ended with status {} and said nothing", heard.end.exit_status);
}

}  // namespace culprit::cli
