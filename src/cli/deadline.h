// A time limit for commands that read files in the main thread.
#pragma once

#include <chrono>

namespace culprit::cli {

// Ends the program after that time with status 2 and a line on stderr. Does nothing if all mounted file
// systems are local, because those cannot hang.
void EndWithin(std::chrono::seconds limit);

// Whether a mounted file system may never answer. Yes if the list of mounts cannot be read.
bool MayWaitForEver();

}  // namespace culprit::cli
