// culprit mcp
#include <chrono>
#include <iostream>

#include "base/product_version.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "engine/check.h"
#include "mcp/server.h"
#include "system/child.h"
#include "system/fresh_directory.h"
#include "system/own_program.h"

namespace culprit::cli {
namespace {

using Clock = std::chrono::steady_clock;

// More than any answer: a program under `run` may print without end.
constexpr size_t kMostOutput = size_t{8} << 20;

// What it wrote until then is kept.
mcp::Ran NoAnswer(const std::string& why, mcp::Ran ran = {}) {
  ran.exit_status = kExitCannot;
  ran.error += "culprit: " + why + "\n";
  ran.no_answer = true;
  return ran;
}

// Each call has its own process: one that hangs or crashes affects neither the server nor other calls.
mcp::Ran RunSelf(const mcp::Call& call, std::chrono::seconds limit, const std::stop_token& stop) {
  system::ChildRequest request{.program = system::OwnProgram(),
                               .arguments = call.arguments,
                               .environment = {},
                               .working_directory = ""};
  std::unique_ptr<system::FreshDirectory> directory;
  if (!call.input.empty()) {
    auto made = system::MakeFreshDirectory();
    if (!made) return NoAnswer(made.error().message);
    directory = *std::move(made);
    auto file = directory->Write("text", call.input);
    if (!file) return NoAnswer(file.error().message);
    request.input_file = *std::move(file);
  }
  mcp::Ran ran;
  const Clock::time_point deadline = Clock::now() + limit;
  const system::ChildWatch watch{.on_output =
                                     [&](system::ChildStream stream, std::string_view text) {
                                       (stream == system::ChildStream::kOutput ? ran.output : ran.error) +=
                                           text;
                                       return ran.output.size() + ran.error.size() < kMostOutput;
                                     },
                                 .deadline = [&] { return deadline; },
                                 .stop = stop};
  const auto end = system::RunChild(request, watch);
  if (!end) return NoAnswer(end.error().message);
  ran.exit_status = end->exit_status;
  if (end->out_of_time)
    return NoAnswer("no answer within " + std::to_string(limit.count()) + " s", std::move(ran));
  if (!end->signal.empty()) return NoAnswer("ended by " + end->signal, std::move(ran));
  return ran;
}

std::vector<mcp::Page> Pages() {
  std::vector<mcp::Page> pages;
  for (const auto& page : engine::RulePages()) pages.push_back({.code = page.code, .title = page.title});
  return pages;
}

}  // namespace

int RunMcp(int argc, const char* const* argv) {
  mcp::Allowed allowed;
  int seconds = 300;
  CommandLine app(
      "Serves agents over the Model Context Protocol: one JSON message per line, on standard input and "
      "output. The tools are "
      "the commands check, explain, why, inspect, plan, compat and fix; the pages of all codes are "
      "resources. It only reads, "
      "unless you allow more.",
      "culprit mcp");
  app.Add("--allow-apply", allowed.apply, "let the agent apply fixes that are verified and can be undone");
  app.Add("--allow-run", allowed.run, "let the agent run commands under `culprit run`, with all your rights");
  app.Add("--timeout", seconds, "time limit for an answer, in seconds (default: 300)", "SECONDS", 1, 86400);
  app.Footer(
      "Examples:\n"
      "  claude mcp add culprit -- culprit mcp\n"
      "  {\"mcpServers\": {\"culprit\": {\"command\": \"culprit\", \"args\": [\"mcp\"]}}}\n"
      "Exit status: 0 when the agent ends the connection, 64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  const std::chrono::seconds limit(seconds);
  mcp::Server server({.version = std::string(base::ProductVersion()),
                      .allowed = allowed,
                      .pages = Pages(),
                      .run = [limit](const mcp::Call& call,
                                     const std::stop_token& stop) { return RunSelf(call, limit, stop); },
                      .send =
                          [](const std::string& message) {
                            std::fwrite(message.data(), 1, message.size(), stdout);
                            std::fputc('\n', stdout);
                            std::fflush(stdout);
                          }});
  for (std::string line; std::getline(std::cin, line);) server.Take(line);
  return kExitOk;
}

}  // namespace culprit::cli
