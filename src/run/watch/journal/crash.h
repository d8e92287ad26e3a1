// Where a process crashed: the addresses of a crash as places in the objects that it had loaded.
#pragma once

#include <vector>

#include "run/watch/journal/events.h"
#include "run/watch/journal/reader.h"
#include "snapshot/record/run.h"

namespace culprit::watch {

// An object in memory.
struct MappedObject {
  std::string path;
  uint64_t begin = 0;
  uint64_t end = 0;   // 0: not known
  uint64_t bias = 0;  // address in memory less address in the file
};

// Of two objects at one address the first one counts.
record::Crash CrashOf(const JournalEvent& event, const std::vector<MappedObject>& objects,
                      const JournalFiles& files);

}  // namespace culprit::watch
