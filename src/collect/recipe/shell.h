// The commands in a piece of shell, and variables in a text. Nothing is executed: what a shell would compute
// ("$(nproc)", a variable that nobody set) stays as it is written.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/stack_recipe.h"

namespace culprit::collect {

// A text made of several lines of a file: which line each part of it is from.
struct LinedText {
  std::string text;
  std::vector<std::pair<size_t, uint64_t>> lines{};  // offset, line; sorted
  void Add(std::string_view more, uint64_t line);
  uint64_t LineAt(size_t offset) const;
};

using Variables = std::map<std::string, std::string>;

// The value that a text stands for: $NAME, ${NAME}, ${NAME:-word}, ${NAME-word}, ${NAME:+word}.
struct Substituted {
  std::string text;
  bool vague = false;  // a variable in it is not known, or it grew too large; it stays as it is written
};
// In `quoted` text, single quotes forbid it and `escape` takes the meaning of the next sign.
Substituted Substitute(std::string_view text, const Variables& variables, char escape = '\\',
                       bool quoted = true);

// Words as a shell text that has just these words.
std::string Quoted(const std::vector<std::string>& words);
// The words of one line, as a shell would split them.
std::vector<std::string> LineWords(std::string_view text);
constexpr size_t kMostSteps = 20'000;  // of a part; commands beyond are left out
// The commands of a shell text, each as a step kRun: without "sudo", "env" and assignments before it, also
// those inside `bash -c "..."`. Redirections are words of their own: ">", ">>". `stops`: the shell was
// started with -e. `values`: of the variables that it sets itself, before it does.
void AddCommands(const LinedText& shell, std::vector<snapshot::RecipeStep>& steps, bool stops = false,
                 const Variables& values = {});
// "-e", "-eux", "errexit" among the words of `set` or the options of a shell.
bool StopsAtFailure(std::span<const std::string> words);
// The variables that the text sets for its later commands.
std::set<std::string> AssignedIn(std::string_view text);

}  // namespace culprit::collect
