// Options are read as getopt_long reads them: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, flags together
// (-qv), everything after "--" positional. Names are not abbreviated. Mistakes are reported in this order: a
// missing value, a wrong one, a missing argument, an unexpected one; --help takes precedence over all but the
// first.
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"

namespace culprit::cli {
namespace {

constexpr std::string_view kHelpNames = "-h,--help";

// The placeholder tells shells what kind of value to complete; "[LOG|CODE]..." may be a file, too.
Value KindOf(std::string_view word) {
  for (const std::string& one : base::SplitWords(word, "[]|. ")) {
    if (one == "FILE" || one == "PATH" || one == "TARGET" || one == "LOG" || one == "LIBRARY")
      return Value::kFile;
    if (one == "ACTION") return Value::kFile;  // and what to do with it
    if (one == "DIR") return Value::kDirectory;
  }
  return Value::kText;
}

// If set, the next Parse() writes the declaration here and does not parse.
Declaration* g_wanted = nullptr;

// 16, 0x10 or 020.
std::optional<long long> ParseNumber(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || errno != 0) return std::nullopt;
  return number;
}

// The value of --flag=VALUE; of --flag alone it is "".
std::optional<bool> ParseFlag(const std::string& text) {
  constexpr std::array<std::string_view, 5> kOn = {"", "true", "on", "yes", "enable"};
  constexpr std::array<std::string_view, 4> kOff = {"false", "off", "no", "disable"};
  if (std::ranges::find(kOn, text) != kOn.end()) return true;
  if (std::ranges::find(kOff, text) != kOff.end()) return false;
  const auto number = ParseNumber(text);
  return number ? std::optional(*number > 0) : std::nullopt;
}

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace

bool CommandLine::Option::Called(std::string_view name) const {
  for (std::string_view rest = names; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (rest.substr(0, comma) == name) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

CommandLine::Option& CommandLine::Declare(std::string_view names, std::string_view help,
                                          std::string_view word, Place place) {
  options_.push_back({.names = names, .help = help, .word = word, .place = std::move(place)});
  Option& option = options_.back();
  option.value = option.is_flag() ? Value::kNone : KindOf(word.empty() ? names : word);
  return option;
}

CommandLine::Option* CommandLine::Find(std::string_view name) {
  const auto found =
      std::ranges::find_if(options_, [&](const Option& option) { return option.Called(name); });
  return found == options_.end() ? nullptr : &*found;
}

bool CommandLine::TakesValue(std::string_view name) const {
  return std::ranges::any_of(
      options_, [&](const Option& option) { return option.value != Value::kNone && option.Called(name); });
}

void CommandLine::Suggest(std::string_view name, std::span<const std::string_view> words) {
  if (Option* option = Find(name)) option->words = words;
}

void CommandLine::Rest(std::string_view name, std::string_view help, Value value) {
  Declare(name, help, "", std::monostate()).value = value;
}

void CommandLine::Add(std::string_view names, std::string& value, std::string_view help,
                      std::string_view word) {
  Declare(names, help, word, &value);
}

void CommandLine::Add(std::string_view names, std::vector<std::string>& values, std::string_view help,
                      std::string_view word) {
  Declare(names, help, word, &values);
}

void CommandLine::AddRequired(std::string_view names, std::vector<std::string>& values,
                              std::string_view help) {
  Declare(names, help, "", &values).required = true;
}

void CommandLine::Add(std::string_view names, bool& flag, std::string_view help) {
  Declare(names, help, "", &flag);
}

void CommandLine::Add(std::string_view names, bool& flag, std::string& text, std::string_view help,
                      std::string_view word) {
  Declare(names, help, word, FlagWithText{&flag, &text});
}

void CommandLine::Add(std::string_view names, int& value, std::string_view help, std::string_view word,
                      int low, int high) {
  Declare(names, help, word, Number{&value, low, high});
}

void CommandLine::AddChoice(std::string_view names, std::span<const std::string_view> words,
                            std::function<void(size_t)> chosen, std::string_view help,
                            std::string_view word) {
  Declare(names, help, word, std::move(chosen)).words = words;
}

// Sorts the words of a command line into the `given` of each option.
class CommandLine::Reader {
 public:
  explicit Reader(CommandLine& app) : app_(app) {}

  // What is wrong; "" if nothing is.
  std::string Read(std::span<const char* const> words) {
    for (words_ = words; !words_.empty();) {
      const std::string_view word = words_.front();
      words_ = words_.subspan(1);
      if (only_positional_) {
        TakePositional(word);
      } else if (word == "--") {
        only_positional_ = true;
      } else if (StartsName(word, "--")) {
        const size_t equals = std::min(word.find('='), word.size());
        TakeOption(word, word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
      } else if (StartsName(word, "-") && !(IsDigit(word[1]) && app_.Find(word.substr(0, 2)) == nullptr)) {
        TakeShort(word);
      } else {
        TakePositional(word);
      }
      if (!mistake_.empty()) return mistake_;
    }
    return "";
  }

  bool wants_help() const { return wants_help_; }
  const std::vector<std::string>& unexpected() const { return unexpected_; }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool StartsName(std::string_view word, std::string_view dashes) {
    return word.size() > dashes.size() && word.starts_with(dashes) && word[dashes.size()] != '-';
  }

  void TakePositional(std::string_view word) {
    for (Option& option : app_.options_) {
      if (!option.positional() || std::holds_alternative<std::monostate>(option.place)) continue;
      if (!option.given.empty() && !option.repeats()) continue;
      option.given.emplace_back(word);
      return;
    }
    unexpected_.emplace_back(word);
  }

  // -oFILE, -o FILE, or flags together.
  void TakeShort(std::string_view word) {
    while (word.size() > 1) {
      const std::string_view name = word.substr(0, 2);
      const Option* option = app_.Find(name);
      const bool flag = name == "-h" || (option != nullptr && option->is_flag());
      if (!flag) return TakeOption(word, name, word.substr(2));
      TakeOption(word, name, "");
      rest_ = "-" + std::string(word.substr(2));
      word = rest_;
    }
  }

  // `text`: what follows the name in the same word.
  void TakeOption(std::string_view word, std::string_view name, std::string_view text) {
    Option* option = app_.Find(name);
    if (name == "-h" || name == "--help") {
      wants_help_ = true;
    } else if (option == nullptr || option->positional()) {
      unexpected_.emplace_back(word);
    } else if (option->is_flag() || !text.empty()) {
      option->given.emplace_back(text);
    } else if (!words_.empty() && !word.ends_with('=')) {
      option->given.emplace_back(words_.front());
      words_ = words_.subspan(1);
    } else {
      mistake_ = fmt::format("{} needs a value", option->Name());
    }
  }

  CommandLine& app_;
  std::span<const char* const> words_;  // those that follow
  std::string rest_;
  std::string mistake_;
  bool only_positional_ = false;
  bool wants_help_ = false;
  std::vector<std::string> unexpected_;
};

std::string CommandLine::Store(const Option& option) {
  if (option.given.empty()) return "";
  const std::string& value = option.given.back();
  const auto too_many = [&] {
    return option.given.size() > 1
               ? fmt::format("{} was given {} times; it takes one value", option.Name(), option.given.size())
               : "";
  };
  const auto store = Overloaded{
      [](std::monostate) { return std::string(); },
      [&](bool* flag) {
        const auto on = ParseFlag(value);
        if (on) *flag = *on;
        return on ? std::string() : fmt::format("{} takes true or false, not {}", option.Name(), value);
      },
      [&](const FlagWithText& both) {
        *both.flag = true;
        *both.text = value;
        return too_many();
      },
      [&](std::string* text) {
        *text = value;
        return too_many();
      },
      [&](std::vector<std::string>* texts) {
        *texts = option.given;
        return std::string();
      },
      [&](const Number& number) {
        for (const std::string& text : option.given) {
          const auto parsed = ParseNumber(text);
          if (!parsed || *parsed < number.low || *parsed > number.high)
            return fmt::format("{0} takes a number from {2} to {3}, not {1}", option.Name(), text, number.low,
                               number.high);
          *number.value = static_cast<int>(*parsed);
        }
        return too_many();
      },
      [&](const Chosen& chosen) {
        for (const std::string& text : option.given) {
          if (std::ranges::find(option.words, text) == option.words.end())
            return fmt::format("{}: '{}' is not one of {}", option.Name(), text,
                               fmt::join(option.words, ", "));
        }
        const std::string mistake = too_many();
        if (mistake.empty())
          chosen(static_cast<size_t>(std::ranges::find(option.words, value) - option.words.begin()));
        return mistake;
      }};
  return std::visit(store, option.place);
}

std::optional<int> CommandLine::Parse(int argc, const char* const* argv) {
  if (g_wanted != nullptr) {
    *g_wanted = Declared();
    return kExitOk;
  }
  Reader reader(*this);
  std::string mistake = reader.Read(std::span(argv, static_cast<size_t>(argc)).subspan(1));
  if (mistake.empty() && reader.wants_help()) return Print(Help());
  for (const Option& option : options_) {
    if (mistake.empty()) mistake = Store(option);
  }
  for (const Option& option : options_) {
    if (mistake.empty() && option.required && option.given.empty())
      mistake = fmt::format("{} is required", option.Name());
  }
  if (const auto& words = reader.unexpected(); mistake.empty() && !words.empty()) {
    mistake = fmt::format("unexpected argument{}: {}", words.size() == 1 ? "" : "s", fmt::join(words, " "));
  }
  if (mistake.empty()) return std::nullopt;
  Say("culprit {}: {}\n  try: culprit {} --help\n", argv[0], base::Printable(mistake), argv[0]);
  return kExitUsage;
}

std::string CommandLine::Help() const {
  static constexpr size_t kColumn = 30;
  const auto line = [](const std::string& name, std::string_view help) {
    std::string text = fmt::format("{:<{}}", "  " + name, kColumn);
    for (const char c : help) text += c == '\n' ? "\n" + std::string(kColumn, ' ') : std::string(1, c);
    return text + "\n";
  };
  std::string usage, positionals;
  std::string others = line(std::string(kHelpNames), "Print this help message and exit");
  for (const Option& option : options_) {
    if (std::holds_alternative<std::monostate>(option.place)) continue;
    std::string name(option.names);
    if (option.is_flag() && !option.word.empty()) {
      name += fmt::format("[={}]", option.word);
    } else if (!option.is_flag()) {
      name += option.word.empty() ? fmt::format(" {}", option.Kind()) : fmt::format(" {}", option.word);
      if (option.repeats() && option.word.empty()) name += " ...";
      if (option.required) name += " REQUIRED";
    }
    (option.positional() ? positionals : others) += line(name, option.help);
    if (!option.positional()) continue;
    const std::string shown = std::string(option.names) + (option.repeats() ? "..." : "");
    usage += option.required ? " " + shown : " [" + shown + "]";
  }
  if (!positionals.empty()) positionals = "\nPositionals:\n" + positionals;
  return fmt::format("{}\nUsage: {} [OPTIONS]{}\n{}\nOptions:\n{}\n{}\n", about_, name_, usage, positionals,
                     others, footer_);
}

Declaration CommandLine::Declared() const {
  Declaration declared{
      .name = std::string(name_), .about = std::string(about_), .footer = std::string(footer_)};
  for (const Option& option : options_) {
    declared.options.push_back({.names = base::Split(option.names, ','),
                                .help = std::string(option.help),
                                .word = std::string(option.word),
                                .value = option.value,
                                .positional = option.positional(),
                                .choices = {option.words.begin(), option.words.end()}});
  }
  return declared;
}

Declaration CommandLine::DeclaredBy(int (*run)(int argc, const char* const* argv), const std::string& name) {
  Declaration declared;
  g_wanted = &declared;
  const char* const words[] = {name.c_str(), nullptr};
  run(1, words);
  g_wanted = nullptr;
  declared.name = name;
  declared.options.push_back({base::Split(kHelpNames, ','), "all options, and examples", ""});
  return declared;
}

}  // namespace culprit::cli
