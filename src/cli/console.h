// What the program shares with the terminal and the shell that started it; chosen by platform.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace culprit::cli {

// To be called first. On Windows: UTF-8 and escape sequences on the console, until the program ends; standard
// output as bytes, so that JSON has the same line ends everywhere.
void PrepareConsole();
// The program's arguments in UTF-8, its name first.
std::vector<std::string> Arguments(int argc, char** argv);
bool IsTerminal(FILE* stream);
// Whether escape sequences make colours there.
bool ShowsColors(FILE* stream);
// A file of the user, named as he wrote it; null as for fopen().
FILE* OpenForWriting(const std::string& path);
// Ends the program without waiting for its threads, and leaves the terminal as it was.
[[noreturn]] void EndAtOnce(int status);

}  // namespace culprit::cli
