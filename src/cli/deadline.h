// An end for commands that read files in the main thread, where nobody else could give up.
#pragma once

#include <chrono>

namespace culprit::cli {

// Ends the program after that time, with status 2 and a line on stderr, unless it has ended before. Where all
// file systems are of this machine, nothing is watched.
void EndWithin(std::chrono::seconds limit);

}  // namespace culprit::cli
