// A time limit for commands that read files in the main thread.
#pragma once

#include <chrono>

namespace culprit::cli {

// Ends the program after that time with status 2 and a line on stderr. Does nothing if all mounted file
// systems are local, because those cannot hang.
void EndWithin(std::chrono::seconds limit);

}  // namespace culprit::cli
