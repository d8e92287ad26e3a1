// The options of one command: declared, parsed, shown by --help. All of CLI11 is behind this, because each
// file that sees it takes seconds to compile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace culprit::cli {

class CommandLine {
 public:
  CommandLine(const std::string& about, const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "-o,--output", or "TARGET" for what stands without a dash. `word`: what --help shows for the
  // value.
  void Add(const std::string& names, std::string& value, const std::string& help,
           const std::string& word = "");
  void Add(const std::string& names, std::vector<std::string>& values, const std::string& help,
           const std::string& word = "");
  void AddRequired(const std::string& names, std::vector<std::string>& values, const std::string& help);
  void Add(const std::string& names, bool& flag, const std::string& help);
  // A number from `low` to `high`.
  void Add(const std::string& names, int& value, const std::string& help, const std::string& word, int low,
           int high);
  // One of `words`; `chosen` gets its place in the list.
  void AddChoice(const std::string& names, const std::vector<std::string>& words,
                 std::function<void(size_t)> chosen, const std::string& help, const std::string& word);
  // What --help ends with.
  void Footer(const std::string& text);

  // On --help or a mistake the exit status to end with.
  std::optional<int> Parse(int argc, const char* const* argv);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace culprit::cli
