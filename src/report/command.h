// A command to paste. It stays a list of parts until it is shown: text that we wrote, and foreign words
// (paths, package names, versions) that whoever made the files on the machine chose. Only string literals
// convert to a command by themselves; foreign text needs one of the functions below, so a forgotten quote
// does not compile.
//
//   "sudo ln -sfn " + Word(target) + " " + Word(path)
//
// Quoting is decided in command.cc, for every shell that the text may be pasted into.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace culprit::report {

class Command {
 public:
  Command() = default;
  template <size_t N>
  Command(const char (&ours)[N])
      : Command(Part{Kind::kOurs, std::string(ours, N - 1)}) {}  // NOLINT: implicit
  template <size_t N>
  Command(char (&buffer)[N]) = delete;  // not a literal

  Command& operator+=(Command more);
  friend Command operator+(Command command, Command more) {
    command += std::move(more);
    return command;
  }

  bool empty() const { return parts_.empty(); }
  // As it is pasted; nullopt if a foreign part has no safe spelling, or is not what it should be.
  std::optional<std::string> Text() const;
  // Replaces each part, before anything is quoted: hides names and secrets.
  template <class Function>
  void Rewrite(Function function) {
    for (Part& part : parts_) part.text = function(part.text);
  }
  bool operator==(const Command&) const = default;

  friend Command Word(std::string_view foreign);
  friend Command Quoted(std::string_view foreign);
  friend Command InQuotes(std::string_view foreign);
  friend Command Plain(std::string_view foreign);
  friend Command Specifier(std::string_view foreign);
  friend Command FromTable(std::string_view ours);

 private:
  enum class Kind { kOurs, kWord, kQuoted, kInQuotes, kPlain, kSpecifier };
  struct Part {
    Kind kind;
    std::string text;
    bool operator==(const Part&) const = default;
  };
  explicit Command(Part part);
  static std::optional<std::string> Spelled(const Part& part, bool first_of_word);

  std::vector<Part> parts_;
};

// A path, a file name, a value: quoted if the shell would not read it as it is. Paths in the internal
// spelling of Windows get backslashes and double quotes.
Command Word(std::string_view foreign);
// The same for POSIX shells, quoted always.
Command Quoted(std::string_view foreign);
// Inside double quotes that belong to the text around it: "set \"PATH=" + InQuotes(directory) + ";%PATH%\"".
Command InQuotes(std::string_view foreign);
// A name or version of a package, a module, a device: letters, digits and ._+:~- only. Anything else is none,
// and then there is no command.
Command Plain(std::string_view foreign);
// What a package requires of another, ">=9.1,<10" (PEP 440), inside double quotes; no command if it is none.
Command Specifier(std::string_view foreign);
// Text of our own tables, or quoted already, as it is.
Command FromTable(std::string_view ours);

// The commands of a fix as they are pasted. All or none: half of a fix may do harm.
std::vector<std::string> Texts(const std::vector<Command>& commands);

// One word for a POSIX shell or fish, whatever is in it.
std::string ForShell(std::string_view word);

}  // namespace culprit::report
