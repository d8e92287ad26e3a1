// Where the protocol goes: a private copy of standard output. Standard output itself is pointed at standard
// error, so that a library that prints cannot disturb it.
#pragma once

#include <string_view>

namespace culprit::prober {

// The descriptor; -1 when there is no standard output to copy.
int OpenChannel();
// All of it, in one piece where the system can. Safe in a signal handler.
void WriteAll(int descriptor, std::string_view bytes);
// Ends the process at once: no exit handler of a library gets its turn.
[[noreturn]] void EndNow(int status);

}  // namespace culprit::prober
