#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/command.h"

namespace culprit::cli {

struct CommandLine::Parser {
  CLI::App app;
};

namespace {

void Show(CLI::Option* option, const std::string& word) {
  if (!word.empty()) option->option_text(word);
}

}  // namespace

CommandLine::CommandLine(const std::string& about, const std::string& name)
    : parser_(new Parser{CLI::App(about, name)}) {}

CommandLine::~CommandLine() = default;

void CommandLine::Add(const std::string& names, std::string& value, const std::string& help,
                      const std::string& word) {
  Show(parser_->app.add_option(names, value, help), word);
}

void CommandLine::Add(const std::string& names, std::vector<std::string>& values, const std::string& help,
                      const std::string& word) {
  CLI::Option* option = parser_->app.add_option(names, values, help);
  // One value each time it is said; what stands behind it is no second one.
  if (names.starts_with('-')) option->allow_extra_args(false);
  Show(option, word);
}

void CommandLine::AddRequired(const std::string& names, std::vector<std::string>& values,
                              const std::string& help) {
  parser_->app.add_option(names, values, help)->required();
}

void CommandLine::Add(const std::string& names, bool& flag, const std::string& help) {
  parser_->app.add_flag(names, flag, help);
}

void CommandLine::Add(const std::string& names, int& value, const std::string& help, const std::string& word,
                      int low, int high) {
  Show(parser_->app.add_option(names, value, help)->check(CLI::Range(low, high).description("")), word);
}

void CommandLine::AddChoice(const std::string& names, const std::vector<std::string>& words,
                            std::function<void(size_t)> chosen, const std::string& help,
                            const std::string& word) {
  const auto take = [words, chosen = std::move(chosen)](const std::string& value) {
    chosen(static_cast<size_t>(std::ranges::find(words, value) - words.begin()));
  };
  Show(parser_->app.add_option_function<std::string>(names, take, help)
           ->check(CLI::IsMember(words).description("")),
       word);
}

void CommandLine::Footer(const std::string& text) { parser_->app.footer(text); }

std::optional<int> CommandLine::Parse(int argc, const char* const* argv) {
  try {
    parser_->app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", parser_->app.help());
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "culprit {}: {}\n  try: culprit {} --help\n", argv[0], error.what(), argv[0]);
    return kExitUsage;
  }
}

}  // namespace culprit::cli
