// Errors that are talked about and did not happen: in documentation, sources, patches, commit messages, names
// of tests, comments. A log tells; these mention.
#pragma once

#include <cstddef>
#include <string_view>

namespace culprit::logs {

// By the beginning of a text: a document, a source file, a patch, a list of commits, the output of grep.
bool OnlyMentions(std::string_view beginning);

// Whether what stands at `begin` in a cleaned line is a quotation: in a string of source code, a code span, a
// comment, a command, the name of a test, a sentence.
bool IsMention(std::string_view line, size_t begin);

}  // namespace culprit::logs
