// The files of a machine for the reader of a journal.
#pragma once

#include "run/watch/journal/reader.h"
#include "system/system.h"

namespace culprit::watch {

// Asks `machine`, which must outlive the answer. Names of C++ functions come as a person writes them.
JournalFiles FilesOf(const system::System& machine);

}  // namespace culprit::watch
