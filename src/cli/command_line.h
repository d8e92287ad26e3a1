// The options of one command: declared, parsed, shown by --help. Hides CLI11, because each file that includes
// it takes seconds to compile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::cli {

enum class Value { kNone, kText, kFile, kDirectory, kCommand };

// One declared option, for help, completions and the manual page.
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
  CommandLine(const std::string& about, const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "-o,--output", or "TARGET" for a positional argument. `word`: the placeholder that --help shows.
  void Add(const std::string& names, std::string& value, const std::string& help,
           const std::string& word = "");
  void Add(const std::string& names, std::vector<std::string>& values, const std::string& help,
           const std::string& word = "");
  void AddRequired(const std::string& names, std::vector<std::string>& values, const std::string& help);
  void Add(const std::string& names, bool& flag, const std::string& help);
  // A number from `low` to `high`.
  void Add(const std::string& names, int& value, const std::string& help, const std::string& word, int low,
           int high);
  // One of `words`; `chosen` gets its index.
  void AddChoice(const std::string& names, const std::vector<std::string>& words,
                 std::function<void(size_t)> chosen, const std::string& help, const std::string& word);
  // Values that completion offers for `name`; others are accepted too.
  void Suggest(const std::string& name, std::vector<std::string> words);
  // Everything after the options, not parsed here: the command of `culprit run`.
  void Rest(const std::string& name, const std::string& help, Value value);
  // The end of --help.
  void Footer(const std::string& text);
  // Whether the next word is the value of this one.
  bool TakesValue(std::string_view name) const;

  // The exit status to end with, on --help or a mistake.
  std::optional<int> Parse(int argc, const char* const* argv);

  // What a command declares. Calls its function, which returns at Parse().
  static Declaration DeclaredBy(int (*run)(int argc, const char* const* argv), const std::string& name);

 private:
  void Declare(const std::string& names, const std::string& help, const std::string& word, Value value);
  DeclaredOption* Find(std::string_view name);

  Declaration declaration_;
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace culprit::cli
