// Answers the journal reader's questions about files.
#pragma once

#include "run/watch/journal/reader.h"
#include "system/system.h"

namespace culprit::watch {

// Asks `machine`, which must outlive the answer. C++ function names are demangled.
JournalFiles FilesOf(const system::System& machine);

}  // namespace culprit::watch
