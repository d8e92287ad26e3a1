// Where the protocol goes: a private copy of standard output. Standard output itself is pointed at standard
// error, so that a library that prints cannot disturb it.
#pragma once

#include <string_view>

namespace culprit::prober {

// The descriptor; -1 if there is no standard output.
int OpenChannel();
// Writes everything, in one call if possible. Safe in a signal handler.
void WriteAll(int descriptor, std::string_view bytes);
// Ends the process at once, without exit handlers.
[[noreturn]] void EndNow(int status);

}  // namespace culprit::prober
