// The terminal, and the shell that started the program. One source per platform.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace culprit::cli {

// Call it first. On Windows: UTF-8 and escape sequences on the console, until the program ends; standard
// output as bytes, so that JSON has the same line ends everywhere.
void PrepareConsole();
// The program's arguments in UTF-8, its name first.
std::vector<std::string> Arguments(int argc, char** argv);
bool IsTerminal(FILE* stream);
// Whether that stream shows colors.
bool ShowsColors(FILE* stream);
// A file named as the user typed it; null on failure, like fopen().
FILE* OpenForWriting(const std::string& path);
// Ends the program without waiting for its threads, because a collector may hang on a dead mount. Leaves the
// terminal as it was.
[[noreturn]] void EndAtOnce(int status);

}  // namespace culprit::cli
