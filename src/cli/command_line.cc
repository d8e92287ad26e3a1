#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"

namespace culprit::cli {

struct CommandLine::Parser {
  CLI::App app;
};

namespace {

void Show(CLI::Option* option, const std::string& word) {
  if (!word.empty()) option->option_text(word);
}

// The placeholder tells shells what kind of value to complete.
Value KindOf(const std::string& word) {
  if (word == "FILE" || word == "PATH" || word == "TARGET" || word == "LOG") return Value::kFile;
  return word == "DIR" ? Value::kDirectory : Value::kText;
}

// If set, the next Parse() writes the declaration here and does not parse.
Declaration* g_wanted = nullptr;

}  // namespace

CommandLine::CommandLine(const std::string& about, const std::string& name)
    : declaration_{.name = name, .about = about}, parser_(new Parser{CLI::App(about, name)}) {}

CommandLine::~CommandLine() = default;

void CommandLine::Declare(const std::string& names, const std::string& help, const std::string& word,
                          Value value) {
  declaration_.options.push_back({base::Split(names, ','), help, word, value, !names.starts_with('-')});
}

DeclaredOption* CommandLine::Find(std::string_view name) {
  const auto found = std::ranges::find_if(declaration_.options, [&](const DeclaredOption& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == declaration_.options.end() ? nullptr : &*found;
}

bool CommandLine::TakesValue(std::string_view name) const {
  return std::ranges::any_of(declaration_.options, [&](const DeclaredOption& option) {
    return option.value != Value::kNone && std::ranges::find(option.names, name) != option.names.end();
  });
}

void CommandLine::Suggest(const std::string& name, std::vector<std::string> words) {
  if (DeclaredOption* option = Find(name)) option->choices = std::move(words);
}

void CommandLine::Rest(const std::string& name, const std::string& help, Value value) {
  Declare(name, help, "", value);
}

void CommandLine::Add(const std::string& names, std::string& value, const std::string& help,
                      const std::string& word) {
  Declare(names, help, word, KindOf(word.empty() ? names : word));
  Show(parser_->app.add_option(names, value, help), word);
}

void CommandLine::Add(const std::string& names, std::vector<std::string>& values, const std::string& help,
                      const std::string& word) {
  Declare(names, help, word, KindOf(word.empty() ? names : word));
  CLI::Option* option = parser_->app.add_option(names, values, help);
  // One value per option; the next word is not a second value.
  if (names.starts_with('-')) option->allow_extra_args(false);
  Show(option, word);
}

void CommandLine::AddRequired(const std::string& names, std::vector<std::string>& values,
                              const std::string& help) {
  Declare(names, help, "", KindOf(names));
  parser_->app.add_option(names, values, help)->required();
}

void CommandLine::Add(const std::string& names, bool& flag, const std::string& help) {
  Declare(names, help, "", Value::kNone);
  parser_->app.add_flag(names, flag, help);
}

void CommandLine::Add(const std::string& names, int& value, const std::string& help, const std::string& word,
                      int low, int high) {
  Declare(names, help, word, Value::kText);
  Show(parser_->app.add_option(names, value, help)->check(CLI::Range(low, high).description("")), word);
}

void CommandLine::AddChoice(const std::string& names, const std::vector<std::string>& words,
                            std::function<void(size_t)> chosen, const std::string& help,
                            const std::string& word) {
  Declare(names, help, word, Value::kText);
  Suggest(base::Split(names, ',').back(), words);
  const auto take = [words, chosen = std::move(chosen)](const std::string& value) {
    chosen(static_cast<size_t>(std::ranges::find(words, value) - words.begin()));
  };
  Show(parser_->app.add_option_function<std::string>(names, take, help)
           ->check(CLI::IsMember(words).description("")),
       word);
}

void CommandLine::Footer(const std::string& text) {
  declaration_.footer = text;
  parser_->app.footer(text);
}

Declaration CommandLine::DeclaredBy(int (*run)(int argc, const char* const* argv), const std::string& name) {
  Declaration declared;
  g_wanted = &declared;
  const char* const words[] = {name.c_str(), nullptr};
  run(1, words);
  g_wanted = nullptr;
  declared.name = name;
  declared.options.push_back({{"-h", "--help"}, "all options, and examples", ""});
  return declared;
}

std::optional<int> CommandLine::Parse(int argc, const char* const* argv) {
  if (g_wanted != nullptr) {
    *g_wanted = std::move(declaration_);
    return kExitOk;
  }
  try {
    parser_->app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return Print(parser_->app.help());
  } catch (const CLI::ParseError& error) {
    Say("culprit {}: {}\n  try: culprit {} --help\n", argv[0], base::Printable(error.what()), argv[0]);
    return kExitUsage;
  }
}

}  // namespace culprit::cli
