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

// Whether it is about GPUs at all: some word of NVIDIA's, or of what is built on it.
bool SpeaksOfCuda(std::string_view text);
// A line about the devices of AMD, Intel, Apple and other makers, or about what a browser draws with.
bool IsOfOtherMakers(std::string_view line);

// Whether a text is about the GPU of another maker alone, and nothing in it is NVIDIA's.
bool IsOnOtherGpu(std::string_view text);

// Whether somebody says that the machine has nothing of NVIDIA's: what suggests it then is no fault.
bool StatesNoNvidia(std::string_view text);

// What somebody only supposes to be the reason.
bool IsGuess(std::string_view line);

// Whether it leads up to an error: "with the following error". A document does that as well.
bool IntroducesError(std::string_view beginning);

// How the text at `begin` in a cleaned line is said. The first line of a text may be its title.
enum class Mention {
  kNone,   // as a program says it: it happened
  kTalk,   // in a sentence, a comment or quotation marks: it happened if somebody tells of a failure of their
           // own
  kNever,  // in source code, a setting, a command, the name of a test: it did not happen
  kDenied,  // supposed ("if you get ..."), defined ("700 is ...") or denied: nor in the shortest text
};
Mention MentionAt(std::string_view line, size_t begin, bool is_first = false);

// A command that somebody typed: what stands in the next line is what it printed.
bool IsTyped(std::string_view line);

}  // namespace culprit::logs
