// The options of one command: declared, parsed, shown by --help. Declaring an option only notes it: `why`
// runs for less than a millisecond, and most of what a command declares is not given.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace culprit::cli {

enum class Value { kNone, kText, kFile, kDirectory, kCommand };

// One declared option, for completions and the manual page.
struct DeclaredOption {
  std::vector<std::string> names;  // "-o", "--output"; "TARGET"
  std::string help;
  std::string word;  // placeholder for its value: "FILE"
  Value value = Value::kNone;
  bool positional = false;
  std::vector<std::string> choices{};  // all of them, or those that completion offers
};

struct Declaration {
  std::string name;  // of the command
  std::string about;
  std::string footer{};
  std::vector<DeclaredOption> options{};
};

class CommandLine {
 public:
  // Texts are not copied here and below: literals, or what Keep() returns.
  CommandLine(std::string_view about, std::string_view name) : name_(name), about_(about) {}
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "-o,--output", or "TARGET" for a positional argument. `word`: the placeholder that --help shows.
  void Add(std::string_view names, std::string& value, std::string_view help, std::string_view word = "");
  void Add(std::string_view names, std::vector<std::string>& values, std::string_view help,
           std::string_view word = "");
  void AddRequired(std::string_view names, std::vector<std::string>& values, std::string_view help);
  void Add(std::string_view names, bool& flag, std::string_view help);
  // A flag that may have a value: --name, or --name=TEXT.
  void Add(std::string_view names, bool& flag, std::string& text, std::string_view help,
           std::string_view word);
  // A number from `low` to `high`.
  void Add(std::string_view names, int& value, std::string_view help, std::string_view word, int low,
           int high);
  // One of `words`; `chosen` gets its index.
  void AddChoice(std::string_view names, std::span<const std::string_view> words,
                 std::function<void(size_t)> chosen, std::string_view help, std::string_view word);
  // Values that completion offers for `name`; others are accepted too.
  void Suggest(std::string_view name, std::span<const std::string_view> words);
  // Everything after the options, not parsed here: the command of `culprit run`.
  void Rest(std::string_view name, std::string_view help, Value value);
  // The end of --help.
  void Footer(std::string_view text) { footer_ = text; }
  // A text that lives as long as this.
  std::string_view Keep(std::string text) { return kept_.emplace_back(std::move(text)); }
  // Whether the next word is the value of this one.
  bool TakesValue(std::string_view name) const;

  // The exit status to end with, on --help or a mistake.
  std::optional<int> Parse(int argc, const char* const* argv);

  // What a command declares. Calls its function, which returns at Parse().
  static Declaration DeclaredBy(int (*run)(int argc, const char* const* argv), const std::string& name);

 private:
  struct Number {
    int* value;
    int low, high;
  };
  struct FlagWithText {
    bool* flag;
    std::string* text;
  };
  using Chosen = std::function<void(size_t)>;
  // Where a value goes. Rest() has no place.
  using Place = std::variant<std::monostate, bool*, FlagWithText, std::string*, std::vector<std::string>*,
                             Number, Chosen>;

  struct Option {
    bool positional() const { return !names.starts_with('-'); }
    bool is_flag() const {
      return std::holds_alternative<bool*>(place) || std::holds_alternative<FlagWithText>(place);
    }
    bool repeats() const { return is_flag() || std::holds_alternative<std::vector<std::string>*>(place); }
    bool Called(std::string_view name) const;
    // As mistakes and --help name it: "--output", "TARGET"; "TEXT".
    std::string_view Name() const { return names.substr(names.rfind(',') + 1); }
    std::string_view Kind() const { return std::holds_alternative<Number>(place) ? "INT" : "TEXT"; }

    std::string_view names, help, word;
    Value value = Value::kNone;
    Place place{};
    bool required = false;
    std::span<const std::string_view> words{};  // choices or suggestions
    std::vector<std::string> given{};
  };

  class Reader;
  Option& Declare(std::string_view names, std::string_view help, std::string_view word, Place place);
  Option* Find(std::string_view name);
  // What is wrong with the values that were given; "" if they were stored.
  static std::string Store(const Option& option);
  Declaration Declared() const;
  std::string Help() const;

  std::string_view name_, about_, footer_;
  std::vector<Option> options_;
  std::deque<std::string> kept_;
};

}  // namespace culprit::cli
