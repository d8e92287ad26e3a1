// Errors that are mentioned but did not happen: in documentation, source code, patches, commit messages, test
// names, comments. A log reports; these only mention.
#pragma once

#include <cstddef>
#include <string_view>

namespace culprit::logs {

// Judges by the start of a text: a document, a source file, a patch, a list of commits, the output of grep.
bool OnlyMentions(std::string_view beginning);

// Whether somebody tells of a failure of their own and asks about it, as in an issue: the errors in such a
// text happened, even if they stand in quotes or in a sentence.
bool AsksForHelp(std::string_view beginning);

// Whether the text at `begin` in a cleaned line is quoted: in a string literal, a code span, a comment, a
// command, the name of a test, a sentence.
bool IsMention(std::string_view line, size_t begin);

}  // namespace culprit::logs
