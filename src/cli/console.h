// The terminal, and the shell that started the program. One source per platform.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace culprit::cli {

// Call it first. On Linux: a reader that goes away fails our write instead of ending us, and a closed
// standard stream cannot become another file that we open later. On Windows: UTF-8 and escape sequences on
// the console, until the program ends; standard output as bytes, so that JSON has the same line ends
// everywhere.
void PrepareConsole();
// The program's arguments in UTF-8, its name first.
std::vector<std::string> Arguments(int argc, char** argv);
bool IsTerminal(FILE* stream);
// Whether that stream shows colors.
bool ShowsColors(FILE* stream);
// A file named as the user typed it; null on failure, like fopen(). A new one is for its owner alone (0600):
// answers show paths, variables and output of programs.
FILE* OpenForWriting(const std::string& path);
// Replaces a file atomically: readers see either the old bytes or the new ones. A new file is readable by
// everyone (0644). On failure: false, errno is set, and the old file is unchanged. Devices and FIFOs are
// written to directly.
bool ReplaceFile(const std::string& path, const std::string& bytes);
// A folder for pages that everybody may read, as the umask allows; true if it is there already. False with
// errno otherwise: ENOTDIR if something else has that name.
bool MakeFolder(const std::string& path);
// A file in it; null on failure.
FILE* OpenForEverybody(const std::string& path);
// Every message for the user goes to stderr through here. It cannot fail: a full disk, a closed stream or a
// reader that left changes neither what a command does nor its exit status.
template <typename... Parts>
void Say(fmt::format_string<Parts...> format, Parts&&... parts) noexcept {
  try {
    const std::string text = fmt::format(format, std::forward<Parts>(parts)...);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  } catch (const std::exception&) {  // no memory
  }
}
// After an answer could not be written to stdout because its reader left: ends the program as the system
// would have ended it. Returns where there is no such convention.
void EndAsReaderLeft();
// Ends the program without waiting for its threads, because a collector may hang on a dead mount. Leaves the
// terminal as it was.
[[noreturn]] void EndAtOnce(int status);

}  // namespace culprit::cli
