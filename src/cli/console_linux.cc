// On Linux a terminal needs no preparation.
#include <unistd.h>

#include <cstdlib>

#include "cli/console.h"

namespace culprit::cli {

void PrepareConsole() {}

std::vector<std::string> Arguments(int argc, char** argv) { return {argv, argv + argc}; }

bool IsTerminal(FILE* stream) { return isatty(fileno(stream)) == 1; }

bool ShowsColors(FILE* stream) { return IsTerminal(stream); }

FILE* OpenForWriting(const std::string& path) { return std::fopen(path.c_str(), "wbe"); }

void EndAtOnce(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace culprit::cli
