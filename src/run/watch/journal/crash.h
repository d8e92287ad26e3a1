// Where a process crashed: maps the addresses of a crash to the objects that were loaded.
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
  uint64_t bias = 0;  // address in memory minus address in the file
};

// If two objects claim an address, the first one counts.
record::Crash CrashOf(const JournalEvent& event, const std::vector<MappedObject>& objects,
                      const JournalFiles& files);

}  // namespace culprit::watch
