// The lines of a text that set a variable, and where in them its value stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "change/apply/assignments.h"

namespace culprit::apply {

// The value of an assignment within its line.
struct Value {
  size_t begin = 0, end = 0;  // without the quotes
  char quote = '\0';
};

struct Assignment {
  size_t number = 0;          // of the line, from 1
  size_t begin = 0, end = 0;  // of the line in the text, without its end
  Value value;                // places in the text
  std::string refusal;        // why its value cannot be edited
};

std::vector<Assignment> Assignments(const std::string& text, Dialect dialect, const std::string& name);

// The end of "$NAME" or "${...}" that begins at `at`; npos for anything else.
size_t EndOfReference(std::string_view text, size_t at);
// A character that a shell takes for itself, without quotes.
bool IsPlain(char c);
// The first place from `at` on that is neither blank nor tab.
size_t SkipBlanks(std::string_view text, size_t at);

}  // namespace culprit::apply
